//! Every way in which this server refuses or fails a message, before it has a code.

use toolmesh_tool::CallError;

use super::Method;

/// A failure. Its code, HTTP status and text stand in the table of the revision that answers ([`super::Revision`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(Hash))]
pub(crate) enum Failure {
    /// The bytes are not JSON within the limits.
    Parse,
    /// The JSON is no single JSON-RPC 2.0 message, or one that may not come here.
    InvalidRequest,
    /// A header is missing, malformed, double, or says other than the body.
    HeaderMismatch,
    /// The client did not declare what the tool needs.
    MissingCapability,
    /// The revision that was asked for is not served.
    UnsupportedVersion,
    /// The revision has no such method.
    UnknownMethod,
    /// The params are not what the method takes.
    InvalidParams,
    /// A list's cursor is not one that this server gave for this catalogue.
    InvalidCursor,
    /// The arguments do not fit the tool's input schema, in a revision where that is a protocol error.
    InvalidArguments,
    /// There is no such tool, or the caller may not see it.
    UnknownTool,
    /// There is no such prompt, or the caller may not see it.
    UnknownPrompt,
    /// There is no such resource, or the caller may not see it.
    UnknownResource,
    /// There is no such task, it is another caller's, or it is forgotten.
    UnknownTask,
    /// There is no such session, or it is over.
    UnknownSession,
    /// A header claims to mirror an argument that the tool does not mirror, where the endpoint refuses that.
    UnknownParameterHeader,
    /// What the operation gave cannot be sent: its output schema, the limits, or the revision forbids it.
    UnusableOutput,
    /// The operation needs input from the client, and this revision or front cannot ask for it.
    InputUnavailable,
    /// The operation itself failed.
    OperationFailed,
    /// A fault of this server.
    Internal,
    /// A policy refused the call.
    PolicyRefused,
    /// Admission does not know the caller.
    Unauthenticated,
    /// Admission knows the caller and refuses.
    Forbidden,
    /// A rate limiter refused.
    RateLimited,
    /// Too many calls run and wait.
    QueueFull,
    /// The deadline passed before the call could start.
    DeadlineWaiting,
    /// The deadline passed while the call ran.
    DeadlineRunning,
    /// The state between two rounds of a call cannot be sealed or opened now.
    StateUnavailable,
    /// The call was cancelled by other than its client: the server ends.
    Cancelled,
}

/// The key of the refusal of a header that mirrors nothing ([`toolmesh_tool::FrontRefusal::key`]).
pub(crate) const UNKNOWN_PARAMETER_HEADER: &str = "unknown_parameter_header";

/// The key of the refusal of a tool that the revision does not know.
pub(crate) const NOT_OFFERED: &str = "not_offered";

/// How a revision tells a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Declared {
    /// The JSON-RPC error code.
    pub(crate) code: i32,
    /// The HTTP status.
    pub(crate) status: u16,
    /// The fixed message.
    pub(crate) text: &'static str,
}

/// A row of a table.
pub(super) const fn declared(code: i32, status: u16, text: &'static str) -> Declared {
    Declared { code, status, text }
}

impl Failure {
    /// The failure that `error` is, for an operation asked for by `method`.
    pub(crate) fn of(error: &CallError, method: Method) -> Self {
        match error {
            CallError::AdmissionRefused(refusal) if refusal.unauthenticated => Self::Unauthenticated,
            CallError::AdmissionRefused(_) => Self::Forbidden,
            CallError::UnknownTool => Self::UnknownTool,
            CallError::NotFound(_) => Self::not_found(method),
            CallError::FrontRefused(refusal) if refusal.key == UNKNOWN_PARAMETER_HEADER => {
                Self::UnknownParameterHeader
            }
            CallError::FrontRefused(refusal) if refusal.key == NOT_OFFERED => Self::UnknownTool,
            CallError::FrontRefused(_) => Self::HeaderMismatch,
            CallError::MissingCapability(_) => Self::MissingCapability,
            CallError::RateLimited { .. } => Self::RateLimited,
            CallError::QueueFull => Self::QueueFull,
            CallError::DeadlineExceeded { running: false } => Self::DeadlineWaiting,
            CallError::DeadlineExceeded { running: true } => Self::DeadlineRunning,
            CallError::Cancelled => Self::Cancelled,
            CallError::PolicyRefused(_) => Self::PolicyRefused,
            CallError::InvalidArguments(_) if method == Method::CallTool => Self::InvalidArguments,
            CallError::InvalidArguments(_) => Self::InvalidParams,
            // One answer for every fault of a state: it never says why.
            CallError::RefusedState => Self::InvalidParams,
            CallError::StateUnavailable => Self::StateUnavailable,
            CallError::InputUnavailable => Self::InputUnavailable,
            CallError::InvalidOutput(_) => Self::UnusableOutput,
            CallError::Unreachable(_) | CallError::HostLost(_) | CallError::Handler(_) => {
                Self::OperationFailed
            }
            _ => Self::Internal,
        }
    }

    fn not_found(method: Method) -> Self {
        match method {
            Method::ReadResource | Method::Subscribe => Self::UnknownResource,
            Method::GetPrompt => Self::UnknownPrompt,
            Method::CallTool => Self::UnknownTool,
            Method::GetTask | Method::UpdateTask | Method::CancelTask => Self::UnknownTask,
            _ => Self::InvalidParams,
        }
    }
}
