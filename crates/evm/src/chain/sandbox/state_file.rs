//! The state of a sandbox in a file: written whole after each change, and by one process at a time.

use std::path::{Path, PathBuf};

use thiserror::Error;
use toolmesh_tool::{KeptFile, KeptFileError};

use super::{ledger::Ledger, saved::Saved};

/// The largest state that is read or written, in bytes: the storage of tens of thousands of accounts.
pub const MAX_STATE_BYTES: u64 = 64 << 20;

/// Why a sandbox's state cannot be kept in a file.
#[derive(Debug, Error)]
pub enum StateError {
    /// Another process has it.
    #[error("the state file {path} is used by another process; end that, or take another file")]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// It cannot be read.
    #[error("the state file {path} cannot be read: {reason}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// It cannot be written.
    #[error("the state file {path} cannot be written: {reason}")]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// It holds something else.
    #[error(
        "{path} is no state file of a sandbox ({reason}); move it away to begin a new chain, or take another file"
    )]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl From<KeptFileError> for StateError {
    fn from(error: KeptFileError) -> Self {
        match error {
            KeptFileError::Locked { path } => Self::Locked { path },
            KeptFileError::Unreadable { path, reason } => Self::Unreadable { path, reason },
            KeptFileError::TooLarge { path, max } => Self::Invalid {
                path,
                reason: format!("it is larger than {max} bytes"),
            },
            KeptFileError::Unwritable { path, reason } => Self::Unwritable { path, reason },
        }
    }
}

/// A file that this process alone writes, until it is dropped.
#[derive(Debug)]
pub(super) struct StateFile(KeptFile);

impl StateFile {
    /// Takes the file, and reads it when it is there.
    pub(super) fn open(path: &Path) -> Result<(Self, Option<Saved>), StateError> {
        let file = Self(KeptFile::open(path, MAX_STATE_BYTES)?);
        let saved = file.read()?;
        Ok((file, saved))
    }

    fn read(&self) -> Result<Option<Saved>, StateError> {
        let invalid = |reason: String| StateError::Invalid {
            path: self.0.path().to_owned(),
            reason,
        };
        let Some(bytes) = self.0.read()? else {
            return Ok(None);
        };
        let saved: Saved = serde_json::from_slice(&bytes)
            .map_err(|error| invalid(format!("line {}, column {}", error.line(), error.column())))?;
        saved.check().map_err(|reason| invalid(reason.to_owned()))?;
        Ok(Some(saved))
    }

    /// Replaces the file in one step: whoever reads it finds the old state or the new one.
    pub(super) fn write(&self, ledger: &Ledger) -> Result<(), StateError> {
        let unwritable = |reason: String| StateError::Unwritable {
            path: self.0.path().to_owned(),
            reason,
        };
        let text = serde_json::to_vec(&ledger.to_saved()).map_err(|error| unwritable(error.to_string()))?;
        match self.0.write(&text) {
            Err(KeptFileError::TooLarge { max, .. }) => {
                Err(unwritable(format!("the state is larger than {max} bytes")))
            }
            written => Ok(written?),
        }
    }
}
