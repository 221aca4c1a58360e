//! Why an exchange with an upstream server failed.

use std::time::Duration;

use toolmesh_json::{Value, View};
use toolmesh_tool::{CallError, ClientCapability, HandlerError, SourceError};

use super::limits::shortened;
use crate::jsonrpc::RpcError;

/// The code of an ability that the client did not declare (2026-07-28).
const MISSING_CAPABILITY: i64 = -32021;
/// The code of a revision that is not served (2026-07-28).
pub(super) const UNSUPPORTED_VERSION: i64 = -32022;
/// The code of params that are not valid.
pub(super) const INVALID_PARAMS: i64 = -32602;
/// The code of a resource that is not there (the 2025 revisions).
const RESOURCE_NOT_FOUND: i64 = -32002;

/// When a server that refuses a call does not say when to come back: 1 s.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Why an exchange failed. The texts are for the operator's log and never hold a header, a variable or a whole URL.
#[derive(Debug, thiserror::Error)]
pub(super) enum ClientError {
    #[error("the program `{program}` could not be started: {reason}; check its name and the search path")]
    Start { program: String, reason: std::io::Error },
    #[error("{what} cannot be reached: {reason}")]
    Unreachable { what: String, reason: String },
    #[error("the server wants other credentials (HTTP {0}); set `headers` of this source")]
    Unauthorized(u16),
    #[error("the server answered HTTP {0}, and no MCP message; check the URL")]
    Status(u16),
    #[error("the server limits its callers; it takes the next call in {} ms", .0.as_millis())]
    Limited(Duration),
    #[error("the server broke the protocol: {0}")]
    Protocol(&'static str),
    #[error("the server answered with error {}: {}", .0.code, shortened(&.0.message))]
    Answered(RpcError),
    #[error("the connection to the server ended{0}")]
    Closed(String),
    #[error("the session with the server ended")]
    SessionEnded,
    #[error("the server did not answer in time")]
    TimedOut,
    #[error("the server speaks none of the protocol revisions that are known here")]
    NoRevision,
    #[error("the settings of the source are not valid: {0}")]
    Settings(String),
}

impl ClientError {
    /// The connection is gone, without more to say.
    pub(super) fn closed() -> Self {
        Self::Closed(String::new())
    }

    /// What became of a call: what the server means for its caller is passed on, everything else stays in the log.
    pub(super) fn into_call_error(self) -> CallError {
        match self {
            Self::Answered(error) if error.code == MISSING_CAPABILITY => {
                CallError::MissingCapability(required(error.data.as_ref()))
            }
            // The 2026 revision has no code of its own for what is not there.
            Self::Answered(error) if matches!(error.code, RESOURCE_NOT_FOUND | INVALID_PARAMS) => {
                CallError::NotFound("entry at the upstream server")
            }
            Self::Limited(retry_after) => CallError::RateLimited { retry_after },
            error => CallError::Handler(HandlerError::new(error.to_string())),
        }
    }

    /// What became of the start of the source.
    pub(super) fn into_source_error(self, shown: &str) -> SourceError {
        let text = format!("{shown}: {self}");
        match self {
            Self::Start { .. } => SourceError::Unreadable(text),
            Self::Settings(_) | Self::Unauthorized(_) => SourceError::Configuration(text),
            Self::Protocol(_) | Self::NoRevision => SourceError::Invalid(text),
            _ => SourceError::Unreachable(text),
        }
    }

    /// The wait that an answer of HTTP 429 names in whole seconds.
    pub(super) fn limited(seconds: Option<u64>) -> Self {
        Self::Limited(seconds.map_or(RETRY_AFTER, Duration::from_secs))
    }
}

/// The abilities that a server misses, as its error's `data` tells them.
fn required(data: Option<&Value>) -> Vec<ClientCapability> {
    let Some(wanted) = data.and_then(|data| data.get("requiredCapabilities")) else {
        return Vec::new();
    };
    let mut missing = Vec::new();
    if let Some(elicitation) = wanted.get("elicitation") {
        let url = elicitation.get("url").is_some();
        if url {
            missing.push(ClientCapability::ElicitationUrl);
        }
        if !url || elicitation.get("form").is_some() {
            missing.push(ClientCapability::ElicitationForm);
        }
    }
    if wanted.get("sampling").is_some() {
        missing.push(ClientCapability::Sampling);
    }
    if wanted.get("roots").is_some() {
        missing.push(ClientCapability::Roots);
    }
    let extensions = wanted.get("extensions").and_then(View::as_object);
    for (name, _) in extensions.iter().flat_map(|extensions| extensions.iter()) {
        missing.push(ClientCapability::Extension(name.to_owned()));
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_abilities_are_read_from_the_data_of_the_error() {
        let read = |text: &str| required(Some(&toolmesh_json::parse(text.as_bytes()).expect("JSON")));
        assert_eq!(
            read(r#"{"requiredCapabilities":{"sampling":{},"elicitation":{}}}"#),
            [ClientCapability::ElicitationForm, ClientCapability::Sampling]
        );
        assert_eq!(
            read(r#"{"requiredCapabilities":{"elicitation":{"url":{}},"extensions":{"a/b":{}}}}"#),
            [
                ClientCapability::ElicitationUrl,
                ClientCapability::Extension("a/b".into())
            ]
        );
        assert_eq!(required(None), []);
    }

    #[test]
    fn a_text_of_the_server_is_shown_only_at_its_beginning() {
        let error = ClientError::Answered(RpcError {
            code: -1,
            message: "x".repeat(10_000),
            data: None,
        });
        assert!(error.to_string().len() < 3_000);
    }
}
