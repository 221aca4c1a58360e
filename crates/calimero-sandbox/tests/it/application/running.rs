//! What an application does when all goes well, and when it says no.

use toolmesh_calimero::{events_uri, modules, read};
use toolmesh_calimero_node::modules::{NOTES_MANIFEST, module, notes, notes_with};
use toolmesh_calimero_sandbox::LocalSource;
use toolmesh_tool::{Prefix, Source as _, Toolbox};

use super::support::{Running, json, options};

#[tokio::test]
async fn init_makes_the_state_and_methods_change_and_read_it() {
    let notes = Running::notes().await;
    assert_eq!(notes.note().await, r#"{"text":"first"}"#);
    let kept = notes
        .call("keep", r#"{"text":"second","number":18446744073709551615}"#)
        .await;
    assert_eq!(kept, Ok("null".to_owned()));
    assert_eq!(
        notes.note().await,
        r#"{"text":"second","number":18446744073709551615}"#
    );
}

#[tokio::test]
async fn init_is_no_tool_and_the_others_are_those_of_the_manifest() {
    let notes = Running::notes().await;
    let catalogue = notes.toolbox.snapshot();
    assert!(catalogue.tool("notes_keep", None).is_some());
    assert!(catalogue.tool("notes_init", None).is_none());
    let note = catalogue.tool("notes_note", None).unwrap().descriptor();
    assert_eq!(note.annotations.read_only, Some(true));
}

#[tokio::test]
async fn what_an_application_says_when_it_says_no_is_told_in_its_own_words() {
    let notes = Running::notes().await;
    let refused = notes.call("refuse", r#"{"text":"lost"}"#).await;
    assert_eq!(refused, Err("application_error: no such note".to_owned()));
    assert_eq!(notes.note().await, r#"{"text":"first"}"#, "the change is undone");
    let in_full = notes.call("refuse_in_full", "{}").await;
    assert_eq!(
        in_full,
        Err(r#"application_error: {"kind":"Full","data":3}"#.to_owned())
    );
}

#[tokio::test]
async fn a_method_that_the_module_does_not_have_is_named() {
    let missing = Running::notes().await.call("missing", "{}").await;
    assert_eq!(
        missing,
        Err("MethodNotFound: the application's module has no method \"missing\"".to_owned())
    );
}

#[tokio::test]
async fn what_is_exported_and_no_function_is_no_method() {
    let text = r#"(module (memory (export "memory") (export "trap") 1) (global (export "panic") i32 (i32.const 1)))"#;
    let mut options = options();
    options.init = None;
    let manifest = NOTES_MANIFEST.replace(r#""init""#, r#""begin""#);
    let notes = Running::with(&module(text, Some(&manifest)), options).await;
    for method in ["trap", "panic"] {
        let missing = notes.call(method, "{}").await;
        let told = format!("MethodNotFound: the application's module has no method \"{method}\"");
        assert_eq!(missing, Err(told));
    }
}

#[tokio::test]
async fn only_a_committed_change_stays_and_of_a_reading_method_none() {
    let notes = Running::notes().await;
    notes.call("forget", r#"{"text":"lost"}"#).await.unwrap();
    assert_eq!(notes.note().await, r#"{"text":"first"}"#);
    notes.call("pretend", r#"{"text":"lost"}"#).await.unwrap();
    assert_eq!(notes.note().await, r#"{"text":"first"}"#);
}

#[tokio::test]
async fn private_storage_stays_too() {
    let notes = Running::notes().await;
    assert_eq!(notes.call("secret", "{}").await, Ok("null".to_owned()));
    notes.call("whisper", r#"{"text":"hush"}"#).await.unwrap();
    assert_eq!(
        notes.call("secret", "{}").await,
        Ok(r#"{"text":"hush"}"#.to_owned())
    );
    assert_eq!(notes.note().await, r#"{"text":"first"}"#);
}

#[tokio::test]
async fn the_application_sees_one_caller_for_as_long_as_it_runs() {
    let notes = Running::notes().await;
    let first = notes.call("caller", "{}").await.unwrap();
    assert_eq!(notes.call("caller", "{}").await.unwrap(), first);
}

#[tokio::test]
async fn a_call_may_name_the_one_context_and_no_other() {
    let notes = Running::notes().await;
    let id = notes.events("local").await;
    let id = id.get("contextId").unwrap().as_str().unwrap().to_owned();
    for context in ["local", &id, &id.to_uppercase()] {
        let called = notes
            .call("note", &format!(r#"{{"_context":"{context}"}}"#))
            .await;
        assert_eq!(called, Ok(r#"{"text":"first"}"#.to_owned()));
    }
    let refused = notes.call("note", r#"{"_context":"room"}"#).await;
    assert_eq!(
        refused,
        Err(
            "not_found: The application runs in this process, in one context: leave `_context` out, or give \"local\"."
                .to_owned()
        )
    );
}

#[tokio::test]
async fn what_it_emits_and_logs_is_a_resource_and_whoever_watches_is_told() {
    let notes = Running::notes().await;
    let mut updates = notes.toolbox.resource_updates();
    notes.call("keep", r#"{"text":"second"}"#).await.unwrap();
    let told = notes.events("local").await;
    let id = told.get("contextId").unwrap().as_str().unwrap().to_owned();
    assert_eq!(
        told.get("events").unwrap().to_text(),
        r#"[{"number":1,"type":"StateMutation","data":[{"name":"Kept","payload":{"text":"second"},"type":"Note"}]},{"number":2,"type":"Log","data":{"method":"keep","data":["something was kept"]}}]"#
    );
    assert_eq!(notes.events(&id).await, told);
    assert_eq!(updates.recv().await.unwrap(), events_uri(&id));
    assert_eq!(updates.recv().await.unwrap(), events_uri("local"));
    assert!(notes.try_events("room").await.is_none());
    let listed = notes.toolbox.snapshot();
    assert!(listed.resource(&events_uri("local")).is_some());
}

#[tokio::test]
async fn an_event_that_does_not_go_with_the_interface_is_told_with_a_note() {
    let (head, events) = NOTES_MANIFEST.split_once(r#""events""#).unwrap();
    let emitted = async |old: &str, new: &str| {
        let manifest = format!(r#"{head}"events"{}"#, events.replace(old, new));
        let notes = Running::with(&notes_with(&manifest), options()).await;
        notes.call("keep", r#"{"text":"second"}"#).await.unwrap();
        let told = notes.events("local").await;
        told.pointer("/events/0/data/0").unwrap().to_text()
    };
    assert_eq!(
        emitted(r#""Kept""#, r#""Lost""#).await,
        r#"{"name":"Kept","payload":{"text":"second"},"note":"the application's interface declares no such event"}"#
    );
    assert_eq!(
        emitted(r#""$ref": "Note""#, r#""kind": "u64""#).await,
        r#"{"name":"Kept","payload":{"text":"second"},"type":"u64","note":"the payload is not of the type that the application's interface declares"}"#
    );
}

#[tokio::test]
async fn a_service_may_be_called_what_stands_in_no_uri() {
    let mut application = read(&notes(), "notes").unwrap();
    let mut modules = modules(&notes()).unwrap();
    let name = Some("a b/c".to_owned());
    application.services[0].name = name.clone();
    modules[0].service = name;
    let source = LocalSource::open("notes", application, modules, options())
        .await
        .unwrap();
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("notes", Prefix::None).unwrap();
    source.start(mount).await.unwrap();
    let listed = toolbox.snapshot();
    assert!(listed.resource("calimero://contexts/a%20b%2Fc/events").is_some());
}

#[tokio::test]
async fn a_call_that_failed_emitted_nothing() {
    let notes = Running::notes().await;
    let _ = notes.call("refuse", r#"{"text":"lost"}"#).await;
    assert_eq!(notes.events("local").await.get("events").unwrap().to_text(), "[]");
}

#[tokio::test]
async fn a_call_in_another_context_that_was_asked_for_is_told_to_be_not_made() {
    let notes = Running::notes().await;
    notes.call("call_out", "{}").await.unwrap();
    assert_eq!(
        notes.events("local").await.get("events").unwrap().to_text(),
        r#"[{"number":1,"type":"XCall","data":{"method":"call_out","data":["told"]}}]"#
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn calls_that_come_at_once_run_one_after_the_other() {
    let notes = std::sync::Arc::new(Running::with(&notes(), options()).await);
    let calls: Vec<_> = (0..32)
        .map(|number| {
            let notes = std::sync::Arc::clone(&notes);
            let arguments = format!(r#"{{"text":"note","number":{number}}}"#);
            tokio::spawn(async move { notes.call("keep", &arguments).await.map(|_| number) })
        })
        .collect();
    let mut kept = Vec::new();
    for call in calls {
        kept.push(call.await.unwrap().unwrap());
    }
    assert_eq!(kept.len(), 32);
    let events = notes.events("local").await;
    let entries = events.get("events").and_then(|events| events.as_array()).unwrap();
    let told: Vec<u64> = entries
        .iter()
        .filter_map(|event| event.pointer("/data/0/payload/number")?.as_u64())
        .collect();
    let last = notes.note().await;
    let last = json(&last).get("number").unwrap().as_u64();
    assert_eq!(told.len(), 32, "each told of once");
    assert_eq!(told.last().copied(), last, "in the order in which they ran");
}
