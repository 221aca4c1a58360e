//! Reading whole inputs within a bound.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

/// Why an input could not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    /// There is nothing at the path.
    #[error("there is no such file")]
    Missing,
    /// The path is a folder.
    #[error("it is a folder, not a file")]
    Folder,
    /// The path is a pipe, a socket or a device.
    #[error("it is a pipe or a device, not a file")]
    NoFile,
    /// There is more than may be read.
    #[error("it is larger than {0} bytes")]
    TooLarge(u64),
    /// The system said no.
    #[error("{0}")]
    System(io::Error),
}

/// The bytes of a file, at most `limit`.
pub(crate) fn file(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let file = File::open(path).map_err(system)?;
    if file.metadata().is_ok_and(|found| found.is_dir()) {
        return Err(ReadError::Folder);
    }
    within(file, limit)
}

/// The bytes of a file as [`file`] reads them, and of nothing else: whoever opens a pipe to which nobody writes waits for ever.
pub(crate) fn plain_file(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    match std::fs::metadata(path) {
        Ok(found) if !(found.is_file() || found.is_dir()) => Err(ReadError::NoFile),
        _ => file(path, limit),
    }
}

/// The bytes of standard input, at most `limit`.
pub(crate) fn stdin(limit: u64) -> Result<Vec<u8>, ReadError> {
    within(io::stdin().lock(), limit)
}

/// Whether others than its owner may read a file.
#[cfg(unix)]
pub(crate) fn is_open_to_others(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    std::fs::metadata(file).is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
}

/// Whether others than its owner may read a file, which only Unix tells.
#[cfg(not(unix))]
pub(crate) fn is_open_to_others(_: &Path) -> bool {
    false
}

fn within(input: impl Read, limit: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    let read = input
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(system)?;
    if u64::try_from(read).unwrap_or(u64::MAX) > limit {
        Err(ReadError::TooLarge(limit))
    } else {
        Ok(bytes)
    }
}

fn system(error: io::Error) -> ReadError {
    if error.kind() == io::ErrorKind::NotFound {
        ReadError::Missing
    } else {
        ReadError::System(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_may_fill_its_bound_but_not_pass_it() {
        assert_eq!(within(&b"abc"[..], 3).unwrap(), b"abc");
        assert!(matches!(within(&b"abcd"[..], 3), Err(ReadError::TooLarge(3))));
    }

    #[test]
    fn a_missing_file_and_a_folder_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(
            file(&folder.path().join("x"), 1),
            Err(ReadError::Missing)
        ));
        assert!(matches!(file(folder.path(), 1), Err(ReadError::Folder)));
    }
}
