//! MCP clients that nobody here wrote.

use serde_json::json;
use toolmesh_testkit::{ServerProcess, Session, Step, http_session, stdio_session};

use crate::support::{HOLDER, RECEIVER, TOKEN, TOOLMESH, command, token_path};

fn transfer_then_look() -> [Step; 4] {
    [
        Step::call("balance_of", json!({"account": RECEIVER})),
        Step::call(
            "transfer",
            json!({"to": RECEIVER, "value": "1000000000000000000", "simulate": false}),
        ),
        Step::call("balance_of", json!({"account": RECEIVER})),
        Step::call("balance_of", json!({"account": HOLDER})),
    ]
}

#[track_caller]
fn saw_the_changed_balance(session: &Session) {
    assert_eq!(session.protocol, "2025-11-25");
    assert_eq!(session.server["name"], "toolmesh");
    assert_eq!(session.tools.len(), 11, "{:?}", session.tool_names());
    let schema = &session.tool("transfer").unwrap()["inputSchema"];
    assert_eq!(schema["type"], "object");
    let [before, sent, after, left] = session.results.as_slice() else {
        panic!("{:?}", session.results)
    };
    assert_eq!(before.structured()["result"], "0");
    assert_eq!(sent.structured()["success"], true);
    assert_eq!(after.structured()["result"], "1000000000000000000");
    assert_eq!(left.structured()["result"], "999999000000000000000000");
}

#[test]
fn the_python_client_over_stdio() {
    let token = token_path().display().to_string();
    saw_the_changed_balance(&stdio_session(
        TOOLMESH,
        &["serve", &token],
        "legacy",
        &transfer_then_look(),
    ));
}

#[test]
fn the_typescript_client_over_http() {
    let server = ServerProcess::start_command(&mut command(&["serve", TOKEN, "--http=0"]));
    saw_the_changed_balance(&http_session(server.url(), &transfer_then_look()));
}

#[test]
fn a_client_reads_why_a_tool_said_no() {
    let server = ServerProcess::start_command(&mut command(&["serve", TOKEN, "--http=0"]));
    let too_much = json!({"to": RECEIVER, "value": "9".repeat(30)});
    let session = http_session(server.url(), &[Step::call("transfer", too_much)]);
    let toolmesh_testkit::CallResult::Answered {
        is_error: true, text, ..
    } = &session.results[0]
    else {
        panic!("{:?}", session.results);
    };
    assert!(text[0].contains("ERC20InsufficientBalance"), "{text:?}");
    let details: serde_json::Value = serde_json::from_str(&text[1]).unwrap();
    assert_eq!(details["error"]["args"]["needed"], "9".repeat(30));
}
