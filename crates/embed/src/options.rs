//! How a node is set up, as JSON says it.

use std::{path::PathBuf, sync::Arc};

use hex::FromHex;
use serde::Deserialize;
use toolmesh::{
    assemble::Location,
    config::{Config, Environment, SourceConfig},
    mesh::{CapabilitySet, MemoryNetwork, MeshBuilder, NodeId},
};

use crate::{Fault, FaultKind, text::read};

/// How a node is set up. Everything is optional; a member that is not known is refused.
#[derive(Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NodeOptions {
    /// What the node is called, for logs and as the identity of its calls.
    pub name: Option<String>,
    /// The key of the mesh, 32 bytes in hexadecimal. Nodes with another key neither see nor reach this one. Without a key
    /// the node is in a mesh of its own, which nobody else can join.
    pub key: Option<String>,
    /// What carries the mesh; a network when there is a key.
    pub engine: Option<Engine>,
    /// Where the node listens on the network, `127.0.0.1:0` unless said: the system chooses the port.
    pub listen: Option<String>,
    /// Nodes that it connects to, as `HOST:PORT`.
    pub connect: Vec<String>,
    /// Routers that it connects to instead, as `HOST:PORT`.
    pub routers: Vec<String>,
    /// Whether nodes of one network segment find each other.
    pub multicast: bool,
    /// What the node tells of itself: `region.eu`, `hardware.gpu=h100`.
    pub tags: Vec<String>,
    /// Who may see and call its tools; everybody in the mesh when all lists are empty.
    pub allowed: Allowed,
    /// A file `toolmesh.toml` with sources, policies and limits.
    pub config: Option<PathBuf>,
    /// Sources beside those of the file: `token.json`, `0x...@mainnet`, `calimero:URL`, `mcp:COMMAND`.
    pub sources: Vec<String>,
}

/// What carries the mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// Nodes of this process that have one key.
    Memory,
    /// A network, without a broker.
    Zenoh,
}

/// Where a node listens unless it is told: on this machine, at a port that the system chooses.
const LISTEN: &str = "127.0.0.1:0";

/// Who may see and call a node's tools: whoever is in any of the lists.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Allowed {
    /// Nodes by their numbers.
    pub nodes: Vec<u64>,
    /// Subnets, as the engine vouches for them.
    pub subnets: Vec<u32>,
    /// Groups, 32 bytes in hexadecimal each, as the engine vouches for them.
    pub groups: Vec<String>,
}

impl NodeOptions {
    /// Reads the options from JSON.
    ///
    /// # Errors
    /// [`FaultKind::Json`] when the text is no JSON; [`FaultKind::Invalid`] when a member is not known or not of its kind.
    pub fn from_json(text: &str) -> Result<Self, Fault> {
        read(text, "the options of a node")
    }

    /// The configuration: the file, what the environment says over it, and the sources that are named here.
    pub(crate) fn configuration(&self, environment: &Environment) -> Result<Config, Fault> {
        let mut config = match &self.config {
            Some(file) => Config::read(file)?,
            None => Config::default(),
        };
        config.apply_environment(environment)?;
        let named = self.sources.iter();
        config
            .sources
            .extend(named.map(|text| SourceConfig::at(Location::parse(text))));
        Ok(config)
    }

    pub(crate) fn capabilities(&self) -> Result<CapabilitySet, Fault> {
        let groups = self.allowed.groups.iter();
        Ok(CapabilitySet {
            tags: self.tags.clone(),
            allowed_nodes: self.allowed.nodes.iter().copied().map(NodeId::new).collect(),
            allowed_subnets: self.allowed.subnets.clone(),
            allowed_groups: groups
                .map(|text| bytes32(text, "a group"))
                .collect::<Result<_, _>>()?,
            ..CapabilitySet::default()
        })
    }

    /// The place in the mesh.
    pub(crate) fn mesh(&self) -> Result<MeshBuilder, Fault> {
        let key = self.key.as_ref().map(|text| bytes32(text, "the key of a mesh"));
        match (key.transpose()?, self.engine) {
            (Some(key), None | Some(Engine::Zenoh)) => self.on_network(&key),
            (key, None | Some(Engine::Memory)) => self.in_memory(key.as_ref()),
            (None, Some(Engine::Zenoh)) => Err(Fault::new(
                FaultKind::Invalid,
                "a node on a network needs the `key` of its mesh",
            )),
        }
    }

    fn on_network(&self, key: &[u8; 32]) -> Result<MeshBuilder, Fault> {
        let listen = self.listen.as_deref().unwrap_or(LISTEN);
        let mut builder = MeshBuilder::new(listen, key)?;
        for place in &self.connect {
            builder = builder.connect(place)?;
        }
        for place in &self.routers {
            builder = builder.router(place)?;
        }
        if self.multicast {
            builder = builder.multicast();
        }
        Ok(match &self.name {
            Some(name) => builder.name(name),
            None => builder,
        })
    }

    fn in_memory(&self, key: Option<&[u8; 32]>) -> Result<MeshBuilder, Fault> {
        let network = key.map_or_else(MemoryNetwork::new, MemoryNetwork::of_key);
        Ok(MeshBuilder::on(Arc::new(network.named(self.name.clone())?)))
    }
}

impl std::fmt::Debug for NodeOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The key is a secret, and a source may be a URL with one in it.
        f.debug_struct("NodeOptions")
            .field("name", &self.name)
            .field("tags", &self.tags)
            .field("config", &self.config)
            .field("sources", &self.sources.len())
            .finish_non_exhaustive()
    }
}

/// The text itself may be a secret and is never repeated.
fn bytes32(text: &str, what: &str) -> Result<[u8; 32], Fault> {
    let refused = |_| Fault::new(FaultKind::Invalid, format!("{what} is 64 hexadecimal digits"));
    FromHex::from_hex(text).map_err(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_64_hexadecimal_digits_and_never_repeated() {
        let good = "0f".repeat(32);
        assert_eq!(bytes32(&good, "a key"), Ok([0x0f; 32]));
        for bad in [
            &good[1..],
            &format!("{good}0"),
            &"g".repeat(64),
            &"\u{e9}".repeat(32),
        ] {
            let refused = bytes32(bad, "a key").unwrap_err();
            assert_eq!(refused.message, "a key is 64 hexadecimal digits");
        }
    }

    #[test]
    fn a_member_that_is_not_known_is_refused_by_its_name() {
        let refused = NodeOptions::from_json(r#"{"nane":"x"}"#).unwrap_err();
        assert_eq!(refused.kind, FaultKind::Invalid);
        assert!(refused.message.contains("nane"), "{}", refused.message);
    }
}
