//! The server as a process: what it says, where it serves, how it ends.

use std::{io::Write as _, process::Stdio, time::Duration};
#[cfg(unix)]
use std::{
    io::{BufRead as _, BufReader},
    sync::atomic::{AtomicU64, Ordering},
};

use serde_json::{Value, json};
#[cfg(unix)]
use toolmesh_testkit::Finished;
use toolmesh_testkit::{Running, ServerProcess, StdioServer, Step, http, http_session};

use crate::support::{RECEIVER, TOKEN, TOOLMESH, command};

/// How long a debug build may take on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

fn hello() -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}})
}

fn token() -> String {
    crate::support::token_path().display().to_string()
}

#[test]
fn over_http_it_says_where_to_point_a_client_and_nothing_on_standard_output() {
    let server = ServerProcess::start_command(&mut command(&["serve", TOKEN, "--http=0"]));
    assert!(server.url().starts_with("http://127.0.0.1:"), "{}", server.url());
    assert!(
        server.stderr().contains("Serving 11 tools"),
        "{}",
        server.stderr()
    );
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
    let post = |method: &str, name: Option<&str>, params: Value| {
        let mut headers = vec![("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)];
        headers.extend(name.map(|name| ("Mcp-Name", name)));
        let mut params = params;
        params["_meta"] = meta.clone();
        server.post(
            &headers,
            &json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}),
        )
    };
    let listed = post("tools/list", None, json!({}));
    assert_eq!(listed.status, 200, "{}", listed.text());
    assert_eq!(
        listed.json()["result"]["tools"].as_array().unwrap().len(),
        11,
        "{}",
        listed.text()
    );

    let transfer = json!({"to": RECEIVER, "value": "7", "simulate": false});
    let sent = post(
        "tools/call",
        Some("transfer"),
        json!({"name": "transfer", "arguments": transfer}),
    );
    assert_eq!(
        sent.json()["result"]["structuredContent"]["success"],
        true,
        "{}",
        sent.text()
    );
    let account = json!({"account": RECEIVER});
    let balance = post(
        "tools/call",
        Some("balance_of"),
        json!({"name": "balance_of", "arguments": account}),
    );
    assert_eq!(
        balance.json()["result"]["structuredContent"]["result"],
        "7",
        "{}",
        balance.text()
    );
}

#[test]
fn a_page_of_another_origin_is_refused() {
    let server = ServerProcess::start_command(&mut command(&["serve", TOKEN, "--http=0"]));
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(
        server.post(&[("Origin", "https://evil.example")], &ping).status,
        403
    );
}

#[test]
fn an_allowed_origin_of_the_configuration_is_let_in() {
    let mut command = command(&["serve", TOKEN, "--http=0"]);
    let server = ServerProcess::start_command(command.env("TOOLMESH_SERVER_ORIGINS", "https://app.example"));
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_ne!(
        server.post(&[("Origin", "https://app.example")], &ping).status,
        403
    );
    assert_eq!(
        server.post(&[("Origin", "https://evil.example")], &ping).status,
        403
    );
}

#[test]
fn over_stdio_it_ends_with_its_input() {
    let mut server = StdioServer::start(TOOLMESH, &["serve", &token()]);
    assert_eq!(
        server.request(&hello())["result"]["serverInfo"]["name"],
        "toolmesh"
    );
    let finished = server.close();
    assert_eq!((finished.code(), finished.stderr.as_str()), (Some(0), ""));
}

#[test]
fn stdio_and_http_serve_one_and_the_same_chain() {
    let mut server = Running::start(command(&["serve", TOKEN, "--stdio", "--http=0"]).stdin(Stdio::piped()));
    let url = server.stderr_line("where it serves", LIMIT, |line| {
        line.split(' ')
            .find(|word| word.starts_with("http://"))
            .map(str::to_owned)
    });
    let transfer =
        json!({"name": "transfer", "arguments": {"to": RECEIVER, "value": "7", "simulate": false}});
    let messages = [
        hello(),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": transfer}),
    ];
    let stdin = server.child().stdin.as_mut().unwrap();
    for message in messages {
        stdin.write_all(format!("{message}\n").as_bytes()).unwrap();
    }
    let sent: Value = serde_json::from_str(&server.stdout_line_at(1, LIMIT)).unwrap();
    assert_eq!(sent["result"]["structuredContent"]["success"], true, "{sent}");
    let looked = http_session(&url, &[Step::call("balance_of", json!({"account": RECEIVER}))]);
    assert_eq!(looked.results[0].structured()["result"], "7");
}

#[cfg(unix)]
#[track_caller]
fn stop(process: Running) -> Finished {
    let told = toolmesh_testkit::run("kill", &["-TERM", &process.id().to_string()]);
    assert_eq!(told.code(), Some(0), "{}", told.stderr);
    process.finish(LIMIT)
}

#[cfg(unix)]
#[test]
fn told_to_stop_over_http_it_ends_well() {
    let server = Running::start(command(&["serve", TOKEN, "--http=0"]).stdin(Stdio::null()));
    server.stderr_line("where it serves", LIMIT, |line| {
        line.contains("/mcp").then_some(())
    });
    let finished = stop(server);
    assert_eq!((finished.code(), finished.stdout.as_str()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn told_to_stop_over_stdio_it_ends_well_though_its_input_goes_on() {
    let mut server = Running::start(command(&["serve", TOKEN]).stdin(Stdio::piped()));
    let stdin = server.child().stdin.as_mut().unwrap();
    stdin.write_all(format!("{}\n", hello()).as_bytes()).unwrap();
    assert!(server.stdout_line_at(0, LIMIT).contains("serverInfo"));
    let finished = stop(server);
    assert_eq!((finished.code(), finished.stderr.as_str()), (Some(0), ""));
}

/// Asks as fast as it is answered, until the server reads no more, and counts the answers.
#[cfg(unix)]
fn ask_on_and_on(mut input: impl std::io::Write, output: impl std::io::Read, asked: &AtomicU64) {
    let ping = format!("{}\n", json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}));
    let mut answers = BufReader::new(output).lines();
    while input.write_all(ping.as_bytes()).is_ok() {
        match answers.next() {
            Some(Ok(answer)) => assert!(answer.contains("\"result\""), "{answer}"),
            _ => return,
        }
        asked.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(unix)]
#[test]
fn told_to_stop_it_ends_though_a_client_asks_on_and_on() {
    let mut server = command(&["serve", TOKEN])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (input, output) = (server.stdin.take().unwrap(), server.stdout.take().unwrap());
    let asked = AtomicU64::new(0);
    std::thread::scope(|scope| {
        let client = scope.spawn(|| ask_on_and_on(input, output, &asked));
        while asked.load(Ordering::Relaxed) < 1_000 && !client.is_finished() {
            std::thread::yield_now();
        }
        let told = toolmesh_testkit::run("kill", &["-TERM", &server.id().to_string()]);
        assert_eq!(told.code(), Some(0), "{}", told.stderr);
        assert_eq!(server.wait().unwrap().code(), Some(0));
        client.join().unwrap();
    });
    assert!(asked.load(Ordering::Relaxed) >= 1_000);
}

#[test]
fn the_endpoint_answers_only_at_its_path() {
    let server = ServerProcess::start_command(&mut command(&["serve", TOKEN, "--http=0"]));
    let elsewhere = server.url().replace("/mcp", "/other");
    assert_eq!(http::Request::new("GET", &elsewhere).send().status, 404);
}
