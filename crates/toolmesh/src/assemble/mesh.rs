//! This program as a node of a mesh.

use std::path::Path;

use hex::FromHex;
use toolmesh_mesh::{
    AccessRules, AccessRulesError, AllowList, Alone, BuildError, CredentialPart, Credentials,
    CredentialsError, CredentialsFault, EngineError, Mesh, MeshBuilder, MeshRouter, MeshRouterBuilder,
};
use toolmesh_tool::{Catalogue, Dispatcher, Toolbox};

use super::{FaultKind, Location, rules::RulesWatch};
use crate::{
    config::{Config, MeshConfig},
    read,
};

/// Where a node listens that was not told: at a free port of this machine alone.
const LISTEN: &str = "127.0.0.1:0";

/// Largest file with a key, in bytes: 64 digits and some white space around them.
const MAX_KEY_FILE_BYTES: u64 = 1_024;

/// Why this program is not in the mesh.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// Nothing says which mesh.
    #[error(
        "there is no key of a mesh: say where it is with `key_file` in [mesh] (TOOLMESH_MESH_KEY_FILE); `toolmesh mesh keys` makes one"
    )]
    NoKey,
    /// The file of the key cannot be read.
    #[error(
        "the mesh's key cannot be read from {file}: {reason}; say where it is with `key_file` in [mesh] \
         (TOOLMESH_MESH_KEY_FILE)"
    )]
    KeyFile {
        /// Which file.
        file: String,
        /// Why not.
        reason: String,
    },
    /// What is in the file is no key.
    #[error(
        "{file} does not hold a mesh's key, which is 64 hexadecimal digits and the same for all nodes; `toolmesh mesh keys` makes \
         one (mesh.key)"
    )]
    Key {
        /// Which file.
        file: String,
    },
    /// What is in the file is a key that everybody knows.
    #[error(
        "the key in {file} is zeros alone, which everybody can guess: whoever has the key is in the mesh; `toolmesh mesh keys` makes \
         one (mesh.key)"
    )]
    KnownKey {
        /// Which file.
        file: String,
    },
    /// A certificate is given in part.
    #[error(
        "a node with a certificate needs all three: `authority`, `certificate` and `private_key` (in [mesh], or as options of the node)"
    )]
    Incomplete,
    /// The certificate cannot be used.
    #[error("{error}{advice}", error = .0, advice = advice(.0))]
    Credentials(#[from] CredentialsError),
    /// Who may do what is not understood.
    #[error("`access` in [mesh]: {0}")]
    Access(#[from] AccessRulesError),
    /// Whom to trust is not understood.
    #[error("`trust` in [mesh]: {}: write {}", .0.place, .0.expected)]
    Trust(AccessRulesError),
    /// The node has joined, and the mesh cannot be reached.
    #[error("the mesh cannot be reached: {0}")]
    Unreachable(Alone),
    /// The node cannot join.
    #[error(transparent)]
    Build(#[from] BuildError),
}

impl MeshError {
    /// Whether a node sees others, or could: for programs that do not wait for them.
    ///
    /// # Errors
    /// [`MeshError::Unreachable`] with the reason for each place.
    pub fn of_alone(mesh: &Mesh) -> Result<(), Self> {
        match mesh.alone() {
            Some(alone) if alone.is_unreachable() => Err(Self::Unreachable(alone)),
            _ => Ok(()),
        }
    }

    /// What an operator does about it.
    #[must_use]
    pub fn kind(&self) -> FaultKind {
        match self {
            Self::KeyFile { .. } => FaultKind::NotFound,
            Self::Credentials(error) => match error.fault() {
                CredentialsFault::Missing | CredentialsFault::Read(_) => FaultKind::NotFound,
                _ => FaultKind::Configuration,
            },
            Self::Build(BuildError::Engine(
                EngineError::Network(_) | EngineError::Listen { .. } | EngineError::Twin(_),
            )) => FaultKind::LocalResource,
            Self::Unreachable(_) | Self::Build(BuildError::Engine(EngineError::NoRouter(_))) => {
                FaultKind::Unreachable
            }
            Self::NoKey
            | Self::Key { .. }
            | Self::KnownKey { .. }
            | Self::Incomplete
            | Self::Access(_)
            | Self::Trust(_)
            | Self::Build(_) => FaultKind::Configuration,
        }
    }
}

/// What to do when other nodes are there and `trust` has none of them; `None` when it has one, or none is there.
#[must_use]
pub fn trusts_nobody(mesh: &Mesh) -> Option<String> {
    let untrusted = mesh.untrusted();
    let trusts_one = mesh.nodes().iter().any(|seen| seen.node != mesh.node_id());
    if untrusted == 0 || trusts_one {
        return None;
    }
    let who = match untrusted {
        1 => "another node is".to_owned(),
        others => format!("{others} other nodes are"),
    };
    Some(format!(
        "{who} in the mesh, and `trust` in [mesh] lets this one see the tools of none; \
         `TOOLMESH_MESH_TRUST='\"everybody\"' toolmesh mesh nodes` shows their names"
    ))
}

/// What to do about a part that is not there, or has to be made again.
fn advice(error: &CredentialsError) -> &'static str {
    match (error.fault(), error.part()) {
        (CredentialsFault::Missing, CredentialPart::Authority) => {
            "; say where it is with `authority` in [mesh] (TOOLMESH_MESH_AUTHORITY); `toolmesh mesh keys` makes one"
        }
        (CredentialsFault::Missing, CredentialPart::Certificate) => {
            "; say where it is with `certificate` in [mesh] (TOOLMESH_MESH_CERTIFICATE); `toolmesh mesh keys FOLDER --node NAME` \
             makes one"
        }
        (CredentialsFault::Missing, _) => {
            "; say where it is with `private_key` in [mesh] (TOOLMESH_MESH_PRIVATE_KEY); it was made with the certificate"
        }
        (CredentialsFault::Expired(_), CredentialPart::Authority) => {
            "; every node needs a certificate of the new one: `toolmesh mesh keys FOLDER --node NAME` makes both in a new folder"
        }
        (CredentialsFault::Expired(_), _) => {
            "; `toolmesh mesh keys FOLDER --node NAME` makes one when the old certificate and its key are moved away"
        }
        _ => "",
    }
}

impl MeshConfig {
    /// A node as the configuration says.
    ///
    /// # Errors
    /// [`MeshError`] when something is missing or cannot be used.
    pub fn node(&self) -> Result<MeshBuilder, MeshError> {
        self.node_of(&self.key()?)
    }

    /// A node as the configuration says, of the mesh with a key that the program has already.
    ///
    /// # Errors
    /// [`MeshError`] when something cannot be used.
    pub fn node_of(&self, key: &[u8; 32]) -> Result<MeshBuilder, MeshError> {
        let mut builder = MeshBuilder::new(self.listen.as_deref().unwrap_or(LISTEN), key)?;
        for place in &self.connect {
            builder = builder.connect(place)?;
        }
        for place in &self.routers {
            builder = builder.router(place)?;
        }
        if let Some(name) = &self.name {
            builder = builder.name(name);
        }
        if let Some(rules) = self.access_rules()? {
            builder = builder.access(rules);
        }
        if let Some(hosts) = self.trusted()? {
            builder = builder.trust(hosts);
        }
        if self.multicast {
            builder = builder.multicast();
        }
        if self.plaintext {
            builder = builder.plaintext();
        }
        Ok(match self.credentials()? {
            Some(credentials) => builder.credentials(credentials),
            None => builder,
        })
    }

    /// A router for the mesh of the configuration.
    ///
    /// # Errors
    /// [`MeshError`] when something is missing or cannot be used.
    pub fn router(&self, listen: &str) -> Result<MeshRouterBuilder, MeshError> {
        let mut builder = MeshRouter::builder(listen)?.mesh(&self.key()?);
        // One configuration may serve the router and its nodes alike: a router does not connect to itself.
        for place in self.connect.iter().chain(&self.routers) {
            builder = builder.connect(place)?;
        }
        if self.plaintext {
            builder = builder.plaintext();
        }
        Ok(match self.credentials()? {
            Some(credentials) => builder.credentials(credentials),
            None => builder,
        })
    }

    /// The secrets that others on this machine may read, each with its key in [mesh].
    pub(crate) fn secrets_open_to_others(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let secrets = [("key_file", &self.key_file), ("private_key", &self.private_key)];
        let files = secrets
            .into_iter()
            .filter_map(|(key, file)| Some((key, file.as_deref()?)));
        files.filter(|(_, file)| read::is_open_to_others(file))
    }

    /// Warns of secrets that others on this machine may read: they are not refused, since a container may know better.
    pub fn warn_of_open_secrets(&self) {
        for (key, file) in self.secrets_open_to_others() {
            tracing::warn!(
                "others on this machine may read {}, the {key} of [mesh]; take their permissions away (chmod 600)",
                file.display()
            );
        }
    }

    /// Who may see and call what, when the configuration says so.
    ///
    /// # Errors
    /// [`MeshError::Access`] when the document is not understood.
    pub fn access_rules(&self) -> Result<Option<AccessRules>, MeshError> {
        let rules = self.access.as_deref().map(AccessRules::parse);
        Ok(rules.transpose()?)
    }

    /// Whose tools are seen and called, when the configuration says so.
    ///
    /// # Errors
    /// [`MeshError::Trust`] when the list is not understood, or has clients in it.
    pub fn trusted(&self) -> Result<Option<AllowList>, MeshError> {
        let list = self.trust.as_deref().map(AllowList::parse_nodes);
        list.transpose().map_err(MeshError::Trust)
    }

    /// Which of `access` and `trust` have nodes by their names, where no certificate proves them: whoever has the key of the
    /// mesh takes any name.
    #[must_use]
    pub fn unproven_names(&self) -> Vec<&'static str> {
        let in_access = self
            .access_rules()
            .ok()
            .flatten()
            .is_some_and(|rules| rules.has_names());
        let in_trust = self.trusted().ok().flatten().is_some_and(|list| list.has_names());
        let found = [("access", in_access), ("trust", in_trust)];
        let unproven = found
            .into_iter()
            .filter(|(_, has)| *has && self.certificate.is_none());
        unproven.map(|(key, _)| key).collect()
    }

    /// The names and patterns in `access` that fit no tool of the catalogue: the tools that they were meant for are open.
    #[must_use]
    pub fn rules_without_a_tool(&self, catalogue: &Catalogue) -> Vec<String> {
        let rules = self.access_rules().ok().flatten().unwrap_or_default();
        let names = rules.without_a_tool(catalogue).into_iter();
        names.map(str::to_owned).collect()
    }

    /// Warns of rules that protect nothing, now and when they stop fitting a tool, until what is returned is dropped.
    pub(super) fn watch_rules(&self, toolbox: &Toolbox, serves_later: bool) -> Option<RulesWatch> {
        let rules = self.access_rules().ok().flatten()?;
        Some(RulesWatch::start(rules, toolbox, serves_later, |rule| {
            tracing::warn!(
                rule,
                "a rule in `access` of [mesh] fits no tool, so it protects nothing; `toolmesh tools` shows the names"
            );
        }))
    }

    /// The 32 bytes of the mesh's key, from its file.
    ///
    /// # Errors
    /// [`MeshError::NoKey`], or [`MeshError::KeyFile`] when it cannot be read.
    pub fn key(&self) -> Result<[u8; 32], MeshError> {
        let path = self.key_file.as_deref().ok_or(MeshError::NoKey)?;
        let wrong = |reason: String| MeshError::KeyFile {
            file: path.display().to_string(),
            reason,
        };
        let bytes = read::plain_file(path, MAX_KEY_FILE_BYTES).map_err(|error| wrong(error.to_string()))?;
        let text = String::from_utf8_lossy(&bytes);
        let file = path.display().to_string();
        match key(text.trim()) {
            None => Err(MeshError::Key { file }),
            Some(key) if key == [0; 32] => Err(MeshError::KnownKey { file }),
            Some(key) => Ok(key),
        }
    }

    /// A word about a certificate that ends within 14 days, as the node itself logs it while it runs.
    ///
    /// # Errors
    /// [`MeshError`] when there is one and it cannot be used.
    pub(crate) fn ends_soon(&self) -> Result<Option<String>, MeshError> {
        Ok(self
            .credentials()?
            .and_then(|credentials| credentials.ends_soon()))
    }

    /// Whether everybody on a network may join who has the key, with any name.
    pub(crate) fn is_open_to_a_network(&self) -> bool {
        let listen = self.listen.as_deref().unwrap_or(LISTEN);
        let address = listen.parse::<std::net::SocketAddr>();
        let is_loopback = address.is_ok_and(|address| address.ip().is_loopback());
        self.plaintext && self.certificate.is_none() && !is_loopback
    }

    fn credentials(&self) -> Result<Option<Credentials>, MeshError> {
        let parts: [Option<&Path>; 3] = [
            self.authority.as_deref(),
            self.certificate.as_deref(),
            self.private_key.as_deref(),
        ];
        match parts {
            [None, None, None] => Ok(None),
            [Some(authority), Some(certificate), Some(key)] => {
                Ok(Some(Credentials::read(authority, certificate, key)?))
            }
            _ => Err(MeshError::Incomplete),
        }
    }
}

