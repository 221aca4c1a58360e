//! How serving and calling fail.

use toolmesh_tool::{MountError, ToolBuildError};

use crate::{
    CapabilityError, NodeId,
    engine::EngineError,
    wire::{FrameError, Status},
};

/// Why a mesh could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The address is none.
    #[error("`{0}` is no address; write HOST:PORT, such as 127.0.0.1:0")]
    Address(String),
    /// The address is of a network, and the node has no certificate.
    #[error(
        "listening at {0} without certificates would let everybody on that network join who has the key, with any name; give \
         the node a certificate, listen on loopback, or say that it is meant so (`plaintext`)"
    )]
    Plaintext(std::net::SocketAddr),
    /// Nodes would look for others by multicast, which listens on the network, and the node has no certificate.
    #[error(
        "`multicast` listens on the network, and without certificates everybody there can join who has the key, with any name; \
         give the node a certificate, name others with `connect`, or say that it is meant so (`plaintext`)"
    )]
    PlaintextMulticast,
    /// A router is to let members pass, and has no certificate to tell them by.
    #[error(
        "members of a router are told by their certificates, and it has none: give it `authority`, `certificate` and \
         `private_key`, or leave the members out"
    )]
    MembersWithoutCertificate,
    /// A member of a router has a name that no certificate of a node has.
    #[error("`{0}` is no name of a node with a certificate, so that nothing of this member would pass")]
    Member(String),
    /// The node's name has characters that are not seen, or would make lines in the logs of others.
    #[error(
        "`{0}` is no name of a node: line ends, control characters and characters that are not seen are not for names"
    )]
    Name(String),
    /// There is no runtime to run calls on.
    #[error("a mesh is built within a Tokio runtime")]
    NoRuntime,
    /// There are no random bytes for the node's number.
    #[error("the system gives no random bytes for the node's number")]
    Random,
    /// The toolbox has a source of this name already.
    #[error(transparent)]
    Mount(#[from] MountError),
    /// What the node would tell of itself, or the lists of who may use it, are not allowed.
    #[error(transparent)]
    Capabilities(#[from] CapabilityError),
    /// The node cannot join.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A tool of the toolbox cannot be published.
    #[error(transparent)]
    Serve(#[from] ServeError),
}

/// Why a tool is not served. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The identifier is no tool name, or one of the mesh's own services.
    #[error("invalid service name: {0}")]
    InvalidServiceName(String),
    /// This node serves this version of the tool; it goes on serving it as it is.
    #[error("already serving service `{0}` on this node")]
    AlreadyServing(String),
    /// The descriptor has pricing terms, and nothing here collects a price.
    #[error("tool `{0}` has pricing terms, which this mesh does not enforce; serve it without them")]
    UnenforceablePricing(String),
    /// The descriptor's version is no semantic version.
    #[error("tool `{tool_id}`: `{version}` is no semantic version, such as 1.0.0")]
    Version {
        /// The tool.
        tool_id: String,
        /// The text.
        version: String,
    },
    /// A schema of the descriptor is no JSON.
    #[error("tool `{tool_id}`: the {side} schema is no JSON: {reason}")]
    Schema {
        /// The tool.
        tool_id: String,
        /// `input` or `output`.
        side: &'static str,
        /// Why.
        reason: toolmesh_json::ParseError,
    },
    /// The tool cannot be built from the descriptor.
    #[error(transparent)]
    Build(#[from] ToolBuildError),
    /// The tool does not fit into the toolbox.
    #[error(transparent)]
    Mount(MountError),
    /// What it tells of itself is too large to announce.
    #[error("tool `{0}` tells too much of itself: shorten description, tags and icons")]
    RowTooLarge(String),
    /// It could not be announced.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// Why a node's capabilities are not announced.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnnounceError {
    /// They are not allowed.
    #[error(transparent)]
    Capabilities(#[from] CapabilityError),
    /// The node is not in the mesh.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// Whether a value could not be written or not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodecDirection {
    /// Writing.
    Encode,
    /// Reading.
    Decode,
}

/// Why a call has no result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RpcError {
    /// No node that this one can see serves the tool, meets the predicate and has the version.
    #[error("no route: {reason}")]
    NoRoute {
        /// The node that was meant; 0 when there is none.
        target: u64,
        /// Why.
        reason: String,
    },
    /// The deadline passed.
    #[error("the call took longer than its deadline ({elapsed_ms} ms)")]
    Timeout {
        /// How long it took so far.
        elapsed_ms: u64,
    },
    /// The host answered with a status.
    #[error("the host answered {status:#06x}: {message}")]
    ServerError {
        /// The status; see [`Status`].
        status: u16,
        /// The host's text.
        message: String,
        /// The answer's headers.
        headers: Vec<(String, String)>,
    },
    /// The host said no more before the call had ended: it ended, left the mesh or was cut off, or it was let go because it sent
    /// more than it was granted. What the tool did is not known.
    #[error("node {target:016x}, which ran the call, was lost; whether the tool did its work is not known")]
    HostLost {
        /// The host.
        target: u64,
        /// Whether part of the answer had come: then the handler has run.
        answering: bool,
    },
    /// The way to the host failed.
    #[error("transport: {0}")]
    Transport(String),
    /// A value could not be written or read.
    #[error("{}: {message}", match direction { CodecDirection::Encode => "cannot encode", CodecDirection::Decode => "cannot decode" })]
    Codec {
        /// Which of both.
        direction: CodecDirection,
        /// Why.
        message: String,
    },
    /// The host does not let this node call.
    #[error("node {target:016x} does not allow calling `{capability}`")]
    CapabilityDenied {
        /// The host.
        target: u64,
        /// The tool or service.
        capability: String,
    },
    /// The caller gave up.
    #[error("the call was cancelled")]
    Cancelled,
}

impl RpcError {
    /// The kind, as other languages of the tool mesh name it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NoRoute { .. } => "no_route",
            Self::Timeout { .. } => "timeout",
            Self::ServerError { .. } => "server_error",
            Self::HostLost { .. } => "host_lost",
            Self::Transport(_) => "transport",
            Self::Codec {
                direction: CodecDirection::Encode,
                ..
            } => "codec_encode",
            Self::Codec { .. } => "codec_decode",
            Self::CapabilityDenied { .. } => "capability_denied",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether another try may do better: the host says that no handler has run, or did not answer at all. Of a host that did
    /// not answer it is not known what it did, so the caller must know that the tool is stateless. Never after an answer of a
    /// handler, a bad one too: another try would do its work twice.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::NoRoute { target, .. } => *target != 0,
            Self::HostLost { answering, .. } => !answering,
            Self::Transport(_) => true,
            Self::ServerError { status, .. } => Status::from_code(*status).is_not_run(),
            _ => false,
        }
    }

    /// Whether another host might have done better, or the call was too slow: what counts against a host. What the tool itself
    /// says, and what the caller did, does not.
    pub(crate) fn is_of_host(&self) -> bool {
        match self {
            Self::Timeout { .. } | Self::HostLost { .. } => true,
            Self::ServerError { status, .. } if Status::from_code(*status) == Status::Internal => true,
            error => error.is_transient(),
        }
    }

    pub(crate) fn encode(why: impl std::fmt::Display) -> Self {
        Self::Codec {
            direction: CodecDirection::Encode,
            message: why.to_string(),
        }
    }

    pub(crate) fn decode(why: impl std::fmt::Display) -> Self {
        Self::Codec {
            direction: CodecDirection::Decode,
            message: why.to_string(),
        }
    }

    pub(crate) fn of_engine(error: &EngineError, target: NodeId) -> Self {
        match error {
            EngineError::Closed => Self::Transport(error.to_string()),
            _ => Self::NoRoute {
                target: target.number(),
                reason: error.to_string(),
            },
        }
    }
}

impl From<FrameError> for RpcError {
    /// For frames that are read; those that are written say so themselves.
    fn from(error: FrameError) -> Self {
        Self::decode(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_tried_again_only_where_no_handler_has_run_or_nobody_answered() {
        let said = |status| RpcError::ServerError {
            status,
            message: String::new(),
            headers: Vec::new(),
        };
        let again: Vec<u16> = (0..=u16::MAX)
            .filter(|status| said(*status).is_transient())
            .collect();
        assert_eq!(again, [1, 4, 7]);
        let lost = |answering| RpcError::HostLost { target: 1, answering };
        assert!(lost(false).is_transient() && !lost(true).is_transient());
        let no_route = |target| RpcError::NoRoute {
            target,
            reason: String::new(),
        };
        assert!(no_route(1).is_transient() && !no_route(0).is_transient());
        assert!(RpcError::Transport(String::new()).is_transient());
        for ended in [
            RpcError::Timeout { elapsed_ms: 1 },
            RpcError::Cancelled,
            RpcError::decode("no JSON"),
            RpcError::encode("no JSON"),
        ] {
            assert!(!ended.is_transient(), "{ended}");
        }
    }
}
