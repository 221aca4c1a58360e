//! What the targets of the MCP server share: a server, ways to ask it, and what it may say when it refuses.

use std::{future::Future, sync::LazyLock};

use bytes::Bytes;
use http::{Request, StatusCode, request};
use http_body_util::{BodyExt as _, Full};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};
use toolmesh_mcp::{HttpOptions, HttpService, McpServer, ServerInfo, ServerLimits};
use toolmesh_tool::{Dispatcher, Prefix, Tool, Toolbox};

/// The revision without a handshake.
pub const STATELESS: &str = "2026-07-28";

/// Every text of an error that the server may give an input of these targets: fixed, so that nothing of the input comes
/// back in one.
const TEXTS: [&str; 17] = [
    "Parse error",
    "Invalid request",
    "Header mismatch",
    "The client lacks a required capability",
    "Unsupported protocol version",
    "Method not found",
    "Invalid params",
    "Invalid cursor",
    "Invalid arguments",
    "Unknown tool",
    "Unknown prompt",
    "Resource not found",
    "Task not found",
    "Unknown parameter header",
    "The operation needs input that this client cannot be asked for",
    "The operation's output cannot be sent",
    "The server is busy",
];

/// A server of these tools.
pub fn server(tools: Vec<Tool>, limits: ServerLimits) -> McpServer {
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("fuzz", Prefix::None).expect("the first mount");
    mount.replace(tools).expect("no collision");
    let dispatcher = Dispatcher::builder(toolbox).build();
    McpServer::with_limits(dispatcher, ServerInfo::new("fuzz", "1"), limits)
}

/// Runs a future of one input to its end.
pub fn run<T>(future: impl Future<Output = T>) -> T {
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
        let runtime = Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime")
    });
    RUNTIME.block_on(future)
}

/// Every line that the server writes on stdio when it reads `input` and then the end, each a JSON-RPC message.
pub fn on_stdio(server: &McpServer, input: &[u8]) -> Vec<Value> {
    let mut output = Vec::new();
    run(server.serve_io(input, &mut output)).expect("memory never fails");
    let output = String::from_utf8(output).expect("the output is UTF-8");
    let lines = output.lines().map(|line| message(line.as_bytes()));
    lines.collect()
}

/// Status and message of an answer over HTTP; null when the body is no JSON.
pub fn over_http(service: &HttpService, head: request::Builder, body: String) -> (StatusCode, Value) {
    let request: Request<Full<Bytes>> = head.body(Full::new(body.into())).expect("a request");
    run(async {
        let (head, body) = service.respond(request).await.into_parts();
        let is_json = head
            .headers
            .get("content-type")
            .is_some_and(|kind| kind == "application/json");
        let body = body.collect().await.expect("a body").to_bytes();
        (head.status, if is_json { message(&body) } else { Value::Null })
    })
}

/// The endpoint of a server, for [`over_http`].
pub fn endpoint(server: &McpServer) -> HttpService {
    server.http_service(HttpOptions::default())
}

/// The head of a request without a handshake.
pub fn head(method: &str) -> request::Builder {
    Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", STATELESS)
        .header("mcp-method", method)
}

/// The `_meta` of a request without a handshake, of a client that can do these things.
pub fn meta(capabilities: &str) -> String {
    format!(
        r#"{{"io.modelcontextprotocol/protocolVersion":"{STATELESS}","io.modelcontextprotocol/clientCapabilities":{capabilities}}}"#
    )
}

/// A message of the server; an error in it says nothing but what is fixed, or what the protocol wants back.
fn message(bytes: &[u8]) -> Value {
    let message: Value = serde_json::from_slice(bytes).expect("a message is JSON");
    assert_eq!(message["jsonrpc"], "2.0", "{message}");
    if let Some(error) = message.get("error") {
        let text = error["message"].as_str().expect("an error has a text");
        assert!(TEXTS.contains(&text), "{message}");
        let data = error.get("data").and_then(Value::as_object);
        let told = data.map(|data| data.keys().map(String::as_str).collect::<Vec<_>>());
        let allowed = match error["code"].as_i64() {
            Some(-32021) => Some(vec!["requiredCapabilities"]),
            Some(-32022) => Some(vec!["supported", "requested"]),
            _ if text == "Resource not found" => told.clone().filter(|told| told == &["uri"]),
            _ => None,
        };
        assert_eq!(told, allowed, "{message}");
    }
    message
}