/// Joins the mesh as the node that a program has described, or as the configuration says when tools come from there or those
/// of the dispatcher are offered there.
pub(super) async fn start(
    config: &Config,
    own: Option<MeshBuilder>,
    publishes: Option<&Dispatcher>,
) -> Result<Option<Mesh>, MeshError> {
    let comes_from_there = config
        .sources
        .iter()
        .any(|source| source.location == Location::Mesh);
    if own.is_none() && !comes_from_there && publishes.is_none() {
        return Ok(None);
    }
    config.mesh.warn_of_open_secrets();
    let builder = match own {
        Some(own) => own,
        None => config.mesh.node()?,
    };
    let builder = match publishes {
        Some(dispatcher) => builder.dispatcher(dispatcher.clone()),
        None => builder,
    };
    Ok(Some(builder.build().await?))
}

fn key(digits: &str) -> Option<[u8; 32]> {
    FromHex::from_hex(digits).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_sixty_four_hexadecimal_digits() {
        assert_eq!(key(&"0a".repeat(32)), Some([10; 32]));
        for wrong in [
            "",
            &"0a".repeat(31),
            &"0a".repeat(33),
            &"0g".repeat(32),
            &"+1".repeat(32),
        ] {
            assert_eq!(key(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn only_nodes_are_trusted() {
        let trusted = |text: &str| {
            let config = MeshConfig {
                trust: Some(text.to_owned()),
                ..MeshConfig::default()
            };
            config.trusted()
        };
        assert!(trusted(r#"{"names":["a"]}"#).is_ok());
        for wrong in [r#"{"clients":["a"]}"#, r#"{"any_client":true}"#] {
            let error = trusted(wrong).unwrap_err().to_string();
            assert!(
                error.starts_with("`trust` in [mesh]: ") && error.contains("no clients"),
                "{error}"
            );
        }
    }

    #[test]
    fn what_is_missing_is_said() {
        let mut config = MeshConfig::default();
        assert!(matches!(config.node().unwrap_err(), MeshError::NoKey));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mesh.key");
        config.key_file = Some(file.clone());
        assert_eq!(config.node().unwrap_err().kind(), FaultKind::NotFound);
        std::fs::write(&file, "short").unwrap();
        assert!(
            config
                .node()
                .unwrap_err()
                .to_string()
                .contains("64 hexadecimal digits")
        );
        std::fs::write(&file, "0".repeat(64)).unwrap();
        let error = config.node().unwrap_err();
        assert!(matches!(error, MeshError::KnownKey { .. }), "{error}");
        std::fs::write(&file, format!("{}\n", "0a".repeat(32))).unwrap();
        assert!(config.node().is_ok());
        config.certificate = Some("node.pem".into());
        assert!(matches!(config.node().unwrap_err(), MeshError::Incomplete));
        config.certificate = None;
        config.connect = vec!["nowhere".into()];
        assert_eq!(config.node().unwrap_err().kind(), FaultKind::Configuration);
    }
}
