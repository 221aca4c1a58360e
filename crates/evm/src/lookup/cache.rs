//! What was found, kept on disk: one file a contract, which is an artifact that can be read like any other.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use alloy_primitives::Address;
use toolmesh_json::{Limits, Value, View, parse_with};

use super::{Explorer, Found, MAX_ANSWER_BYTES, addresses};

/// How long what was found is taken for true. The interface of an address does not change, but what an explorer
/// says about the contract behind a proxy does.
const FRESH: Duration = Duration::from_secs(24 * 60 * 60);

/// The most files that are kept; the oldest go first.
pub const MAX_CACHE_FILES: usize = 1_000;

/// The most bytes that are kept, all files together.
pub const MAX_CACHE_BYTES: u64 = 256 << 20;

/// The member of a file that is not the artifact's.
const NOTE: &str = "toolmesh";

pub(super) fn read(folder: &Path, chain_id: u64, address: Address) -> Option<Found> {
    let path = place(folder, chain_id, address);
    let metadata = fs::metadata(&path).ok()?;
    let age = SystemTime::now()
        .duration_since(metadata.modified().ok()?)
        .unwrap_or_default();
    if age > FRESH || metadata.len() > MAX_ANSWER_BYTES {
        return None;
    }
    // What cannot be read, or is no such file, is looked up again and written over.
    let artifact = parse_with(&fs::read(&path).ok()?, &Limits::ceiling()).ok()?;
    artifact.get("abi")?.as_array()?;
    let note = artifact.get(NOTE)?;
    let word = note.get("explorer").and_then(View::as_str)?;
    let explorer = Explorer::ALL
        .into_iter()
        .find(|explorer| explorer.word() == word)?;
    let listed = note.get("implementations").and_then(View::as_array)?;
    let implementations = addresses(listed.iter().map(View::as_str));
    Some(Found {
        artifact,
        explorer,
        implementations,
    })
}

/// Keeps what was found. A cache that cannot be written is no reason not to go on.
pub(super) fn write(folder: &Path, chain_id: u64, address: Address, found: &Found) {
    if let Err(error) = try_write(folder, chain_id, address, found) {
        tracing::debug!(%error, "an interface could not be kept");
    }
}

fn try_write(folder: &Path, chain_id: u64, address: Address, found: &Found) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let implementations: Value = found
        .implementations
        .iter()
        .map(|address| Value::from(address.to_string()))
        .collect();
    let note = Value::object()
        .put("explorer", found.explorer.word())
        .put("implementations", implementations);
    let mut file = Value::object();
    if let Some(members) = found.artifact.as_object() {
        file.extend(
            members
                .iter()
                .filter(|(key, _)| *key != NOTE)
                .map(|(key, value)| (key, value.to_value())),
        );
    }
    let text = file.put(NOTE, note).build().to_text();
    let path = place(folder, chain_id, address);
    // Whole or not at all, whoever else writes at the same time.
    let unfinished = path.with_extension(format!("{}.unfinished", std::process::id()));
    let mut out = fs::File::create(&unfinished)?;
    let written = out
        .write_all(text.as_bytes())
        .and_then(|()| fs::rename(&unfinished, &path));
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written?;
    prune(folder, MAX_CACHE_FILES, MAX_CACHE_BYTES)
}

fn place(folder: &Path, chain_id: u64, address: Address) -> PathBuf {
    folder.join(format!("{chain_id}-{address}.json"))
}

/// Removes the oldest files until what is left is within the bounds.
fn prune(folder: &Path, max_files: usize, max_bytes: u64) -> std::io::Result<()> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        if metadata.is_file() {
            files.push((metadata.modified()?, metadata.len(), entry.path()));
        }
    }
    files.sort_by(|one, other| other.cmp(one));
    let mut bytes: u64 = 0;
    for (place, (_, length, path)) in files.iter().enumerate() {
        bytes = bytes.saturating_add(*length);
        if place >= max_files || bytes > max_bytes {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(abi: &str) -> Found {
        let text = format!(r#"{{"abi":{abi},"contractName":"A"}}"#);
        Found {
            artifact: toolmesh_json::parse(text.as_bytes()).unwrap(),
            explorer: Explorer::Sourcify,
            implementations: vec![Address::repeat_byte(2)],
        }
    }

    fn at(byte: u8) -> Address {
        Address::repeat_byte(byte)
    }

    #[test]
    fn what_was_found_is_found_again_and_is_an_artifact() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), 1, at(1), &found(r#"["function a()"]"#));
        let again = read(folder.path(), 1, at(1)).unwrap();
        assert_eq!(
            (again.explorer, again.implementations),
            (Explorer::Sourcify, vec![at(2)])
        );
        let bytes = fs::read(place(folder.path(), 1, at(1))).unwrap();
        assert_eq!(crate::read(&bytes).unwrap().functions().count(), 1);
        assert_eq!(read(folder.path(), 2, at(1)), None);
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            1,
            "nothing unfinished is left"
        );
    }

    #[test]
    fn a_file_that_is_broken_or_old_is_not_believed() {
        let folder = tempfile::tempdir().unwrap();
        let path = place(folder.path(), 1, at(1));
        for text in [
            "",
            "{",
            r#"{"abi":{}}"#,
            r#"{"abi":[],"toolmesh":{"explorer":"x","implementations":[]}}"#,
        ] {
            fs::write(&path, text).unwrap();
            assert_eq!(read(folder.path(), 1, at(1)), None, "{text}");
        }
        write(folder.path(), 1, at(1), &found("[]"));
        let old = SystemTime::now() - FRESH - Duration::from_secs(60);
        fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(old)
            .unwrap();
        assert_eq!(read(folder.path(), 1, at(1)), None);
    }

    #[test]
    fn the_oldest_files_go_first_when_there_are_too_many() {
        let folder = tempfile::tempdir().unwrap();
        for byte in 1..=4 {
            let path = place(folder.path(), 1, at(byte));
            fs::write(&path, "1234567890").unwrap();
            let then = SystemTime::now() - Duration::from_secs(60 * u64::from(10 - byte));
            fs::File::options()
                .write(true)
                .open(&path)
                .unwrap()
                .set_modified(then)
                .unwrap();
        }
        let left = || fs::read_dir(folder.path()).unwrap().count();
        prune(folder.path(), 4, 40).unwrap();
        assert_eq!(left(), 4);
        prune(folder.path(), 3, 40).unwrap();
        assert_eq!(left(), 3);
        assert!(!place(folder.path(), 1, at(1)).exists());
        prune(folder.path(), 3, 29).unwrap();
        assert_eq!(left(), 2);
    }
}
