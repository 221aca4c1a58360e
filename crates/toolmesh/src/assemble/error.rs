//! Why sources could not be put together.

use toolmesh_tool::{MountError, SourceError};

#[cfg(feature = "mesh")]
use super::MeshError;
use super::{Location, PatternError, StateKeyError};
#[cfg(feature = "observe")]
use crate::observe::PagesError;
use crate::{config::ConfigError, observe::AuditError};

/// What an operator does about a failure; the command line's exit codes follow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// Says something else on the command line or in the configuration.
    Configuration,
    /// Looks for the source: it is not there, or cannot be read.
    NotFound,
    /// Repairs the source.
    Invalid,
    /// Frees something of this machine: a port, a file.
    LocalResource,
    /// Looks after the remote side.
    Unreachable,
    /// Asks whoever made the policy, or takes another build.
    Refused,
}

/// Why sources could not be put together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AssembleError {
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A pattern of tool names is wrong.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// A source cannot be read.
    #[error("{location} cannot be read: {reason}")]
    Unreadable {
        /// The source.
        location: Location,
        /// Why not.
        reason: String,
    },
    /// A source was read and is not valid.
    #[error("{location}: {reason}")]
    Invalid {
        /// The source.
        location: Location,
        /// Why not, and what to do.
        reason: String,
    },
    /// A source was read, and breaks rules of its format.
    #[error("{location}: {}", problems.join("; "))]
    Problems {
        /// The source.
        location: Location,
        /// What is wrong, and where.
        problems: Vec<String>,
    },
    /// What a source needs was not said, or is wrong.
    #[error("{location}: {reason}")]
    Configuration {
        /// The source.
        location: Location,
        /// What is missing or wrong, and what to do.
        reason: String,
    },
    /// The remote side of a source cannot be reached.
    #[error("{location}: {reason}")]
    Unreachable {
        /// The source.
        location: Location,
        /// What happened, and what to do.
        reason: String,
    },
    /// This build has no such source.
    #[error("{what} is not in this build; {instead}")]
    NotInThisBuild {
        /// What was asked for.
        what: String,
        /// What to do instead.
        instead: &'static str,
    },
    /// A source did not start.
    #[error("source `{name}`: {error}")]
    Start {
        /// The source.
        name: String,
        /// Why not.
        #[source]
        error: SourceError,
    },
    /// A source found no place in the toolbox.
    #[error(transparent)]
    Mount(#[from] MountError),
    /// A file of this machine is taken, or cannot be written.
    #[error("{0}")]
    LocalResource(String),
    /// The sandbox's state file cannot be read.
    #[error("{0}")]
    StateUnreadable(String),
    /// The sandbox's state file holds something else.
    #[error("{0}")]
    StateInvalid(String),
    /// There is no source.
    #[error("nothing to offer: no source was given")]
    NoSource,
    /// The filters leave no tool.
    #[error("nothing to offer: the filters (include, exclude, read-only) leave none of {total} tools")]
    NothingLeft {
        /// How many there were.
        total: usize,
    },
    /// There are more tools than allowed.
    #[error(
        "{count} tools, but at most {max} are allowed; choose with --include, --exclude or --read-only, or allow more with --max-tools"
    )]
    TooManyTools {
        /// How many there are.
        count: usize,
        /// How many may be.
        max: usize,
    },
    /// The keys that seal the state of calls cannot be used.
    #[error(transparent)]
    StateKeys(#[from] StateKeyError),
    /// The store of tasks cannot be opened.
    #[error("{reason}")]
    TaskStore {
        /// Whether it is on another machine, or may be.
        is_remote: bool,
        /// Why not, and what to do.
        reason: String,
    },
    /// Audit records cannot be written.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// Metrics and health cannot be offered.
    #[cfg(feature = "observe")]
    #[error(transparent)]
    Pages(#[from] PagesError),
    /// The mesh cannot be joined.
    #[cfg(feature = "mesh")]
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// Spans cannot be sent.
    #[cfg(feature = "otlp")]
    #[error(transparent)]
    Traces(#[from] crate::observe::TracesError),
}

impl AssembleError {
    /// What an operator does about it.
    #[must_use]
    pub fn kind(&self) -> FaultKind {
        match self {
            Self::Unreadable { .. } | Self::StateUnreadable(_) => FaultKind::NotFound,
            Self::Invalid { .. } | Self::Problems { .. } | Self::StateInvalid(_) => FaultKind::Invalid,
            Self::LocalResource(_) => FaultKind::LocalResource,
            Self::Unreachable { .. } => FaultKind::Unreachable,
            Self::NotInThisBuild { .. } => FaultKind::Refused,
            Self::Start { error, .. } => source_kind(error),
            Self::TaskStore { is_remote: true, .. } => FaultKind::Unreachable,
            Self::TaskStore { is_remote: false, .. } | Self::Audit(_) => FaultKind::LocalResource,
            #[cfg(feature = "observe")]
            Self::Pages(_) => FaultKind::LocalResource,
            #[cfg(feature = "otlp")]
            Self::Traces(_) => FaultKind::Configuration,
            #[cfg(feature = "mesh")]
            Self::Mesh(error) => error.kind(),
            Self::Config(_)
            | Self::Pattern(_)
            | Self::Configuration { .. }
            | Self::StateKeys(_)
            | Self::Mount(_)
            | Self::NoSource
            | Self::NothingLeft { .. }
            | Self::TooManyTools { .. } => FaultKind::Configuration,
        }
    }
}

fn source_kind(error: &SourceError) -> FaultKind {
    match error {
        SourceError::Unreadable(_) => FaultKind::NotFound,
        SourceError::Invalid(_) => FaultKind::Invalid,
        SourceError::Unreachable(_) => FaultKind::Unreachable,
        SourceError::Refused(_) => FaultKind::Refused,
        _ => FaultKind::Configuration,
    }
}
