//! Who asks.

use std::sync::Arc;

/// By which way a call came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Transport {
    /// MCP over standard input and output.
    Stdio,
    /// MCP over HTTP.
    Http,
    /// The mesh.
    Mesh,
    /// The `toolmesh` command.
    CommandLine,
    /// A program that holds the dispatcher itself.
    InProcess,
}

/// Who asks: every policy takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The authenticated identity; `None` for an anonymous caller. Never taken from what a client says of itself.
    pub identity: Option<String>,
    /// The authorization partition: callers in different partitions never see each other's tasks or state.
    pub partition: String,
    /// How the call came in.
    pub transport: Transport,
    /// The chain of authenticated gateways behind which the call was made, outermost first. A host decides on both
    /// ends of the chain, so that a gateway is never a confused deputy.
    pub on_behalf_of: Vec<String>,
    /// From where an anonymous caller asks, as far as the front can tell him from others: a network address. Rate limits
    /// count him by it. It is no identity: anonymous callers share their tasks and state whatever it says.
    pub address: Option<Arc<str>>,
}

impl Caller {
    /// A caller without an authenticated identity, in the shared anonymous partition.
    #[must_use]
    pub fn anonymous(transport: Transport) -> Self {
        Self {
            identity: None,
            partition: String::new(),
            transport,
            on_behalf_of: Vec::new(),
            address: None,
        }
    }

    /// The same, who asks from this address.
    #[must_use]
    pub fn at(mut self, address: Option<Arc<str>>) -> Self {
        self.address = address;
        self
    }

    /// Whether both are one party, from wherever they ask.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        (
            &self.identity,
            &self.partition,
            self.transport,
            &self.on_behalf_of,
        ) == (
            &other.identity,
            &other.partition,
            other.transport,
            &other.on_behalf_of,
        )
    }

    /// A text for those who count what each caller takes: one and the same for all that one caller asks, and none of another
    /// caller's. It is made of the partition and the gateways that it came through; an anonymous caller is known by the
    /// address that it asks from, where the front tells that.
    #[must_use]
    pub fn party(&self) -> String {
        if let Some(address) = self.known_by() {
            return format!("@{address}");
        }
        // Lengths keep one caller's text apart from every other's.
        let mut party = format!("{}:{}", self.partition.len(), self.partition);
        for gateway in &self.on_behalf_of {
            party.push_str(&format!(",{}:{gateway}", gateway.len()));
        }
        party
    }

    /// The address by which alone the caller is known.
    pub(crate) fn known_by(&self) -> Option<&str> {
        self.address.as_deref().filter(|_| self.identity.is_none())
    }

    /// A caller whom the front has authenticated as `identity`; the partition is its own.
    #[must_use]
    pub fn authenticated(identity: impl Into<String>, transport: Transport) -> Self {
        let identity = identity.into();
        Self {
            partition: identity.clone(),
            identity: Some(identity),
            transport,
            on_behalf_of: Vec::new(),
            address: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_is_the_same_from_wherever_he_asks() {
        let at = |address: &str| Caller::anonymous(Transport::Http).at(Some(address.into()));
        assert!(at("192.0.2.1").is(&at("192.0.2.2")));
        assert!(!at("192.0.2.1").is(&Caller::authenticated("ada", Transport::Http)));
        assert!(!at("192.0.2.1").is(&Caller::anonymous(Transport::Stdio)));
    }
    #[test]
    fn each_party_is_counted_by_a_text_of_its_own() {
        let named = |name: &str, gateways: &[&str]| {
            let mut caller = Caller::authenticated(name, Transport::Http);
            caller.on_behalf_of = gateways.iter().map(|name| (*name).to_owned()).collect();
            caller.party()
        };
        let stranger = |address: &str| {
            Caller::anonymous(Transport::Http)
                .at(Some(address.into()))
                .party()
        };
        let parties = [
            named("a", &[]),
            named("a", &["b"]),
            named("a", &["b", "c"]),
            named("a", &["b,1:c"]),
            named("a,1:b", &[]),
            named("0:0:1::/64", &[]),
            stranger("10:0:0:1::/64"),
            stranger("192.0.2.1"),
            Caller::anonymous(Transport::Stdio).party(),
        ];
        let distinct: std::collections::HashSet<_> = parties.iter().collect();
        assert_eq!(distinct.len(), parties.len(), "{parties:?}");
        let elsewhere = Caller::authenticated("a", Transport::Http).at(Some("192.0.2.1".into()));
        assert_eq!(elsewhere.party(), named("a", &[]));
    }
}
