//! How a node comes into the mesh of a key.

use std::{net::SocketAddr, sync::Arc};

use super::Engine;
use crate::BuildError;

/// Where a node listens and what it connects to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Way {
    /// Where it listens.
    pub(super) listen: Option<SocketAddr>,
    /// Nodes that it connects to, as `HOST:PORT`.
    pub(super) connect: Vec<String>,
    /// Routers that it connects to instead, as `HOST:PORT`.
    pub(super) routers: Vec<String>,
    /// Whether nodes of one network segment find each other by multicast.
    pub(super) multicast: bool,
    /// Its certificate.
    #[cfg(feature = "zenoh")]
    pub(super) credentials: Option<Arc<super::Credentials>>,
    /// Whether it may listen beyond this machine without certificates.
    plaintext: bool,
}

impl Way {
    pub(crate) fn listening_at(listen: &str) -> Result<Self, BuildError> {
        let listen = listen
            .parse()
            .map_err(|_| BuildError::Address(listen.to_owned()))?;
        Ok(Self {
            listen: Some(listen),
            ..Self::default()
        })
    }

    pub(crate) fn connect(&mut self, place: &str) -> Result<(), BuildError> {
        self.connect.push(checked(place)?);
        Ok(())
    }

    pub(crate) fn router(&mut self, place: &str) -> Result<(), BuildError> {
        self.routers.push(checked(place)?);
        Ok(())
    }

    pub(crate) fn multicast(&mut self) {
        self.multicast = true;
    }

    #[cfg(feature = "zenoh")]
    pub(crate) fn credentials(&mut self, credentials: super::Credentials) {
        self.credentials = Some(Arc::new(credentials));
    }

    #[cfg(feature = "zenoh")]
    pub(crate) fn has_certificate(&self) -> bool {
        self.credentials.is_some()
    }

    #[cfg(not(feature = "zenoh"))]
    pub(crate) fn has_certificate(&self) -> bool {
        false
    }

    pub(crate) fn plaintext(&mut self) {
        self.plaintext = true;
    }

    /// Beyond this machine a node has a certificate, unless the program says that it need not.
    pub(super) fn check(&self) -> Result<(), BuildError> {
        match self.listen {
            Some(listen) if !(listen.ip().is_loopback() || self.plaintext || self.has_certificate()) => {
                Err(BuildError::Plaintext(listen))
            }
            _ if self.multicast && !(self.plaintext || self.has_certificate()) => {
                Err(BuildError::PlaintextMulticast)
            }
            _ => Ok(()),
        }
    }

    #[cfg(feature = "zenoh")]
    pub(crate) async fn open(
        self,
        key: &[u8; 32],
        name: Option<String>,
    ) -> Result<Arc<dyn Engine>, BuildError> {
        self.check()?;
        Ok(super::zenoh::open(key, name, &self).await?)
    }

    #[cfg(not(feature = "zenoh"))]
    #[expect(clippy::unused_async, reason = "an engine on a network has to wait")]
    pub(crate) async fn open(
        self,
        key: &[u8; 32],
        name: Option<String>,
    ) -> Result<Arc<dyn Engine>, BuildError> {
        self.check()?;
        Ok(Arc::new(super::MemoryNetwork::of_key(key).named(name)?))
    }
}

/// A host, as a name or an address, and a port.
fn checked(place: &str) -> Result<String, BuildError> {
    let wrong = || BuildError::Address(place.to_owned());
    let (host, port) = place.rsplit_once(':').ok_or_else(wrong)?;
    let is_host = |c: char| c.is_ascii_alphanumeric() || ".-_[]:".contains(c);
    if host.is_empty() || !host.chars().all(is_host) || port.parse::<u16>().is_err() {
        return Err(wrong());
    }
    Ok(place.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_host_and_a_port_and_nothing_that_means_more() {
        let mut way = Way::default();
        for place in ["127.0.0.1:7447", "[::1]:7447", "node-1.example.org:1"] {
            way.connect(place).unwrap();
            way.router(place).unwrap();
        }
        for place in [
            "",
            "node",
            ":1",
            "node:",
            "node:65536",
            "no/de:1",
            "node#iface=eth0:1",
            "node?x=1:1",
        ] {
            assert!(way.connect(place).is_err(), "{place}");
            assert!(way.router(place).is_err(), "{place}");
        }
        assert!(Way::listening_at("localhost").is_err());
    }

    #[test]
    fn beyond_this_machine_nothing_listens_without_certificates_unless_that_is_said() {
        for place in ["127.0.0.1:0", "[::1]:0", "127.9.9.9:1"] {
            assert!(Way::listening_at(place).unwrap().check().is_ok(), "{place}");
        }
        for place in ["0.0.0.0:0", "[::]:0", "192.0.2.1:7447"] {
            let mut way = Way::listening_at(place).unwrap();
            assert!(matches!(way.check(), Err(BuildError::Plaintext(_))), "{place}");
            way.plaintext();
            assert!(way.check().is_ok(), "{place}");
        }
        // Looking for others by multicast listens on every network, wherever the node itself does.
        let mut way = Way::listening_at("127.0.0.1:0").unwrap();
        way.multicast();
        assert!(matches!(way.check(), Err(BuildError::PlaintextMulticast)));
        way.plaintext();
        assert!(way.check().is_ok());
    }
}
