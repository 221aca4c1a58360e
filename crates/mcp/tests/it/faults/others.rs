//! Faults that a single call cannot show: those of sessions, tasks and questions, and what is refused before there is a
//! message. Every row of the error map stands in one golden file or another (a unit test of the tables counts them).

use std::{fmt::Write as _, time::Duration};

use http::Method;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use toolmesh_mcp::{HttpOptions, HttpService, McpServer, ServerInfo, ServerLimits};
use toolmesh_tool::{CallContext, ClientCapability, Dispatcher, Prefix, Tool, ToolResult, Toolbox};

use crate::{
    http_client::{MODERN, ask, request, text},
    session_client::{SessionClient, Stream},
    stdio_client::PATIENCE,
    toolbox::{server, server_with},
};

/// Name and answer of each fault, to be read as a whole.
#[derive(Default)]
struct Told(String);

impl Told {
    fn add(&mut self, name: &str, status: u16, body: &str) {
        let _ = write!(self.0, "{name}\n< {status} {}\n\n", body.trim_end());
    }

    async fn stream(&mut self, name: &str, answer: Stream) {
        let status = answer.status;
        self.add(name, status, &answer.rest().await);
    }
}

/// A server whose one tool needs a client that can be asked for samples.
fn demanding_server() -> McpServer {
    let toolbox = Toolbox::new();
    let tool = Tool::with_name("demanding")
        .json_object_arguments()
        .handler(|_: CallContext, _| async { ToolResult::text("done") })
        .require_capability(ClientCapability::Sampling)
        .build();
    let mount = toolbox.mount("one", Prefix::None).expect("the first mount");
    mount
        .replace(vec![tool.expect("a sound tool")])
        .expect("no collision");
    McpServer::new(Dispatcher::builder(toolbox).build(), ServerInfo::new("one", "1"))
}

