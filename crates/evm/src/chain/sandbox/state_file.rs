//! The state of a sandbox in a file: written whole after each change, and by one process at a time.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read, Write},
    path::{Path, PathBuf},
};

use thiserror::Error;

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

/// A file that this process alone writes, until it is dropped.
#[derive(Debug)]
pub(super) struct StateFile {
    path: PathBuf,
    /// Locked; beside the state, because that is replaced with each change.
    _lock: File,
}

impl StateFile {
    /// Takes the file, and reads it when it is there.
    pub(super) fn open(path: &Path) -> Result<(Self, Option<Saved>), StateError> {
        let lock = locked(path)?;
        let file = Self {
            path: path.to_owned(),
            _lock: lock,
        };
        let saved = file.read()?;
        Ok((file, saved))
    }

    fn read(&self) -> Result<Option<Saved>, StateError> {
        let unreadable = |reason: String| StateError::Unreadable {
            path: self.path.clone(),
            reason,
        };
        let invalid = |reason: String| StateError::Invalid {
            path: self.path.clone(),
            reason,
        };
        let file = match File::open(&self.path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(|error| unreadable(error.to_string()))?,
        };
        let mut bytes = Vec::new();
        let read = file.take(MAX_STATE_BYTES + 1).read_to_end(&mut bytes);
        let count = read.map_err(|error| unreadable(error.to_string()))?;
        if u64::try_from(count).map_or(true, |count| count > MAX_STATE_BYTES) {
            return Err(invalid(format!("it is larger than {MAX_STATE_BYTES} bytes")));
        }
        let saved: Saved = serde_json::from_slice(&bytes)
            .map_err(|error| invalid(format!("line {}, column {}", error.line(), error.column())))?;
        saved.check().map_err(|reason| invalid(reason.to_owned()))?;
        Ok(Some(saved))
    }

    /// Replaces the file in one step: whoever reads it finds the old state or the new one.
    pub(super) fn write(&self, ledger: &Ledger) -> Result<(), StateError> {
        let unwritable = |reason: String| StateError::Unwritable {
            path: self.path.clone(),
            reason,
        };
        let text = serde_json::to_vec(&ledger.to_saved()).map_err(|error| unwritable(error.to_string()))?;
        if u64::try_from(text.len()).map_or(true, |count| count > MAX_STATE_BYTES) {
            return Err(unwritable(format!(
                "the state is larger than {MAX_STATE_BYTES} bytes"
            )));
        }
        let beside = beside(&self.path, "new");
        let written = File::create(&beside)
            .and_then(|mut file| file.write_all(&text).and_then(|()| file.sync_all()))
            .and_then(|()| std::fs::rename(&beside, &self.path));
        written.map_err(|error| unwritable(error.to_string()))
    }
}

fn locked(path: &Path) -> Result<File, StateError> {
    let unwritable = |reason: String| StateError::Unwritable {
        path: path.to_owned(),
        reason,
    };
    let lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(beside(path, "lock"))
        .map_err(|error| unwritable(error.to_string()))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(StateError::Locked {
            path: path.to_owned(),
        }),
        Err(TryLockError::Error(error)) => Err(unwritable(error.to_string())),
    }
}

/// A file beside `path` with another ending behind its own.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}
