//! A file that keeps the state of something: one process alone has it, and it is replaced in one step.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{ErrorKind, Read, Write},
    path::{Path, PathBuf},
};

/// Why a file cannot keep a state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeptFileError {
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
    /// It holds more than is read.
    #[error("the state file {path} is larger than {max} bytes")]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// How much is read.
        max: u64,
    },
    /// It cannot be written.
    #[error("the state file {path} cannot be written: {reason}")]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
}

/// A file that this process alone has, until it is dropped.
///
/// ```
/// use toolmesh_tool::KeptFile;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("state");
/// let file = KeptFile::open(&path, 1_000)?;
/// assert_eq!(file.read()?, None);
/// file.write(b"one")?;
/// assert_eq!(file.read()?.as_deref(), Some(b"one".as_slice()));
/// assert!(KeptFile::open(&path, 1_000).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct KeptFile {
    path: PathBuf,
    max_bytes: u64,
    /// Locked; beside the state, because that is replaced with each change.
    _lock: File,
}

impl KeptFile {
    /// Takes the file at `path`, which need not be there yet; at most `max_bytes` are read and written.
    ///
    /// # Errors
    /// [`KeptFileError::Locked`] while another process has it, [`KeptFileError::Unwritable`] when there can be no lock.
    pub fn open(path: &Path, max_bytes: u64) -> Result<Self, KeptFileError> {
        Ok(Self {
            path: path.to_owned(),
            max_bytes,
            _lock: locked(path)?,
        })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is in it; `None` when it is not there.
    ///
    /// # Errors
    /// [`KeptFileError::Unreadable`] and [`KeptFileError::TooLarge`].
    pub fn read(&self) -> Result<Option<Vec<u8>>, KeptFileError> {
        let unreadable = |error: std::io::Error| KeptFileError::Unreadable {
            path: self.path.clone(),
            reason: error.to_string(),
        };
        let file = match File::open(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(unreadable)?,
        };
        let mut bytes = Vec::new();
        file.take(self.max_bytes.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
        self.bounded(bytes.len())?;
        Ok(Some(bytes))
    }

    /// Replaces what is in it: whoever reads it finds the old or the new, whole.
    ///
    /// # Errors
    /// [`KeptFileError::Unwritable`] and [`KeptFileError::TooLarge`]; then the old is there still.
    pub fn write(&self, bytes: &[u8]) -> Result<(), KeptFileError> {
        self.bounded(bytes.len())?;
        let beside = beside(&self.path, "new");
        let written = File::create(&beside)
            .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
            .and_then(|()| std::fs::rename(&beside, &self.path));
        written.map_err(|error| unwritable(&self.path, &error))
    }

    fn bounded(&self, count: usize) -> Result<(), KeptFileError> {
        if u64::try_from(count).is_ok_and(|count| count <= self.max_bytes) {
            return Ok(());
        }
        Err(KeptFileError::TooLarge {
            path: self.path.clone(),
            max: self.max_bytes,
        })
    }
}

fn locked(path: &Path) -> Result<File, KeptFileError> {
    let lock = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(beside(path, "lock"))
        .map_err(|error| unwritable(path, &error))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(KeptFileError::Locked {
            path: path.to_owned(),
        }),
        Err(TryLockError::Error(error)) => Err(unwritable(path, &error)),
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> KeptFileError {
    KeptFileError::Unwritable {
        path: path.to_owned(),
        reason: error.to_string(),
    }
}

/// A file beside `path` with another ending behind its own.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}
