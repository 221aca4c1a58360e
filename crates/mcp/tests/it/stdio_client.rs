//! A client on an in-memory pair of pipes.

use std::time::Duration;

use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf},
    task::JoinHandle,
};
use toolmesh_json::Value;
use toolmesh_mcp::{McpServer, ServeError};
use toolmesh_testkit::wire_schema::Conversation;

/// Longer than anything here takes; shorter than a deadline of the server.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A client, its server running beside it.
pub(crate) struct StdioClient {
    writer: Option<WriteHalf<DuplexStream>>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    server: JoinHandle<Result<(), ServeError>>,
    /// Judges every line that comes.
    conversation: Conversation,
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
            conversation: Conversation::default(),
        }
    }

    /// Sends one line.
    pub(crate) async fn send(&mut self, line: &str) {
        self.conversation.sent(line);
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
        self.conversation.received(&line);
        line
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
            self.conversation.received(&line);
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
