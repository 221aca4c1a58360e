//! An application in one context that its owner calls by hand.

use toolmesh_calimero_node::modules::notes;
use toolmesh_calimero_sandbox::{CallError, Instance, Limits};

#[test]
fn an_instance_is_called_by_hand_and_copied_with_its_state() {
    let mut first = Instance::new(&notes(), Limits::default()).unwrap();
    first.call("init", b"{}".to_vec()).returned.unwrap();
    let mut copy = first.clone();
    let kept = first.call("keep", b"7".to_vec());
    assert_eq!(kept.returned, Ok(None));
    assert_eq!(kept.events, [("Kept".to_owned(), b"7".to_vec())]);
    assert_eq!(kept.logs, ["something was kept"]);
    let note = |instance: &mut Instance| instance.call("note", Vec::new()).returned;
    assert_eq!(note(&mut first), Ok(Some(b"7".to_vec())));
    assert_eq!(note(&mut copy), Ok(Some(b"{}".to_vec())));
}

#[test]
fn an_error_of_an_application_is_the_bytes_of_its_json() {
    let mut instance = Instance::new(&notes(), Limits::default()).unwrap();
    let refused = instance.call("note", Vec::new());
    let error = CallError::Application(b"\"no such note\"".to_vec());
    assert_eq!(refused.returned, Err(error.clone()));
    assert_eq!(error.to_string(), "no such note");
    assert!(refused.events.is_empty());
    let silent = CallError::Application(b"\"\"".to_vec());
    assert_eq!(silent.to_string(), "the application failed without a word");
}
