//! How a node is found and logged in to.

use std::path::PathBuf;
use std::time::Duration;

use super::NodeError;

/// A text that is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps a text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("..")
    }
}

/// How long a request may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The ports on which nodes usually listen, the likeliest first.
const USUAL_PORTS: [u16; 4] = [2528, 2428, 2529, 2429];

/// How a node is found and logged in to. What is `None` was not said.
#[derive(Clone, Debug)]
pub struct NodeSettings {
    /// The node's URL; nothing is searched then.
    pub url: Option<String>,
    /// The name of the folder of a node's configuration.
    pub name: Option<String>,
    /// The folder with the configurations of nodes.
    pub home: Option<PathBuf>,
    /// The folder of tokens and of the file by which a node hands over its address.
    pub state_dir: Option<PathBuf>,
    /// An access token.
    pub access_token: Option<Secret>,
    /// The refresh token that belongs to it.
    pub refresh_token: Option<Secret>,
    /// A user.
    pub username: Option<String>,
    /// The user's password.
    pub password: Option<Secret>,
    /// Where a node is looked for at last.
    pub probed: Vec<String>,
    /// How long a request may take.
    pub timeout: Duration,
}

impl Default for NodeSettings {
    fn default() -> Self {
        let url = |port| format!("http://localhost:{port}");
        Self {
            url: None,
            name: None,
            home: None,
            state_dir: None,
            access_token: None,
            refresh_token: None,
            username: None,
            password: None,
            probed: USUAL_PORTS.into_iter().map(url).collect(),
            timeout: TIMEOUT,
        }
    }
}

impl NodeSettings {
    /// Reads the variables of the environment: `CALIMERO_NODE_URL`, `_NODE_NAME`, `_NODE_HOME`, `_AUTH_TOKEN`,
    /// `_REFRESH_TOKEN`, `_USERNAME`, `_PASSWORD`, `_PASSWORD_FILE`, `_MCP_STATE_DIR`, and `HOME`. Values are trimmed; an
    /// empty one is none.
    ///
    /// # Errors
    /// [`NodeError::Configuration`] when the password's file cannot be read, or a password has no user.
    pub fn from_variables(get: impl Fn(&str) -> Option<String>) -> Result<Self, NodeError> {
        let variable = |name: &str| {
            let text = get(name)?.trim().to_owned();
            (!text.is_empty()).then_some(text)
        };
        let below_home = |path: &str| variable("HOME").map(|home| PathBuf::from(home).join(path));
        let path =
            |name: &str, default: &str| variable(name).map(PathBuf::from).or_else(|| below_home(default));
        let password = match (variable("CALIMERO_PASSWORD"), variable("CALIMERO_PASSWORD_FILE")) {
            (Some(password), _) => Some(Secret::new(password)),
            (None, Some(file)) => Some(password_in(&file)?),
            (None, None) => None,
        };
        Ok(Self {
            url: variable("CALIMERO_NODE_URL"),
            name: variable("CALIMERO_NODE_NAME"),
            home: path("CALIMERO_NODE_HOME", ".calimero"),
            state_dir: path("CALIMERO_MCP_STATE_DIR", ".config/calimero/mcp"),
            access_token: variable("CALIMERO_AUTH_TOKEN").map(Secret::new),
            refresh_token: variable("CALIMERO_REFRESH_TOKEN").map(Secret::new),
            username: variable("CALIMERO_USERNAME"),
            password,
            ..Self::default()
        })
    }
}

fn password_in(file: &str) -> Result<Secret, NodeError> {
    let text = std::fs::read_to_string(file).map_err(|error| {
        NodeError::Configuration(format!("CALIMERO_PASSWORD_FILE cannot be read: {error}"))
    })?;
    Ok(Secret::new(text.trim()))
}