/// What a revision with a handshake tells.
async fn told_after_a_handshake(version: &'static str) -> String {
    let mut told = Told::default();
    let asked = ask(&server(), version, "tools/call", r#"{"name":"ask"}"#).await;
    told.add(
        "the tool asks a client without a session",
        asked.status,
        &asked.body,
    );
    let call = r#"{"name":"demanding"}"#;
    let demanded = ask(&demanding_server(), version, "tools/call", call).await;
    told.add("the client lacks a capability", demanded.status, &demanded.body);

    let client = SessionClient::open(&server(), version, "{}").await;
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let mirrored = [("mcp-method", "tools/list")];
    told.stream(
        "a mirrored header says otherwise",
        client.send(Method::POST, &mirrored, ping).await,
    )
    .await;
    let (other, service) = ([("mcp-session-id", "other")], &client.service);
    told.stream(
        "the session is named twice",
        client.send(Method::POST, &other, ping).await,
    )
    .await;
    for method in [Method::POST, Method::GET, Method::DELETE] {
        let name = format!("{method} in a session that is not there");
        told.stream(&name, Stream::open(service, method, &other, ping).await)
            .await;
    }
    let event = [("last-event-id", "7-7")];
    told.stream(
        "there is no such event to go on from",
        client.send(Method::GET, &event, "").await,
    )
    .await;
    told.0
}

#[tokio::test]
async fn other_faults_as_2025_06_18_tells_them() {
    insta::assert_snapshot!(told_after_a_handshake("2025-06-18").await);
}

#[tokio::test]
async fn other_faults_as_2025_11_25_tells_them() {
    insta::assert_snapshot!(told_after_a_handshake("2025-11-25").await);
}

#[tokio::test]
async fn other_faults_as_2026_07_28_tells_them() {
    let mut told = Told::default();
    let asked = ask(&server(), MODERN, "tools/call", r#"{"name":"ask"}"#).await;
    told.add(
        "the tool asks a client that cannot be asked",
        asked.status,
        &asked.body,
    );
    let service = server().http_service(HttpOptions::default());
    let able = r#"{"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;
    told.stream("there is no such task", task(&service, able).await)
        .await;
    told.stream("the client knows no tasks", task(&service, "{}").await)
        .await;
    insta::assert_snapshot!(told.0);
}

/// Asks for a task that is not there.
async fn task(service: &HttpService, capabilities: &str) -> Stream {
    let (mut head, body) = request(MODERN, "tasks/get", r#"{"taskId":"none"}"#);
    head.push(("mcp-name", "none".to_owned()));
    let head: Vec<_> = head.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let able = format!(r#"clientCapabilities":{capabilities}"#);
    let body = body.replace(r#"clientCapabilities":{}"#, &able);
    Stream::open(service, Method::POST, &head, &body).await
}

/// What is refused before there is a message, the same in every revision.
#[tokio::test]
async fn what_is_refused_before_there_is_a_message() {
    let limits = ServerLimits::default()
        .with_message_bytes(100)
        .expect("below the ceiling");
    let options = HttpOptions::default().read_timeout(Duration::from_millis(100));
    let (server, _mount) = server_with(limits);
    let bound = server.bind_http(([127, 0, 0, 1], 0).into(), options);
    let bound = bound.await.expect("a free port");
    let address = bound.local_addr();
    let serving = tokio::spawn(bound.serve(std::future::pending()));
    let sound = text(address, &[], r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    let with = |field: &str| sound.replace("connection:", &format!("{field}\r\nconnection:"));
    let without = |name: &str| {
        let lines = sound.split_inclusive("\r\n");
        lines.filter(|line| !line.starts_with(name)).collect::<String>()
    };
    let mut told = Told::default();
    for (name, sent) in [
        ("another path", sound.replace("/mcp", "/other")),
        (
            "a long target",
            sound.replace("/mcp", &format!("/mcp?{}", "q".repeat(8_192))),
        ),
        ("a large head", with(&format!("a: {}", "v".repeat(64 * 1024)))),
        (
            "another host",
            sound.replace(&format!("host: {address}"), "host: evil.example"),
        ),
        ("two hosts", with(&format!("host: {address}"))),
        ("no host", without("host:")),
        ("another origin", with("origin: https://evil.example")),
        ("another method", sound.replace("POST", "PUT")),
        ("a stream of no session", sound.replace("POST", "GET")),
        ("the end of no session", sound.replace("POST", "DELETE")),
        ("no media type", without("content-type:")),
        ("a coding", with("content-encoding: gzip")),
        (
            "streams are not accepted",
            sound.replace(", text/event-stream", ""),
        ),
        ("a large body", text(address, &[], &" ".repeat(101))),
        ("a body that stops", sound.trim_end_matches('}').to_owned()),
    ] {
        let answer = answer(address, &sent, Sending::GoesOn).await;
        let _ = write!(told.0, "{name}\n< {answer}\n\n");
    }
    let broken = answer(address, sound.trim_end_matches('}'), Sending::IsOver).await;
    let _ = write!(told.0, "a body that ends early\n< {broken}\n\n");
    serving.abort();
    insta::assert_snapshot!(told.0);
}

/// Whether the client closes its half of the connection.
enum Sending {
    GoesOn,
    IsOver,
}

/// Status and body of what comes back, and what it allows.
async fn answer(address: std::net::SocketAddr, sent: &str, sending: Sending) -> String {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    // A server that refuses early may close before everything is written.
    let _ = stream.write_all(sent.as_bytes()).await;
    if matches!(sending, Sending::IsOver) {
        stream.shutdown().await.expect("closed");
    }
    let mut answer = Vec::new();
    let read = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer)).await;
    let _ = read.expect("an end in time");
    let answer = String::from_utf8(answer).expect("UTF-8");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.get(9..12).unwrap_or("nothing");
    let mut allowed = head
        .lines()
        .filter(|line| line.starts_with("allow") || line.starts_with("accept"));
    let allowed = allowed
        .next()
        .map_or_else(String::new, |line| format!("({line}) "));
    format!("{status} {allowed}{}", body.trim_end())
}
