//! How things fail, in the one form that every language turns into its own errors.

use std::error::Error;

use toolmesh::{
    assemble::{self, AssembleError, MeshError},
    config::ConfigError,
    mcp::BindError,
    mesh::{AnnounceError, BuildError, CodecDirection, NRPC_TYPED_HANDLER_ERROR, RpcError, ServeError},
    tool::ToolName,
};

/// The status of a host that found the arguments not to fit; see the statuses in `docs/mesh.md`.
const INVALID_ARGUMENTS: u16 = 0x8000;

/// What kind of fault it is. The texts of [`FaultKind::as_str`] and the numbers of [`FaultKind::code`] never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// No node that this one can see serves the tool, meets the predicate and has the version.
    NoRoute,
    /// The deadline passed.
    Timeout,
    /// The caller gave up.
    Cancelled,
    /// The host does not let this node call.
    Denied,
    /// The arguments do not fit the tool's schema.
    InvalidArguments,
    /// The tool itself says no; the message is its own.
    ToolFailed,
    /// The host answered with another status.
    Server,
    /// The way to the host failed.
    Transport,
    /// A text is not the JSON that it has to be.
    Json,
    /// A descriptor, an option or another argument is not allowed.
    Invalid,
    /// This node serves this version of the tool already.
    AlreadyServing,
    /// A source or a configuration cannot be used.
    Configuration,
    /// The node, stream or server is closed.
    Closed,
    /// The system refuses something: threads, an address, a file.
    System,
}

impl FaultKind {
    /// Every kind, in the order of their codes.
    pub const ALL: [Self; 14] = [
        Self::NoRoute,
        Self::Timeout,
        Self::Cancelled,
        Self::Denied,
        Self::InvalidArguments,
        Self::ToolFailed,
        Self::Server,
        Self::Transport,
        Self::Json,
        Self::Invalid,
        Self::AlreadyServing,
        Self::Configuration,
        Self::Closed,
        Self::System,
    ];

    /// The kind as a word, in snake case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoRoute => "no_route",
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
            Self::Denied => "denied",
            Self::InvalidArguments => "invalid_arguments",
            Self::ToolFailed => "tool_failed",
            Self::Server => "server",
            Self::Transport => "transport",
            Self::Json => "json",
            Self::Invalid => "invalid",
            Self::AlreadyServing => "already_serving",
            Self::Configuration => "configuration",
            Self::Closed => "closed",
            Self::System => "system",
        }
    }

    /// The kind as a number for C, from 1; 0 is success there.
    #[must_use]
    pub fn code(self) -> i32 {
        let place = Self::ALL.iter().position(|kind| *kind == self);
        place
            .and_then(|place| i32::try_from(place + 1).ok())
            .unwrap_or(-1)
    }
}

/// Something that failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    /// What kind of fault it is.
    pub kind: FaultKind,
    /// What happened, and what to do, for people.
    pub message: String,
    /// The host's status, when a host answered with one.
    pub status: Option<u16>,
}

impl Fault {
    /// A fault without a status.
    #[must_use]
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            status: None,
        }
    }

    /// A fault with all the reasons that an error has.
    pub(crate) fn because(kind: FaultKind, error: &dyn Error) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(reason) = source {
            // Some errors tell their reason themselves.
            let text = reason.to_string();
            if !message.ends_with(&text) {
                message = format!("{message}: {text}");
            }
            source = reason.source();
        }
        Self::new(kind, message)
    }

    /// Something that had to be JSON of a certain form.
    pub(crate) fn json(what: &str, reason: &dyn Error) -> Self {
        Self::new(FaultKind::Json, format!("{what}: {reason}"))
    }

    pub(crate) fn closed() -> Self {
        Self::new(FaultKind::Closed, "the node is closed")
    }
}

