//! Clients of the HTTP endpoint: one in memory, one on a socket.

use std::net::SocketAddr;

use bytes::Bytes;
use http::{HeaderMap, Request};
use http_body_util::{BodyExt as _, Full};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use toolmesh_json::{Value, View};
use toolmesh_mcp::{HttpOptions, McpServer};

use toolmesh_testkit::wire_schema::Expected;

use crate::{over_socket, stdio_client::PATIENCE};

/// The revision that describes itself in every request.
pub(crate) const MODERN: &str = "2026-07-28";

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Answer {
    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        toolmesh_json::parse(self.body.as_bytes()).expect("an answer is JSON")
    }

    /// The error's code.
    pub(crate) fn code(&self) -> i64 {
        self.json()
            .pointer("/error/code")
            .and_then(View::as_i64)
            .expect("an error")
    }

    /// A header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// The headers that every request here has.
pub(crate) const USUAL: [(&str, &str); 3] = [
    ("host", "localhost"),
    ("content-type", "application/json"),
    ("accept", "application/json, text/event-stream"),
];

/// Posts `body` with the usual headers, `changed` ones in their place.
pub(crate) async fn post(server: &McpServer, changed: &[(&str, &str)], body: &str) -> Answer {
    let mut request = Request::post("/mcp");
    for (name, value) in USUAL
        .iter()
        .filter(|(name, _)| !changed.iter().any(|(other, _)| other == name))
    {
        request = request.header(*name, *value);
    }
    for (name, value) in changed {
        request = request.header(*name, *value);
    }
    let version = changed.iter().find(|(name, _)| *name == "mcp-protocol-version");
    let expected = Expected::of(version.map(|(_, version)| *version), body);
    let request = request
        .body(Full::new(Bytes::copy_from_slice(body.as_bytes())))
        .expect("a request");
    let response = server.http_service(HttpOptions::default()).respond(request).await;
    let (head, body) = response.into_parts();
    let body = body.collect().await.expect("a body").to_bytes();
    let answer = Answer {
        status: head.status.as_u16(),
        headers: head.headers,
        body: String::from_utf8(body.into()).expect("UTF-8"),
    };
    expected.check_body(answer.header("content-type").unwrap_or_default(), &answer.body);
    answer
}

/// A request of `version` as a right client sends it: its headers and its body.
pub(crate) fn request(version: &str, method: &str, params: &str) -> (Vec<(&'static str, String)>, String) {
    let mut headers = vec![("mcp-protocol-version", version.to_owned())];
    let mut params = params.to_owned();
    if version == MODERN {
        let parsed = toolmesh_json::parse(params.as_bytes()).expect("params are JSON");
        let named = parsed
            .get("name")
            .or_else(|| parsed.get("uri"))
            .and_then(View::as_str);
        headers.push(("mcp-method", method.to_owned()));
        headers.extend(named.map(|name| ("mcp-name", name.to_owned())));
        params = with_meta(&params);
    }
    (
        headers,
        format!(r#"{{"jsonrpc":"2.0","id":"r","method":"{method}","params":{params}}}"#),
    )
}

/// Params with the `_meta` of the stateless revision, unless they have one of their own.
pub(crate) fn with_meta(params: &str) -> String {
    if params.contains("\"_meta\"") {
        return params.replace("\"_meta\":{", &format!("\"_meta\":{{{META},"));
    }
    let rest = params.trim_start_matches('{');
    let comma = if rest.starts_with('}') { "" } else { "," };
    format!(r#"{{"_meta":{{{META}}}{comma}{rest}"#)
}

/// The members that the stateless revision needs in `_meta`.
pub(crate) const META: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}"#;

/// Sends a request of `version` as a right client sends it.
pub(crate) async fn ask(server: &McpServer, version: &str, method: &str, params: &str) -> Answer {
    let (headers, body) = request(version, method, params);
    let headers: Vec<_> = headers
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    post(server, &headers, &body).await
}

/// Sends `text` over a socket, closes nothing, and reads until the server closes.
pub(crate) async fn raw(address: SocketAddr, text: &str) -> String {
    let mut stream = TcpStream::connect(address).await.expect("a connection");
    stream.write_all(text.as_bytes()).await.expect("the server reads");
    let mut answer = Vec::new();
    tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer))
        .await
        .expect("an end in time")
        .expect("readable");
    over_socket::check(text.as_bytes(), &answer);
    String::from_utf8(answer).expect("UTF-8")
}

/// A whole request as text, to be sent over a socket; the connection ends with the answer.
pub(crate) fn text(address: SocketAddr, headers: &[(&str, String)], body: &str) -> String {
    let mut text = format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\nconnection: close\r\ncontent-length: {}\r\n",
        body.len()
    );
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text + "\r\n" + body
}
