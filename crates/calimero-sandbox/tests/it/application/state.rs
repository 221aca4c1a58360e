//! The state in a file.

use toolmesh_calimero_node::modules::{NOTES_MANIFEST, module, notes};
use toolmesh_calimero_sandbox::{LocalOptions, OpenError, StateError};
use toolmesh_tool::KeptFileError;

use super::support::{Running, json, kept, open, options, refusal};

#[tokio::test]
async fn a_state_in_a_file_goes_on_and_init_ran_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.json");
    let first = Running::with(&notes(), kept(&path)).await;
    first.call("keep", r#"{"text":"second"}"#).await.unwrap();
    first.call("whisper", r#"{"text":"hush"}"#).await.unwrap();
    let caller = first.call("caller", "{}").await.unwrap();
    let id = first.events("local").await.get("contextId").unwrap().detach();
    drop(first);
    // Other arguments than at first, and none at all: `init` does not run again.
    for init in [Some(json(r#"{"text":"third"}"#)), None] {
        let again = Running::with(&notes(), LocalOptions { init, ..kept(&path) }).await;
        assert_eq!(again.note().await, r#"{"text":"second"}"#);
        assert_eq!(again.call("secret", "{}").await.unwrap(), r#"{"text":"hush"}"#);
        assert_eq!(again.call("caller", "{}").await.unwrap(), caller);
        assert_eq!(again.events("local").await.get("contextId").unwrap().detach(), id);
    }
}

#[tokio::test]
async fn a_state_in_memory_begins_anew() {
    let first = Running::notes().await;
    first.call("keep", r#"{"text":"second"}"#).await.unwrap();
    assert_eq!(Running::notes().await.note().await, r#"{"text":"first"}"#);
}

#[tokio::test]
async fn one_process_at_a_time_has_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.json");
    let first = Running::with(&notes(), kept(&path)).await;
    let refused = open(&notes(), kept(&path)).await.unwrap_err();
    let locked = KeptFileError::Locked { path };
    assert_eq!(refused, OpenError::State(StateError::File(locked)));
    drop(first);
}

#[tokio::test]
async fn another_build_of_an_application_goes_on_with_its_state() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.json");
    let first = Running::with(&notes(), kept(&path)).await;
    first.call("keep", r#"{"text":"second"}"#).await.unwrap();
    drop(first);
    let other = r#"(module (memory (export "memory") 1) (func (export "panic")))"#;
    let other = Running::with(&module(other, Some(NOTES_MANIFEST)), kept(&path)).await;
    assert_eq!(other.call("panic", "{}").await, Ok("null".to_owned()));
    drop(other);
    let again = Running::with(&notes(), kept(&path)).await;
    assert_eq!(again.note().await, r#"{"text":"second"}"#);
}

#[tokio::test]
async fn a_change_that_cannot_be_written_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    let notes = Running::with(&notes(), kept(&inner.join("notes.json"))).await;
    std::fs::remove_dir_all(&inner).unwrap();
    let refused = notes.call("keep", r#"{"text":"second"}"#).await;
    assert_eq!(
        refused,
        Err("state: The state cannot be written; nothing was changed. The log says why.".to_owned())
    );
    assert_eq!(notes.note().await, r#"{"text":"first"}"#);
}

#[tokio::test]
async fn arguments_of_init_that_are_missing_or_wrong_are_told_with_its_signature() {
    let none = LocalOptions {
        init: None,
        ..options()
    };
    insta::assert_snapshot!("init_without_arguments", refusal(&notes(), none).await);
    let wrong = LocalOptions {
        init: Some(json(r#"{"text":7}"#)),
        ..options()
    };
    insta::assert_snapshot!("init_with_a_wrong_argument", refusal(&notes(), wrong).await);
}