impl From<RpcError> for Fault {
    fn from(error: RpcError) -> Self {
        let text = error.to_string();
        let kind = match &error {
            RpcError::NoRoute { .. } => FaultKind::NoRoute,
            RpcError::Timeout { .. } => FaultKind::Timeout,
            RpcError::ServerError { status, message, .. } => {
                // What the tool says is for its caller, as it is.
                let (kind, message) = match *status {
                    NRPC_TYPED_HANDLER_ERROR => (FaultKind::ToolFailed, message.clone()),
                    INVALID_ARGUMENTS => (FaultKind::InvalidArguments, message.clone()),
                    _ => (FaultKind::Server, text),
                };
                return Self {
                    kind,
                    message,
                    status: Some(*status),
                };
            }
            RpcError::Codec {
                direction: CodecDirection::Encode,
                message,
            } => return Self::new(FaultKind::Invalid, message.clone()),
            RpcError::CapabilityDenied { .. } => FaultKind::Denied,
            RpcError::Cancelled => FaultKind::Cancelled,
            // A host that was lost too: its message says so.
            _ => FaultKind::Transport,
        };
        Self::new(kind, text)
    }
}

impl From<ServeError> for Fault {
    fn from(error: ServeError) -> Self {
        if let ServeError::InvalidServiceName(name) = &error {
            let reason = ToolName::new(name).err().map(|reason| reason.to_string());
            let reason = reason.unwrap_or_else(|| "it is a service of the mesh itself".to_owned());
            return Self::new(
                FaultKind::Invalid,
                format!("a tool cannot be called `{name}`: {reason}"),
            );
        }
        let kind = match error {
            ServeError::AlreadyServing(_) => FaultKind::AlreadyServing,
            ServeError::Engine(_) => FaultKind::Closed,
            _ => FaultKind::Invalid,
        };
        Self::because(kind, &error)
    }
}

impl From<AnnounceError> for Fault {
    fn from(error: AnnounceError) -> Self {
        let kind = match error {
            AnnounceError::Engine(_) => FaultKind::Closed,
            _ => FaultKind::Invalid,
        };
        Self::because(kind, &error)
    }
}

impl From<BuildError> for Fault {
    fn from(error: BuildError) -> Self {
        let kind = match error {
            BuildError::Random => FaultKind::System,
            _ => FaultKind::Invalid,
        };
        Self::because(kind, &error)
    }
}

impl From<AssembleError> for Fault {
    fn from(error: AssembleError) -> Self {
        match error {
            AssembleError::Mesh(error) => Self::from(error),
            _ => Self::because(FaultKind::Configuration, &error),
        }
    }
}

impl From<MeshError> for Fault {
    fn from(error: MeshError) -> Self {
        let kind = match (error.kind(), &error) {
            (assemble::FaultKind::LocalResource, _) => FaultKind::System,
            (assemble::FaultKind::Unreachable, _) => FaultKind::Transport,
            (_, MeshError::Build(_)) => FaultKind::Invalid,
            _ => FaultKind::Configuration,
        };
        Self::because(kind, &error)
    }
}

impl From<BindError> for Fault {
    fn from(error: BindError) -> Self {
        let kind = match error {
            BindError::Address { .. } => FaultKind::System,
            _ => FaultKind::Configuration,
        };
        Self::because(kind, &error)
    }
}

impl From<ConfigError> for Fault {
    fn from(error: ConfigError) -> Self {
        Self::because(FaultKind::Configuration, &error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_word_and_a_number_of_its_own() {
        let words: std::collections::BTreeSet<&str> = FaultKind::ALL.map(FaultKind::as_str).into();
        assert_eq!(words.len(), FaultKind::ALL.len());
        let codes: Vec<i32> = FaultKind::ALL.map(FaultKind::code).into();
        assert_eq!(codes, (1..=14).collect::<Vec<i32>>());
    }

    #[test]
    fn a_reason_that_an_error_tells_itself_is_told_once() {
        #[derive(Debug, thiserror::Error)]
        #[error("no way")]
        struct Reason;
        #[derive(Debug, thiserror::Error)]
        enum Failure {
            #[error("it failed: {0}")]
            Says(#[source] Reason),
            #[error("it failed")]
            Silent(#[source] Reason),
        }
        for failure in [Failure::Says(Reason), Failure::Silent(Reason)] {
            let fault = Fault::because(FaultKind::System, &failure);
            assert_eq!(fault.message, "it failed: no way");
        }
    }

    #[test]
    fn what_a_tool_says_is_passed_on_as_it_is() {
        let said = RpcError::ServerError {
            status: NRPC_TYPED_HANDLER_ERROR,
            message: "no such city".to_owned(),
            headers: Vec::new(),
        };
        let fault = Fault::from(said);
        assert_eq!(
            (fault.kind, fault.message.as_str(), fault.status),
            (FaultKind::ToolFailed, "no such city", Some(0x8001))
        );
    }
}
