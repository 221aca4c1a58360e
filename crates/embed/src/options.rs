//! How a node is set up, as JSON says it.

use std::{path::PathBuf, sync::Arc};

use hex::FromHex;
use serde::Deserialize;
use toolmesh::{
    assemble::Location,
    config::{Config, Environment, MeshConfig, SourceConfig},
    json::Value,
    mesh::{CapabilitySet, MemoryNetwork, MeshBuilder, NodeId},
};

use crate::{Fault, FaultKind, text::read_options};

/// How a node is set up. Everything is optional; a member that is not known is refused. What is said here goes before what
/// `[mesh]` of the configuration and the environment (`TOOLMESH_MESH_...`) say.
#[derive(Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NodeOptions {
    /// What the node is called, for logs and as the identity of its calls, where it has no certificate.
    pub name: Option<String>,
    /// The key of the mesh, 32 bytes in hexadecimal. Nodes with another key neither see nor reach this one. Without a key
    /// the node is in a mesh of its own, which nobody else can join.
    pub key: Option<String>,
    /// The file that holds the key, as `toolmesh mesh keys` makes it, in place of the key itself.
    pub key_file: Option<PathBuf>,
    /// What carries the mesh; a network when there is a key.
    pub engine: Option<Engine>,
    /// Where the node listens on the network, `127.0.0.1:0` unless said: the system chooses the port.
    pub listen: Option<String>,
    /// Nodes that it connects to, as `HOST:PORT`.
    pub connect: Vec<String>,
    /// Routers that it connects to instead, as `HOST:PORT`.
    pub routers: Vec<String>,
    /// Whether nodes of one network segment find each other.
    pub multicast: Option<bool>,
    /// Whether the node may listen beyond this machine without a certificate.
    pub plaintext: Option<bool>,
    /// The PEM file of the authority whose nodes are believed. With it the next two are needed, and nodes meet over TLS.
    pub authority: Option<PathBuf>,
    /// The PEM file of the node's certificate: its name, subnets and groups are in it.
    pub certificate: Option<PathBuf>,
    /// The PEM file of the certificate's key.
    pub private_key: Option<PathBuf>,
    /// Who may see and call what, as [`AccessRules::parse`] reads it; everybody in the mesh unless said.
    ///
    /// [`AccessRules::parse`]: toolmesh::mesh::AccessRules::parse
    pub access: Option<Value>,
    /// Whose tools the node sees and calls, beside its own, as [`AllowList::parse_nodes`] reads it; everybody's unless said.
    ///
    /// [`AllowList::parse_nodes`]: toolmesh::mesh::AllowList::parse_nodes
    pub trust: Option<Value>,
    /// What the node tells of itself: `region.eu`, `hardware.gpu=h100`.
    pub tags: Vec<String>,
    /// Who may see and call its tools; everybody in the mesh when all lists are empty.
    pub allowed: Allowed,
    /// A file `toolmesh.toml` with sources, policies, limits, and the place in the mesh.
    pub config: Option<PathBuf>,
    /// Sources beside those of the file: `token.json`, `0x...@mainnet`, `calimero:URL`, `mcp:COMMAND`, `mesh:`.
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
        read_options(text, "the options of a node")
    }

    /// The configuration: the file, what the environment says over it, and what is said here.
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
        self.put_over(&mut config.mesh);
        Ok(config)
    }

    fn put_over(&self, mesh: &mut MeshConfig) {
        put(&mut mesh.key_file, self.key_file.as_ref());
        put(&mut mesh.name, self.name.as_ref());
        put(&mut mesh.listen, self.listen.as_ref());
        put(&mut mesh.authority, self.authority.as_ref());
        put(&mut mesh.certificate, self.certificate.as_ref());
        put(&mut mesh.private_key, self.private_key.as_ref());
        for (place, said) in [(&mut mesh.access, &self.access), (&mut mesh.trust, &self.trust)] {
            put(place, said.as_ref().map(Value::to_text).as_ref());
        }
        if !self.connect.is_empty() {
            mesh.connect.clone_from(&self.connect);
        }
        if !self.routers.is_empty() {
            mesh.routers.clone_from(&self.routers);
        }
        mesh.multicast = self.multicast.unwrap_or(mesh.multicast);
        mesh.plaintext = self.plaintext.unwrap_or(mesh.plaintext);
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

    /// The place in the mesh, which these options and the configuration say together.
    pub(crate) fn mesh(&self, mesh: &MeshConfig) -> Result<MeshBuilder, Fault> {
        match (self.key_of(mesh)?, self.engine) {
            (Some(key), None | Some(Engine::Zenoh)) => Ok(mesh.node_of(&key)?),
            (key, None | Some(Engine::Memory)) => {
                self.check_memory(key.is_some())?;
                in_memory(mesh, key.as_ref())
            }
            (None, Some(Engine::Zenoh)) => Err(Fault::new(
                FaultKind::Invalid,
                "a node on a network needs the `key` of its mesh, or a file with it",
            )),
        }
    }

    fn key_of(&self, mesh: &MeshConfig) -> Result<Option<[u8; 32]>, Fault> {
        match (&self.key, &mesh.key_file) {
            (Some(_), _) if self.key_file.is_some() => Err(Fault::new(
                FaultKind::Invalid,
                "the key of the mesh is given twice: give the key, or the file with it",
            )),
            (Some(text), _) => bytes32(text, "the key of a mesh").map(Some),
            (None, Some(_)) => Ok(Some(mesh.key()?)),
            (None, None) => Ok(None),
        }
    }

    /// What is only of a network is a mistake of the program where there is none, and is told.
    fn check_memory(&self, has_key: bool) -> Result<(), Fault> {
        let of_a_network = [
            ("listen", self.listen.is_some()),
            ("connect", !self.connect.is_empty()),
            ("routers", !self.routers.is_empty()),
            ("multicast", self.multicast == Some(true)),
            ("plaintext", self.plaintext == Some(true)),
            ("authority", self.authority.is_some()),
            ("certificate", self.certificate.is_some()),
            ("private_key", self.private_key.is_some()),
        ];
        let Some((name, _)) = of_a_network.into_iter().find(|(_, is_given)| *is_given) else {
            return Ok(());
        };
        let what_to_do = if has_key {
            "leave the engine `memory` out"
        } else {
            "give the `key` of the mesh that it is for"
        };
        Err(Fault::new(
            FaultKind::Invalid,
            format!("`{name}` is for a mesh on a network: {what_to_do}"),
        ))
    }
}

