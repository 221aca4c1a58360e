//! A file that keeps the state of something.

use toolmesh_tool::{KeptFile, KeptFileError};

#[test]
fn what_was_written_last_is_read_and_the_file_outlives_its_keeper() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let file = KeptFile::open(&path, 10).unwrap();
    assert_eq!(file.read(), Ok(None));
    file.write(b"one").unwrap();
    file.write(b"two").unwrap();
    assert_eq!(file.path(), path);
    drop(file);
    let again = KeptFile::open(&path, 10).unwrap();
    assert_eq!(again.read().unwrap().as_deref(), Some(b"two".as_slice()));
}

#[test]
fn one_keeper_at_a_time_has_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let first = KeptFile::open(&path, 10).unwrap();
    let locked = KeptFileError::Locked { path: path.clone() };
    assert_eq!(KeptFile::open(&path, 10).unwrap_err(), locked);
    drop(first);
    assert!(KeptFile::open(&path, 10).is_ok());
}

#[test]
fn a_file_holds_as_much_as_allowed_and_no_byte_more() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let file = KeptFile::open(&path, 3).unwrap();
    let too_large = KeptFileError::TooLarge {
        path: path.clone(),
        max: 3,
    };
    file.write(b"123").unwrap();
    assert_eq!(file.write(b"1234"), Err(too_large.clone()));
    assert_eq!(file.read().unwrap().as_deref(), Some(b"123".as_slice()));
    std::fs::write(&path, b"1234").unwrap();
    assert_eq!(file.read(), Err(too_large));
}

#[test]
fn a_folder_that_is_not_there_is_no_place_for_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("missing").join("state");
    assert!(matches!(
        KeptFile::open(&path, 3),
        Err(KeptFileError::Unwritable { .. })
    ));
}
