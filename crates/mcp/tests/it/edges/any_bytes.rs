//! Whatever bytes come in: what goes out is the protocol, and there is an end.

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Request};
use http_body_util::{BodyExt as _, Full};
use proptest::prelude::*;
use toolmesh_json::View;
use toolmesh_mcp::HttpOptions;

use toolmesh_testkit::wire_schema::Expected;

use crate::toolbox::server;

/// Messages that are nearly right, to be broken.
const SEEDS: [&str; 6] = [
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"1-0"}}"#,
    r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo","arguments":{"message":"é"}}}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","requestState":"soklet-mcp-request-state-v1.AQ","inputResponses":{}}}"#,
    r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
    r#"[{"jsonrpc":"2.0","id":1e400,"result":{}}]"#,
];

/// Bytes: random ones, or a message with some of its bytes replaced.
fn message() -> impl Strategy<Value = Vec<u8>> {
    let broken = (
        0..SEEDS.len(),
        prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
    );
    let broken = broken.prop_map(|(seed, changes)| {
        let mut bytes = SEEDS[seed].as_bytes().to_vec();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes
    });
    prop_oneof![3 => broken, 1 => prop::collection::vec(any::<u8>(), 0..64)]
}

fn runtime() -> tokio::runtime::Runtime {
    let built = tokio::runtime::Builder::new_current_thread().enable_all().build();
    built.expect("a runtime")
}

proptest! {
    #[test]
    fn on_stdio_each_line_out_is_a_message_and_no_line_in_has_two_answers(lines in prop::collection::vec(message(), 0..6)) {
        let input = lines.join(&b'\n');
        let mut output = Vec::new();
        runtime().block_on(server().serve_io(&*input, &mut output)).expect("memory never fails");
        let answered = output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(|line| {
            let message = toolmesh_json::parse(line).expect("the output is JSON");
            assert_eq!(message.get("jsonrpc").and_then(View::as_str), Some("2.0"));
            usize::from(message.get("method").is_none())
        });
        prop_assert!(answered.sum::<usize>() <= input.split(|byte| *byte == b'\n').count());
    }

    #[test]
    fn over_http_there_is_always_an_answer_and_one_in_json_is_a_message(
        body in message(),
        fields in prop::collection::vec((0..FIELDS.len(), prop_oneof![Just(None), any::<Vec<u8>>().prop_map(Some)]), 0..6),
    ) {
        let mut request = Request::post("/mcp").header("host", "localhost").header("content-type", "application/json");
        let text = String::from_utf8_lossy(&body).into_owned();
        for (index, value) in fields {
            let (name, usual) = FIELDS[index];
            let value = value.unwrap_or_else(|| usual.as_bytes().to_vec());
            if let Ok(value) = HeaderValue::from_bytes(&value) {
                request = request.header(HeaderName::from_static(name), value);
            }
        }
        let request = request.body(Full::new(Bytes::from(body))).expect("a request");
        let version = request.headers().get("mcp-protocol-version").and_then(|version| version.to_str().ok());
        let expected = Expected::of(version.map(str::trim), &text);
        runtime().block_on(async {
            let (head, body) = server().http_service(HttpOptions::default()).respond(request).await.into_parts();
            if head.headers.get("content-type").is_some_and(|kind| kind == "application/json") {
                let body = body.collect().await.expect("a body").to_bytes();
                expected.check(std::str::from_utf8(&body).expect("UTF-8"));
            }
        });
    }
}

/// Fields of the protocol, each with a value that is right somewhere.
const FIELDS: [(&str, &str); 8] = [
    ("mcp-protocol-version", "2026-07-28"),
    ("mcp-protocol-version", "2025-11-25"),
    ("mcp-method", "tools/call"),
    ("mcp-name", "=?base64?ZWNobw==?="),
    ("mcp-param-a", "=?base64?="),
    ("mcp-session-id", "none"),
    ("origin", "http://localhost:1"),
    ("authorization", "Bearer x"),
];
