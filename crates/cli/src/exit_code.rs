//! How the command ends: a contract that scripts rely on.

use toolmesh::assemble::FaultKind;

/// How the command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum ExitCode {
    /// It did what was asked.
    Done = 0,
    /// The tool said no, an instance failed, or arguments were bad.
    Failed = 1,
    /// The command line or the configuration is wrong.
    Usage = 2,
    /// A source or tool was not found, or is not readable.
    NotFound = 3,
    /// A source is invalid; also a document that was to be checked.
    Invalid = 4,
    /// A remote side cannot be reached.
    Unreachable = 5,
    /// A policy refused, or this build cannot do it.
    Refused = 6,
    /// A local resource is taken: a port, a file.
    LocalResource = 7,
}

impl From<ExitCode> for std::process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code as u8)
    }
}

impl From<FaultKind> for ExitCode {
    fn from(kind: FaultKind) -> Self {
        match kind {
            FaultKind::Configuration => Self::Usage,
            FaultKind::NotFound => Self::NotFound,
            FaultKind::Invalid => Self::Invalid,
            FaultKind::Unreachable => Self::Unreachable,
            FaultKind::Refused => Self::Refused,
            FaultKind::LocalResource => Self::LocalResource,
        }
    }
}
