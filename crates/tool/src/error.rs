//! Every way a call can fail.

use std::time::Duration;

use crate::{ClientCapability, ToolResult};

/// Why a call failed. A front maps each kind to its protocol's code, status, and fixed text; the texts here are for
/// the operator's log and for people at the command line, never for a stranger.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// Admission refused the caller.
    #[error("admission refused the call: {0}")]
    AdmissionRefused(AdmissionRefusal),
    /// There is no such tool, or the caller may not see it.
    #[error("there is no such tool")]
    UnknownTool,
    /// There is no such resource, prompt, or completion target, or the caller may not see it.
    #[error("there is no such {0}")]
    NotFound(&'static str),
    /// The front's own check of the found tool refused.
    #[error("the front refused the call: {0}")]
    FrontRefused(FrontRefusal),
    /// The tool needs client abilities that the client did not declare.
    #[error("the client lacks {0:?}")]
    MissingCapability(Vec<ClientCapability>),
    /// A rate limiter refused.
    #[error("rate limited; try again in {} ms", retry_after.as_millis())]
    RateLimited {
        /// When a next try may pass.
        retry_after: Duration,
    },
    /// All slots and all places in the queue are taken.
    #[error("too many calls are under way and waiting")]
    QueueFull,
    /// The deadline passed.
    #[error("the deadline passed {}", if *.running { "while the tool ran" } else { "before the tool could start" })]
    DeadlineExceeded {
        /// The handler had already started.
        running: bool,
    },
    /// The caller cancelled the call.
    #[error("the call was cancelled")]
    Cancelled,
    /// A policy refused (confirmation declined, read-only, not allowed).
    #[error("refused by policy: {0}")]
    PolicyRefused(String),
    /// The arguments do not fit; the result is the tool error that explains it as far as the tool allows.
    #[error("arguments do not match the tool's input schema")]
    InvalidArguments(Box<ToolResult>),
    /// Something must be asked of the client, and the front cannot ask.
    #[error("the tool needs input that this client cannot give")]
    InputUnavailable,
    /// The state that came with the call is not one that was given for it. It never says why.
    #[error("the request state is not valid")]
    RefusedState,
    /// State cannot be sealed or opened: there are no random bytes.
    #[error("request state cannot be protected now")]
    StateUnavailable,
    /// The result breaks the tool's own output schema or the output limits.
    #[error("the tool's result is not acceptable: {0}")]
    InvalidOutput(String),
    /// What runs the tool elsewhere cannot be reached, so it was not run.
    #[error("{0}")]
    Unreachable(String),
    /// What runs the tool elsewhere was lost during the call: what the tool did is not known.
    #[error("{0}")]
    HostLost(String),
    /// The handler failed.
    #[error("the tool failed: {0}")]
    Handler(#[from] HandlerError),
    /// A fault of the framework.
    #[error("internal error: {0}")]
    Internal(String),
}

impl CallError {
    /// The stable code of this failure in a [`crate::ToolEvent::Error`] and in metrics.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::AdmissionRefused(_) => "admission_refused",
            Self::UnknownTool => "unknown_tool",
            Self::NotFound(_) => "not_found",
            Self::FrontRefused(_) => "front_refused",
            Self::MissingCapability(_) => "missing_capability",
            Self::RateLimited { .. } => "rate_limited",
            Self::QueueFull => "queue_full",
            Self::DeadlineExceeded { .. } => "deadline_exceeded",
            Self::Cancelled => "cancelled",
            Self::PolicyRefused(_) => "policy_refused",
            Self::InvalidArguments(_) => "invalid_arguments",
            Self::InputUnavailable => "input_unavailable",
            Self::RefusedState => "refused_state",
            Self::StateUnavailable => "state_unavailable",
            Self::InvalidOutput(_) => "invalid_output",
            Self::Unreachable(_) => "unreachable",
            Self::HostLost(_) => "host_lost",
            Self::Handler(_) => "handler_error",
            Self::Internal(_) => "internal",
        }
    }
}

impl CallError {
    /// What may be told to whoever called: a fixed sentence, or the tool's own explanation of its arguments.
    #[must_use]
    pub fn public_text(&self) -> String {
        let fixed = match self {
            Self::InvalidArguments(result) => return result.joined_text(),
            Self::AdmissionRefused(_) => "The call is not allowed.",
            Self::UnknownTool => "Unknown tool.",
            Self::NotFound(_) => "Not found.",
            Self::FrontRefused(_) => "The request is not valid.",
            Self::MissingCapability(_) => "The client lacks a capability that the tool needs.",
            Self::RateLimited { .. } => "Too many requests.",
            Self::QueueFull => "Too many calls are under way.",
            Self::DeadlineExceeded { .. } => "The deadline passed.",
            Self::Cancelled => "The call was cancelled.",
            Self::PolicyRefused(_) => "Refused by policy.",
            Self::InputUnavailable => "The tool needs input that this client cannot give.",
            Self::RefusedState => "The request state is not valid.",
            Self::StateUnavailable => "The server is busy.",
            Self::Unreachable(_) => "What runs the tool cannot be reached.",
            Self::HostLost(_) => "What ran the tool was lost during the call.",
            Self::InvalidOutput(_) | Self::Handler(_) | Self::Internal(_) => "The tool failed.",
        };
        fixed.to_owned()
    }
}

/// An admission decision against a caller, with what a front may pass on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct AdmissionRefusal {
    /// Whether the caller is unknown (`false`: known, but not allowed).
    pub unauthenticated: bool,
    /// Why, for the log.
    pub reason: String,
}

/// The front's own reason to refuse a call of a tool that exists (mirrored headers, state shape).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct FrontRefusal {
    /// The front's own key for its table of failures.
    pub key: &'static str,
    /// Why, for the log.
    pub reason: String,
}

/// A handler's own failure that is no tool error: the agent learns only that it failed.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct HandlerError {
    message: String,
    #[source]
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl HandlerError {
    /// A failure told by a sentence for the log.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            source: None,
        }
    }

    /// A failure caused by another error.
    pub fn from_error(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self {
            message: error.to_string(),
            source: Some(Box::new(error)),
        }
    }
}

impl From<crate::TaskStoreError> for CallError {
    /// For handlers that write checkpoints: what a task store refuses is the handler's failure.
    fn from(error: crate::TaskStoreError) -> Self {
        Self::Handler(HandlerError::from_error(error))
    }
}
