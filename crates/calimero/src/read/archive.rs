//! The archive of a bundle: gzipped tar, bounded before anything is unpacked, and nothing is written anywhere.

use std::io::Read;
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use toolmesh_tool::IndexMap;

use super::ReadError;

/// The most bytes that a bundle unpacks to. A service's module has a few MB; a small archive could pretend to hold
/// anything.
pub const MAX_BUNDLE_BYTES: u64 = 256 << 20;

/// The most entries of a bundle.
pub const MAX_BUNDLE_ENTRIES: usize = 1_000;

/// What headers and padding of an archive may take beside its files, in bytes.
const OVERHEAD: u64 = 4 << 20;

const GZIP: [u8; 2] = [0x1f, 0x8b];

/// What an archive holds, by the names of its files.
pub(super) type Files = IndexMap<String, Arc<[u8]>>;

/// Whether the bytes begin as a gzip archive.
pub(super) fn recognises(bytes: &[u8]) -> bool {
    bytes.starts_with(&GZIP)
}

/// The files of the archive by name; of several with one name the last.
pub(super) fn unpack(bytes: &[u8]) -> Result<Files, ReadError> {
    unpack_within(bytes, MAX_BUNDLE_BYTES, MAX_BUNDLE_ENTRIES)
}

fn unpack_within(bytes: &[u8], max_bytes: u64, max_entries: usize) -> Result<Files, ReadError> {
    let broken = |error: std::io::Error| ReadError::Bundle(error.to_string());
    let unpacked = MultiGzDecoder::new(bytes).take(max_bytes.saturating_add(OVERHEAD));
    let mut archive = tar::Archive::new(unpacked);
    let (mut files, mut total, mut count) = (Files::new(), 0_u64, 0_usize);
    for entry in archive.entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        count += 1;
        total = total.saturating_add(entry.size());
        if count > max_entries {
            return Err(ReadError::Bundle(format!(
                "it has more than {max_entries} entries"
            )));
        }
        if total > max_bytes {
            return Err(ReadError::Bundle(format!(
                "it unpacks to more than {max_bytes} bytes"
            )));
        }
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let mut contents = Vec::new();
        entry.read_to_end(&mut contents).map_err(broken)?;
        files.insert(normal(&name).to_owned(), contents.into());
    }
    Ok(files)
}

/// The name of a file, however it is written.
pub(super) fn normal(path: &str) -> &str {
    path.trim_start_matches("./")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};

    /// An archive of these files.
    pub(crate) fn bundle(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (name, contents) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(u64::try_from(contents.len()).unwrap());
            header.set_mode(0o644);
            archive.append_data(&mut header, name, *contents).unwrap();
        }
        archive.into_inner().unwrap().finish().unwrap()
    }

    #[test]
    fn what_a_bundle_unpacks_to_is_bounded() {
        let bytes = bundle(&[("a", &[0; 1000]), ("b", b"")]);
        let count =
            |max_bytes, max_entries| unpack_within(&bytes, max_bytes, max_entries).map(|files| files.len());
        let refused = |text: &str| Err(ReadError::Bundle(text.to_owned()));
        assert_eq!(count(1000, 2), Ok(2));
        assert_eq!(count(1000, 1), refused("it has more than 1 entries"));
        assert_eq!(count(999, 2), refused("it unpacks to more than 999 bytes"));
    }
}
