//! Another MCP server as a source, and the edges of the HTTP endpoint, through the program itself.

use serde_json::{Value, json};
use toolmesh_testkit::{
    ServerProcess, StdioServer, Step, http, http_session,
    paths::{client_script, python},
};

use crate::support::{HOLDER, TOKEN, TOOLMESH, command, folder, screen, token_path, toolmesh, toolmesh_with};

/// This program as an upstream server, in a location.
fn ourselves() -> String {
    format!("mcp:{TOOLMESH} serve {}", token_path().display())
}

/// A server in Python as an upstream one, in a location.
pub(crate) fn python_server() -> String {
    let script = client_script("python", "upstream_server.py");
    format!("mcp:{} {}", python().display(), script.display())
}

#[test]
fn tools_of_another_server_are_listed_inspected_and_called() {
    let upstream = ourselves();
    let own: Value = crate::support::json(&toolmesh(&["tools", TOKEN, "--format", "mcp"]));
    let joined: Value = crate::support::json(&toolmesh(&["tools", &upstream, "--format", "mcp"]));
    let schemas = |tools: &Value| {
        let tools = tools.as_array().unwrap().iter();
        tools
            .map(|tool| {
                (
                    tool["name"].clone(),
                    tool["inputSchema"].clone(),
                    tool["outputSchema"].clone(),
                )
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(schemas(&joined), schemas(&own));
    let inspected = crate::support::json(&toolmesh(&["inspect", &upstream, "--format", "json"]));
    assert_eq!(inspected["kind"], "mcp");
    assert_eq!(
        inspected["notes"][0],
        "toolmesh 0.1.0, protocol revision 2026-07-28"
    );
    let arguments = json!({"account": HOLDER}).to_string();
    let called = crate::support::json(&toolmesh(&["call", "balance_of", &arguments, &upstream]));
    assert_eq!(called["result"], "1000000000000000000000000");
    let wrong = toolmesh(&["call", "balance_of", r#"{"account":"x"}"#, &upstream]);
    assert_eq!(wrong.code(), Some(1), "{}", screen(&wrong));
}

#[cfg(target_os = "linux")]
#[test]
fn no_verb_leaves_the_program_of_an_upstream_server_behind() {
    let folder = folder(&[]);
    let [pid, script] = ["pid", "server.sh"].map(|name| folder.path().join(name));
    let server = client_script("python", "upstream_server.py");
    // It goes on when its input has ended.
    let text = format!(
        "echo $$ > '{}'\n'{}' '{}'\nexec sleep 600\n",
        pid.display(),
        python().display(),
        server.display()
    );
    std::fs::write(&script, text).unwrap();
    let server = format!("mcp:sh {}", script.display());
    for verb in [
        &["tools", &server][..],
        &["describe", "tick", &server],
        &["call", "nobody", &server],
        &["doctor", &server],
    ] {
        toolmesh(verb);
        let pid = std::fs::read_to_string(&pid).unwrap();
        let is_there = std::path::Path::new("/proc").join(pid.trim()).exists();
        assert!(!is_there, "{verb:?} left {pid}");
    }
}

#[test]
fn a_server_of_another_language_is_served_on_to_a_client_of_a_third() {
    let server = ServerProcess::start_command(&mut command(&["serve", &python_server(), TOKEN, "--http=0"]));
    let session = http_session(
        server.url(),
        &[Step::call("upstream_server_add", json!({"a": 40, "b": 2}))],
    );
    assert!(
        session.tool_names().contains(&"upstream_server_greet"),
        "{:?}",
        session.tool_names()
    );
    assert!(session.tool_names().contains(&"token_balance_of"));
    assert_eq!(session.results[0].structured(), &json!({"result": 42}));
}

#[test]
fn a_question_of_a_python_server_reaches_a_client_on_stdio_and_its_answer_comes_back() {
    let mut server = StdioServer::start(TOOLMESH, &["serve", &python_server()]);
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "raw", "version": "1"}}});
    let _ = server.request(&hello);
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    // The gateway speaks 2026-07-28 with this server, in which that SDK does not ask.
    let sum = server.request(
        &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "add", "arguments": {"a": 1, "b": 2}}}),
    );
    assert_eq!(sum["result"]["structuredContent"], json!({"result": 3}));
    assert_eq!(server.close().code(), Some(0));
}

#[test]
fn neither_a_headers_value_nor_a_urls_secret_is_printed() {
    let url = "mcp:http://127.0.0.1:9/secret?key=secret";
    let variables = [(
        "TOOLMESH_SOURCE_127_0_0_1_HEADERS",
        r#"{"Authorization":"Bearer secret"}"#,
    )];
    let failed = toolmesh_with(&variables, &["tools", url]);
    assert_eq!(failed.code(), Some(5), "{}", screen(&failed));
    assert!(!screen(&failed).contains("secret"), "{}", screen(&failed));
    assert!(
        failed.stderr.contains("mcp:http://127.0.0.1:9"),
        "{}",
        screen(&failed)
    );
    let missing = toolmesh(&["tools", "mcp:./no-such-program secret"]);
    assert_eq!(missing.code(), Some(3), "{}", screen(&missing));
    assert!(!screen(&missing).contains("secret"), "{}", screen(&missing));
}

#[test]
fn a_token_of_the_environment_or_of_a_file_is_asked_for() {
    let files = folder(&[
        ("tokens", "ada 0123456789abcdef\n"),
        ("toolmesh.toml", "[server]\ntokens_file = \"tokens\"\n"),
    ]);
    let config = files.path().join("toolmesh.toml").display().to_string();
    let mut start = command(&["serve", TOKEN, "--http=0", "--config", &config]);
    let server = ServerProcess::start_command(start.env("TOOLMESH_HTTP_TOKEN", "fedcba9876543210"));
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
    let with = |token: &str| {
        let request = http::Request::post_json(server.url(), list.clone());
        request
            .header("Authorization", &format!("Bearer {token}"))
            .send()
            .status
    };
    assert_eq!(with("0123456789abcdef"), 200);
    assert_eq!(with("fedcba9876543210"), 200);
    assert_eq!(with("0000000000000000"), 401);
    let without = http::Request::post_json(server.url(), list.clone()).send();
    assert_eq!(
        (without.status, without.header("www-authenticate")),
        (401, Some("Bearer"))
    );
}

#[test]
fn the_compact_form_lists_three_tools_and_calls_all() {
    let mut server = StdioServer::start(
        TOOLMESH,
        &["serve", &token_path().display().to_string(), "--compact"],
    );
    let listed = server.request(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 3);
    let call = |id: u64, name: &str, arguments: Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
    let found = server.request(&call(
        2,
        "search_tools",
        json!({"query": "balance of an account"}),
    ));
    assert_eq!(
        found["result"]["structuredContent"]["tools"][0]["name"],
        "balance_of"
    );
    let inner = json!({"name": "balance_of", "arguments": {"account": HOLDER}});
    let called = server.request(&call(3, "call_tool", inner));
    assert_eq!(
        called["result"]["structuredContent"]["result"],
        "1000000000000000000000000"
    );
    assert_eq!(server.close().code(), Some(0));
}
