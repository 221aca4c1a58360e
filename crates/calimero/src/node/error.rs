//! Why a node could not be asked, or what it answered instead.

use crate::execute::ExecuteError;

/// Why a node could not be asked, or what it answered instead. Texts are for the agent and the operator; none holds a
/// token, a password, or the query of a URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NodeError {
    /// No node was found, or several.
    #[error("{0}")]
    Discovery(String),
    /// What was configured cannot be used.
    #[error("{0}")]
    Configuration(String),
    /// No connection, or no answer in time.
    #[error("Cannot reach the node at {url}: {reason}")]
    Unreachable {
        /// The node.
        url: String,
        /// Why.
        reason: String,
    },
    /// The node said no, in words.
    #[error("{message}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// Its words.
        message: String,
    },
    /// The node failed, and its answer is not of the form that it has for failures.
    #[error("HTTP {status} from {url} - {said}")]
    Http {
        /// The HTTP status.
        status: u16,
        /// The URL, without its query.
        url: String,
        /// What the node said, shortened, or that it said nothing.
        said: String,
    },
    /// The node does not accept who asks.
    #[error("{0}")]
    Unauthorized(String),
    /// The application itself said no.
    #[error("{0}")]
    Guest(String),
    /// A typed error of the node's JSON-RPC.
    #[error("{message}")]
    Rpc {
        /// The type of the error.
        kind: String,
        /// What it is about.
        message: String,
    },
    /// The answer is not what this node's interface promises.
    #[error("The node's answer cannot be understood: {0}")]
    Malformed(String),
    /// The node is too old.
    #[error("This node does not support the ABI endpoint; update it, or call methods by name with `call`.")]
    NoAbiEndpoint,
    /// Tokens cannot be kept.
    #[error("the token store cannot be used: {0}")]
    Store(String),
}

impl NodeError {
    /// The HTTP status, where there was an answer.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Refused { status, .. } | Self::Http { status, .. } => Some(*status),
            _ => None,
        }
    }
}

impl From<NodeError> for ExecuteError {
    fn from(error: NodeError) -> Self {
        let text = error.to_string();
        match error {
            NodeError::Guest(message) => Self::Guest(message),
            NodeError::Rpc { kind, message } => Self::Node { kind, message },
            NodeError::Unauthorized(_) => Self::Unauthorized(text),
            NodeError::Unreachable { .. } | NodeError::Discovery(_) => Self::Unreachable(text),
            NodeError::Refused { status: 404, .. } => Self::NotFound(text),
            NodeError::Refused { .. } => Self::Node {
                kind: "refused".to_owned(),
                message: text,
            },
            _ => Self::Node {
                kind: "node_error".to_owned(),
                message: text,
            },
        }
    }
}
