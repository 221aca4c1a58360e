//! Writing keys: once, and each readable by whom it is for.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use super::KeysError;

/// So many random bytes, as hexadecimal digits.
pub(super) fn random_hex<const BYTES: usize>() -> Result<String, KeysError> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|error| KeysError::File {
        file: "the system's random bytes".to_owned(),
        error: std::io::Error::other(error),
    })?;
    Ok(hex::encode(bytes))
}

pub(super) fn read(path: &Path) -> Result<String, KeysError> {
    fs::read_to_string(path).map_err(|error| file_error(path, error))
}

/// Writes what everybody may read.
pub(super) fn plain(path: PathBuf, bytes: &[u8]) -> Result<PathBuf, KeysError> {
    write(path, bytes, fs::OpenOptions::new().write(true).create_new(true))
}

/// Writes what its owner alone may read.
pub(super) fn secret(path: PathBuf, bytes: &[u8]) -> Result<PathBuf, KeysError> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    write(path, bytes, &options)
}

fn write(path: PathBuf, bytes: &[u8], options: &fs::OpenOptions) -> Result<PathBuf, KeysError> {
    let written = options.open(&path).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    match written {
        Ok(()) => Ok(path),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            Err(KeysError::There(path.display().to_string()))
        }
        Err(error) => Err(file_error(&path, error)),
    }
}

/// Waits until no other run makes keys in a folder, and keeps others waiting until what is returned is dropped. Not every system
/// locks folders: there, what another run makes meanwhile is found when it would be written over.
pub(super) fn alone_in(folder: &Path) -> Option<fs::File> {
    let folder = fs::File::open(folder).ok()?;
    folder.lock().ok()?;
    Some(folder)
}

pub(super) fn file_error(path: &Path, error: std::io::Error) -> KeysError {
    KeysError::File {
        file: path.display().to_string(),
        error,
    }
}
