//! A client on an in-memory pair of pipes.

use std::{collections::HashMap, time::Duration};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf},
    task::JoinHandle,
};
use toolmesh_json::{Value, View};
use toolmesh_mcp::{McpServer, ServeError};

use crate::{http_client::MODERN, wire_schema::Expected};

/// Longer than anything here takes; shorter than a deadline of the server.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A client, its server running beside it.
pub(crate) struct StdioClient {
    writer: Option<WriteHalf<DuplexStream>>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    server: JoinHandle<Result<(), ServeError>>,
    /// What is known of the answers to come, by id.
    expected: HashMap<String, Expected>,
    /// The revision of the handshake.
    version: Option<String>,
}

impl StdioClient {
    /// Connects to `server`.
    pub(crate) fn connect(server: &McpServer) -> Self {
        let (near, far) = tokio::io::duplex(64 * 1024);
        let server = server.clone();
        let server = tokio::spawn(async move {
            let (reader, writer) = tokio::io::split(far);
            server.serve_io(reader, writer).await
        });
        let (reader, writer) = tokio::io::split(near);
        Self {
            writer: Some(writer),
            lines: BufReader::new(reader).lines(),
            server,
            expected: HashMap::new(),
            version: None,
        }
    }

    /// Sends one line.
    pub(crate) async fn send(&mut self, line: &str) {
        if let Ok(message) = toolmesh_json::parse(line.as_bytes())
            && let Some(id) = message.get("id")
        {
            let mut expected = Expected::of(None, line);
            expected.version = expected.version.or(self.version.clone());
            self.expected.insert(id.to_text(), expected);
        }
        let writer = self.writer.as_mut().expect("the input is open");
        writer
            .write_all(format!("{line}\n").as_bytes())
            .await
            .expect("the server reads");
    }

    /// Sends bytes as they are.
    pub(crate) async fn send_raw(&mut self, bytes: &[u8]) {
        self.writer
            .as_mut()
            .expect("the input is open")
            .write_all(bytes)
            .await
            .expect("the server reads");
    }

    /// The next line.
    pub(crate) async fn line(&mut self) -> String {
        let line = tokio::time::timeout(PATIENCE, self.lines.next_line())
            .await
            .expect("an answer in time");
        let line = line.expect("a readable line").expect("an answer before the end");
        self.check(&line);
        line
    }

    /// Checks a line against the wire schema, as far as it answers what was sent whole.
    fn check(&mut self, line: &str) {
        let message = toolmesh_json::parse(line.as_bytes()).expect("a line is JSON");
        let version = message.pointer("/result/protocolVersion").and_then(View::as_str);
        self.version = version.map(str::to_owned).or(self.version.take());
        let id = message.get("id").filter(|_| message.get("method").is_none());
        let expected = match id.map(|id| self.expected.get(&id.to_text())) {
            Some(Some(expected)) => expected.clone(),
            Some(None) if message.get("result").is_some() => return,
            _ => {
                let tagged = message.pointer("/params/_meta/io.modelcontextprotocol~1subscriptionId");
                let modern = tagged.map(|_| MODERN.to_owned());
                Expected {
                    version: modern.or(self.version.clone()),
                    method: None,
                }
            }
        };
        expected.check(line);
    }

    /// The next line as JSON.
    pub(crate) async fn message(&mut self) -> Value {
        toolmesh_json::parse(self.line().await.as_bytes()).expect("an answer is JSON")
    }

    /// Sends a line and gives the next one.
    pub(crate) async fn ask(&mut self, line: &str) -> String {
        self.send(line).await;
        self.line().await
    }

    /// Closes the input and gives what still comes, until the server ends well.
    pub(crate) async fn finish(mut self) -> Vec<String> {
        drop(self.writer.take().expect("the input is open").shutdown().await);
        let mut rest = Vec::new();
        while let Some(line) = tokio::time::timeout(PATIENCE, self.lines.next_line())
            .await
            .expect("an end in time")
            .expect("readable")
        {
            self.check(&line);
            rest.push(line);
        }
        self.server.await.expect("no panic").expect("a clean end");
        rest
    }
}

/// An `initialize` that asks for `version`.
pub(crate) fn initialize(version: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"test","version":"1"}}}}}}"#
    )
}