fn in_memory(mesh: &MeshConfig, key: Option<&[u8; 32]>) -> Result<MeshBuilder, Fault> {
    let network = key.map_or_else(MemoryNetwork::new, MemoryNetwork::of_key);
    let builder = MeshBuilder::on(Arc::new(network.named(mesh.name.clone())?));
    let builder = match mesh.access_rules()? {
        Some(rules) => builder.access(rules),
        None => builder,
    };
    Ok(match mesh.trusted()? {
        Some(hosts) => builder.trust(hosts),
        None => builder,
    })
}

fn put<T: Clone>(place: &mut Option<T>, said: Option<&T>) {
    if said.is_some() {
        *place = said.cloned();
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
    let refused = |_| {
        Fault::new(
            FaultKind::Invalid,
            format!("{what} is 32 bytes: 64 hexadecimal digits"),
        )
    };
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
            assert_eq!(refused.message, "a key is 32 bytes: 64 hexadecimal digits");
        }
    }

    #[test]
    fn what_is_only_of_a_network_is_refused_where_there_is_none() {
        for option in [
            r#""listen":"127.0.0.1:0""#,
            r#""connect":["127.0.0.1:1"]"#,
            r#""routers":["127.0.0.1:1"]"#,
            r#""multicast":true"#,
            r#""plaintext":true"#,
            r#""authority":"a.pem""#,
            r#""certificate":"n.pem""#,
            r#""private_key":"n.key""#,
        ] {
            let name = option.split('"').nth(1).unwrap();
            let key = format!(r#""key":"{}","#, "0f".repeat(32));
            for (key, what_to_do) in [("", "give the `key`"), (key.as_str(), "leave the engine")] {
                let options = format!(r#"{{{key}"engine":"memory",{option}}}"#);
                let options = NodeOptions::from_json(&options).unwrap();
                let refused = options.mesh(&MeshConfig::default()).unwrap_err();
                assert_eq!(refused.kind, FaultKind::Invalid);
                assert!(refused.message.starts_with(&format!("`{name}`")), "{refused}");
                assert!(refused.message.contains(what_to_do), "{refused}");
            }
        }
    }

    #[test]
    fn options_go_before_the_configuration() {
        let options =
            r#"{"listen":"127.0.0.1:1","multicast":true,"access":{"default":"deny"},"trust":"nobody"}"#;
        let mut mesh = MeshConfig {
            name: Some("of the file".to_owned()),
            listen: Some("127.0.0.1:2".to_owned()),
            connect: vec!["127.0.0.1:3".to_owned()],
            ..MeshConfig::default()
        };
        NodeOptions::from_json(options).unwrap().put_over(&mut mesh);
        let expected = MeshConfig {
            name: Some("of the file".to_owned()),
            listen: Some("127.0.0.1:1".to_owned()),
            connect: vec!["127.0.0.1:3".to_owned()],
            multicast: true,
            access: Some(r#"{"default":"deny"}"#.to_owned()),
            trust: Some(r#""nobody""#.to_owned()),
            ..MeshConfig::default()
        };
        assert_eq!(mesh, expected);
    }

    #[test]
    fn what_is_on_or_off_goes_before_the_configuration_in_both_ways_when_it_is_said() {
        for of_file in [false, true] {
            for (options, expected) in [
                ("{}", of_file),
                (r#"{"multicast":true,"plaintext":true}"#, true),
                (r#"{"multicast":false,"plaintext":false}"#, false),
            ] {
                let mut mesh = MeshConfig {
                    multicast: of_file,
                    plaintext: of_file,
                    ..MeshConfig::default()
                };
                NodeOptions::from_json(options).unwrap().put_over(&mut mesh);
                assert_eq!(
                    (mesh.multicast, mesh.plaintext),
                    (expected, expected),
                    "{options}"
                );
            }
        }
        let off = r#"{"engine":"memory","multicast":false,"plaintext":false}"#;
        let off = NodeOptions::from_json(off).unwrap();
        assert!(
            off.mesh(&MeshConfig::default()).is_ok(),
            "what is off asks for no network"
        );
    }

    #[test]
    fn a_member_that_is_not_known_is_refused_by_its_name() {
        let refused = NodeOptions::from_json(r#"{"nane":"x"}"#).unwrap_err();
        assert_eq!(refused.kind, FaultKind::Invalid);
        assert!(refused.message.contains("nane"), "{}", refused.message);
    }
}
