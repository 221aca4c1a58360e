//! A Calimero application that runs in the process of the server.

use serde_json::json;
use toolmesh_calimero_node::modules::{NOTES_MANIFEST, module, notes};
use toolmesh_testkit::{ServerProcess, Step, http_session, stdio_session};

use crate::support::{TOOLMESH, command, json, screen, toolmesh};

/// Arguments of `init`.
const INIT: [&str; 2] = ["--init", r#"{"text":"first"}"#];

/// A folder with the application `notes`, and its path.
fn installed() -> (tempfile::TempDir, String) {
    written(&notes())
}

fn written(bytes: &[u8]) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.wasm");
    std::fs::write(&path, bytes).unwrap();
    let path = path.display().to_string();
    (folder, path)
}

#[test]
fn the_python_client_calls_an_application_over_stdio_without_any_node() {
    let (_folder, path) = installed();
    let steps = [
        Step::call("notes_note", json!({})),
        Step::call("notes_keep", json!({"text": "second", "number": u64::MAX})),
        Step::call("notes_note", json!({"_context": "local"})),
        Step::call("notes_refuse", json!({"text": "lost"})),
        Step::call("notes_keep", json!({"text": 7})),
        Step::call("notes_note", json!({})),
    ];
    let arguments = ["serve", &path, INIT[0], INIT[1]];
    let session = stdio_session(TOOLMESH, &arguments, "legacy", &steps);
    assert_eq!(session.tools.len(), 25);
    let second = json!({ "result": { "text": "second", "number": u64::MAX } });
    assert_eq!(
        session.results[0].structured(),
        &json!({ "result": { "text": "first" } })
    );
    assert_eq!(session.results[1].structured(), &json!({ "result": null }));
    assert_eq!(session.results[2].structured(), &second);
    let refused = format!("{:?}", session.results[3]);
    assert!(refused.contains("no such note"), "{refused}");
    let wrong = format!("{:?}", session.results[4]);
    assert!(wrong.contains("expected a string"), "{wrong}");
    assert_eq!(session.results[5].structured(), &second);
}

#[test]
fn a_state_in_a_file_outlives_the_server_of_a_typescript_client_and_has_one_owner_at_a_time() {
    let (folder, path) = installed();
    let state = folder.path().join("state.json").display().to_string();
    let with_state = |arguments: &[&'static str]| {
        let mut all: Vec<String> = arguments.iter().map(|text| (*text).to_owned()).collect();
        all.extend([path.clone(), "--state".to_owned(), state.clone()]);
        all.extend(INIT.map(str::to_owned));
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        command(&all)
    };
    let run = |arguments: &[&'static str]| toolmesh_testkit::run_command(&mut with_state(arguments));
    let server = ServerProcess::start_command(&mut with_state(&["serve", "--http=0"]));
    let steps = [Step::call("notes_keep", json!({"text": "second"}))];
    let session = http_session(server.url(), &steps);
    assert_eq!(session.results[0].structured(), &json!({ "result": null }));
    let locked = run(&["call", "notes_note"]);
    assert_eq!(locked.code(), Some(7), "{}", screen(&locked));
    assert!(
        locked.stderr.contains("is used by another process"),
        "{}",
        locked.stderr
    );
    drop(server);
    // The lock ends with the process, which the drop above waits for.
    let note = json!({ "result": { "text": "second" } });
    assert_eq!(json(&run(&["call", "notes_note"])), note);
    std::fs::write(folder.path().join("state.json"), "{}").unwrap();
    assert_eq!(run(&["call", "notes_note"]).code(), Some(4));
}

#[test]
fn an_application_is_called_once_from_the_command_line() {
    let (_folder, path) = installed();
    let called = toolmesh(&["call", "notes_note", &path, INIT[0], INIT[1]]);
    assert_eq!(json(&called), json!({ "result": { "text": "first" } }));
    let failed = toolmesh(&["call", "notes_trap", &path, INIT[0], INIT[1]]);
    assert_eq!(failed.code(), Some(1));
    assert!(
        failed.stderr.contains("unreachable code reached"),
        "{}",
        failed.stderr
    );
}

#[test]
fn what_is_missing_or_wrong_about_an_application_is_told() {
    let (folder, path) = installed();
    let shown = |arguments: &[&str]| screen(&toolmesh(arguments)).replace(&path, "notes.wasm");
    insta::assert_snapshot!("init_is_missing", shown(&["call", "notes_note", &path]));
    let newer = r#"(module (import "env" "set_ephemeral" (func (param i64))) (memory (export "memory") 1))"#;
    std::fs::write(&path, module(newer, Some(NOTES_MANIFEST))).unwrap();
    insta::assert_snapshot!("a_newer_application", shown(&["serve", &path]));
    drop(folder);
}

#[test]
fn applications_have_their_states_in_files_of_their_own() {
    let (folder, path) = installed();
    let config = folder.path().join("toolmesh.toml");
    let source = |name: &str, state: &str| {
        format!(
            "[[source]]\nname = \"{name}\"\nlocation = \"notes.wasm\"\ninit = {{ text = \"{name}\" }}\n{state}\n"
        )
    };
    let configured = |text: &str, arguments: &[&str]| {
        std::fs::write(&config, text).unwrap();
        let config = config.display().to_string();
        toolmesh(&[arguments, &["--config", &config]].concat())
    };
    let both = [
        source("one", "state = \"one.json\""),
        source("two", "state = \"two.json\""),
    ]
    .concat();
    let called = configured(&both, &["call", "two_two_note"]);
    assert_eq!(json(&called), json!({ "result": { "text": "two" } }));
    assert!(folder.path().join("one.json").exists() && folder.path().join("two.json").exists());
    let looked = configured(&both, &["doctor"]);
    assert_eq!(looked.code(), Some(0), "{}", screen(&looked));
    let shared = format!(
        "[sandbox]\nstate = \"all.json\"\n\n{}{}",
        source("one", ""),
        source("two", "")
    );
    let refused = configured(&shared, &["call", "two_two_note"]);
    assert_eq!(refused.code(), Some(2), "{}", screen(&refused));
    assert!(
        refused.stderr.contains("give this one a `state` of its own"),
        "{}",
        refused.stderr
    );
    drop(path);
}

#[test]
fn doctor_makes_no_state() {
    let (folder, path) = installed();
    let state = folder.path().join("state.json");
    let shown = state.display().to_string();
    let looked = toolmesh(&["doctor", &path, INIT[0], INIT[1], "--state", &shown]);
    assert_eq!(looked.code(), Some(0), "{}", screen(&looked));
    assert!(!state.exists());
    toolmesh(&["call", "notes_note", &path, INIT[0], INIT[1], "--state", &shown]);
    assert!(state.exists());
    let again = toolmesh(&["doctor", &path, "--state", &shown]);
    assert_eq!(again.code(), Some(0), "{}", screen(&again));
}
