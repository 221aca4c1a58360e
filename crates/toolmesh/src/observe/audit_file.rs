//! The file that audit records go to, put aside when it is full.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

/// The least size at which a file may be put aside: 64 KiB, some hundred records.
pub const MIN_AUDIT_BYTES: u64 = 64 * 1024;

/// The most files that may be kept that were put aside: 100.
pub const MAX_AUDIT_FILES: u32 = 100;

/// How many files are kept that were put aside unless set otherwise: 5.
pub const DEFAULT_AUDIT_FILES: u32 = 5;

/// When the file is put aside, and how many of those are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rotation {
    bytes: u64,
    files: u32,
}

impl Rotation {
    /// Puts the file aside before it would have more than `bytes`, and keeps the newest `files` of those. At least
    /// [`MIN_AUDIT_BYTES`], at least one file and at most [`MAX_AUDIT_FILES`].
    #[must_use]
    pub fn new(bytes: u64, files: u32) -> Self {
        Self {
            bytes: bytes.max(MIN_AUDIT_BYTES),
            files: files.clamp(1, MAX_AUDIT_FILES),
        }
    }
}

/// An open file of records. Each write is one record with its line end, and stays whole.
#[derive(Debug)]
pub(super) struct AuditFile {
    path: PathBuf,
    rotation: Option<Rotation>,
    /// `None` when the file could not be opened again after it was put aside.
    file: Option<BufWriter<File>>,
    written: u64,
}

impl AuditFile {
    pub(super) fn open(path: &Path, rotation: Option<Rotation>) -> io::Result<Self> {
        let mut opened = Self {
            path: path.to_owned(),
            rotation,
            file: None,
            written: 0,
        };
        opened.reopen()?;
        Ok(opened)
    }

    fn reopen(&mut self) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        let file = options.open(&self.path)?;
        self.written = file.metadata()?.len();
        self.file = Some(BufWriter::new(file));
        Ok(())
    }

    /// Puts the file aside when `more` bytes would be too many for it. Where that fails, records go on into the same file:
    /// a large file is better than lost records.
    fn make_room(&mut self, more: u64) -> io::Result<()> {
        let is_full = |rotation: &Rotation| self.written > 0 && self.written + more > rotation.bytes;
        if let Some(Rotation { files, .. }) = self.rotation.filter(is_full) {
            if let Some(mut file) = self.file.take() {
                file.flush()?;
            }
            if let Err(error) = self.put_aside(files) {
                tracing::warn!(%error, "the audit file could not be put aside");
            }
        }
        match self.file {
            Some(_) => Ok(()),
            None => self.reopen(),
        }
    }

    /// `FILE` becomes `FILE.1`, that one `FILE.2`, and so on; the oldest goes.
    fn put_aside(&self, files: u32) -> io::Result<()> {
        for number in (1..files).rev() {
            let from = self.aside(number);
            if from.exists() {
                std::fs::rename(from, self.aside(number + 1))?;
            }
        }
        std::fs::rename(&self.path, self.aside(1))
    }

    fn aside(&self, number: u32) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{number}"));
        name.into()
    }
}

impl Write for AuditFile {
    fn write(&mut self, record: &[u8]) -> io::Result<usize> {
        self.write_all(record)?;
        Ok(record.len())
    }

    fn write_all(&mut self, record: &[u8]) -> io::Result<()> {
        let bytes = u64::try_from(record.len()).unwrap_or(u64::MAX);
        self.make_room(bytes)?;
        if let Some(file) = &mut self.file {
            file.write_all(record)?;
            self.written += bytes;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), Write::flush)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(number: u8) -> Vec<u8> {
        let mut record = vec![number; usize::try_from(MIN_AUDIT_BYTES / 4).unwrap()];
        *record.last_mut().unwrap() = b'\n';
        record
    }

    fn first(path: &Path) -> Option<u8> {
        std::fs::read(path).ok().map(|bytes| bytes[0])
    }

    #[test]
    fn a_full_file_is_put_aside_and_so_many_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let mut file = AuditFile::open(&path, Some(Rotation::new(0, 2))).unwrap();
        for number in 1..=4 {
            file.write_all(&record(number)).unwrap();
        }
        file.flush().unwrap();
        assert_eq!(
            std::fs::metadata(&path).unwrap().len(),
            MIN_AUDIT_BYTES,
            "full to the brim"
        );
        assert!(!file.aside(1).exists());
        for number in 5..=13 {
            file.write_all(&record(number)).unwrap();
        }
        file.flush().unwrap();
        let kept = [&path, &file.aside(1), &file.aside(2), &file.aside(3)].map(|path| first(path));
        assert_eq!(kept, [Some(13), Some(9), Some(5), None]);
    }

    #[test]
    fn a_file_that_was_there_counts_and_a_record_is_never_parted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        std::fs::write(&path, b"old\n").unwrap();
        let mut file = AuditFile::open(&path, Some(Rotation::new(0, 1))).unwrap();
        let large: Vec<u8> = (0..5).flat_map(|_| record(7)).collect();
        file.write_all(&large).unwrap();
        file.write_all(b"next\n").unwrap();
        file.flush().unwrap();
        assert_eq!(std::fs::read(file.aside(1)).unwrap(), large);
        assert_eq!(std::fs::read(&path).unwrap(), b"next\n");
    }

    #[test]
    fn without_a_size_a_file_is_never_put_aside_and_where_it_cannot_be_it_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        let mut file = AuditFile::open(&path, None).unwrap();
        for number in 1..=9 {
            file.write_all(&record(number)).unwrap();
        }
        assert!(!file.aside(1).exists());
        drop(file);
        // A folder is in the way.
        let mut file = AuditFile::open(&path, Some(Rotation::new(0, 1))).unwrap();
        std::fs::create_dir_all(file.aside(1).join("inside")).unwrap();
        file.write_all(b"next\n").unwrap();
        file.flush().unwrap();
        assert!(std::fs::read(&path).unwrap().ends_with(b"next\n"));
    }
}
