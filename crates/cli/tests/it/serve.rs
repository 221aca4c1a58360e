//! The server as a process: what it says, where it serves, how it ends.

use serde_json::json;
use toolmesh_testkit::{ServerProcess, StdioServer, http};

use crate::support::{TOKEN, TOOLMESH, command};

fn token() -> String {
    crate::support::token_path().display().to_string()
}

#[test]
fn over_http_it_says_where_to_point_a_client_and_nothing_on_standard_output() {
    let server = ServerProcess::start_command(&mut command(&["serve", TOKEN, "--http=0"]));
    assert!(server.url().starts_with("http://127.0.0.1:"), "{}", server.url());
    assert!(server.stderr().contains("Serving 9 tools"), "{}", server.stderr());
    assert_eq!(server.stdout(), "");
}

#[test]
fn in_revision_2026_07_28_a_call_needs_no_session() {
    let server = ServerProcess::start_command(&mut command(&["serve", TOKEN, "--http=0"]));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}
    });
    let post = |method: &str, name: Option<&str>, params: serde_json::Value| {
        let mut headers = vec![("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)];
        headers.extend(name.map(|name| ("Mcp-Name", name)));
        let mut params = params;
        params["_meta"] = meta.clone();
        server.post(&headers, &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
    };
    let listed = post("tools/list", None, json!({}));
    assert_eq!(listed.status, 200, "{}", listed.text());
    assert_eq!(listed.json()["result"]["tools"].as_array().unwrap().len(), 9, "{}", listed.text());

    let transfer = json!({"to": crate::support::RECEIVER, "value": "7", "simulate": false});
    let sent = post("tools/call", Some("transfer"), json!({"name": "transfer", "arguments": transfer}));
    assert_eq!(sent.json()["result"]["structuredContent"]["success"], true, "{}", sent.text());
    let account = json!({"account": crate::support::RECEIVER});
    let balance = post("tools/call", Some("balance_of"), json!({"name": "balance_of", "arguments": account}));
    assert_eq!(balance.json()["result"]["structuredContent"]["result"], "7", "{}", balance.text());
}

#[test]
fn a_page_of_another_origin_is_refused() {
    let server = ServerProcess::start_command(&mut command(&["serve", TOKEN, "--http=0"]));
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(server.post(&[("Origin", "https://evil.example")], &ping).status, 403);
}

#[test]
fn an_allowed_origin_of_the_configuration_is_let_in() {
    let mut command = command(&["serve", TOKEN, "--http=0"]);
    let server = ServerProcess::start_command(command.env("TOOLMESH_SERVER_ORIGINS", "https://app.example"));
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_ne!(server.post(&[("Origin", "https://app.example")], &ping).status, 403);
    assert_eq!(server.post(&[("Origin", "https://evil.example")], &ping).status, 403);
}

#[test]
fn over_stdio_it_ends_with_its_input() {
    let mut server = StdioServer::start(TOOLMESH, &["serve", &token()]);
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}});
    assert_eq!(server.request(&hello)["result"]["serverInfo"]["name"], "toolmesh");
    let finished = server.close();
    assert_eq!((finished.code(), finished.stderr.as_str()), (Some(0), ""));
}

#[test]
fn stdio_and_http_serve_one_and_the_same_chain() {
    let mut server = StdioServer::start(TOOLMESH, &["serve", &token(), "--stdio", "--http=0"]);
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}});
    assert_eq!(server.request(&hello)["id"], 1);
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "symbol", "arguments": {}}});
    assert!(server.request(&call)["result"]["structuredContent"]["result"].is_string());
}

#[cfg(unix)]
#[test]
fn told_to_stop_it_ends_well() {
    let folder = crate::support::folder(&[]);
    let log = folder.path().join("log");
    for flags in ["--http=0", "--stdio"] {
        // The shell's own child is asked to stop once it has said that it serves, and its exit code is the shell's.
        let script = format!(
            "exec 3< <(sleep 60); \"$0\" serve \"$1\" {flags} <&3 2>\"$2\" & child=$!; \
             for try in $(seq 200); do kill -0 $child || break; sleep 0.05; \
             [ {flags} = --stdio ] && [ $try -ge 20 ] && break; grep -q Serving \"$2\" && break; done; \
             kill -TERM $child; wait $child"
        );
        let finished =
            toolmesh_testkit::run("bash", &["-c", &script, TOOLMESH, &token(), &log.to_string_lossy()]);
        assert_eq!(finished.code(), Some(0), "{flags}: {}", finished.stderr);
        assert_eq!(finished.stdout, "");
    }
}

#[test]
fn the_endpoint_answers_only_at_its_path() {
    let server = ServerProcess::start_command(&mut command(&["serve", TOKEN, "--http=0"]));
    let elsewhere = server.url().replace("/mcp", "/other");
    assert_eq!(http::Request::new("GET", &elsewhere).send().status, 404);
}
