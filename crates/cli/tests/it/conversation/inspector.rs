//! The MCP Inspector on the command line: it lists and calls. It cannot be asked, shows no progress and cancels nothing.

use serde_json::{Value, json};
use toolmesh_testkit::{ServerProcess, inspector};

use crate::support::{HOLDER, TOKEN, TOOLMESH, command, token_path};

#[track_caller]
fn lists_and_calls(target: &[&str], era: &str) {
    let home = tempfile::tempdir().unwrap();
    let ask = |question: &[&str]| inspector(target, era, question, home.path());
    // With `--strict` it fails when it would not take a schema to every client.
    let listed = ask(&["--method", "tools/list", "--strict"]);
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 11, "{listed}");
    let arguments = json!({"account": HOLDER}).to_string();
    let called = ask(&[
        "--method",
        "tools/call",
        "--tool-name",
        "balance_of",
        "--tool-args-json",
        &arguments,
    ]);
    let result: &Value = &called["result"]["structuredContent"]["result"];
    assert_eq!(result, "1000000000000000000000000", "{called}");
}

#[test]
fn the_inspector_lists_and_calls_on_stdio() {
    let token = token_path().display().to_string();
    for era in ["legacy", "modern"] {
        lists_and_calls(&[TOOLMESH, "serve", &token], era);
    }
}

#[test]
fn the_inspector_lists_and_calls_over_http() {
    let server = ServerProcess::start_command(&mut command(&["serve", TOKEN, "--http=0"]));
    for era in ["legacy", "modern"] {
        lists_and_calls(&[server.url()], era);
    }
}
