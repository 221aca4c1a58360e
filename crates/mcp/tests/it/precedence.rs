//! Two faults at once: the earlier step answers. What is checked before the body is a message has its
//! tests beside the code.

use crate::{
    http_client::{META, MODERN, post},
    toolbox::server,
};

const OTHER_META: &str = r#""io.modelcontextprotocol/protocolVersion":"2030-01-01","io.modelcontextprotocol/clientCapabilities":{}"#;

/// Status and code of the answer to `body` of the stateless revision with these headers.
async fn told(headers: &[(&str, &str)], body: &str) -> (u16, i64) {
    let answer = post(&server(), headers, body).await;
    (answer.status, answer.code())
}

fn call(meta: &str, params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"_meta":{{{meta}}},{params}}}}}"#)
}

const V: (&str, &str) = ("mcp-protocol-version", MODERN);
const M: (&str, &str) = ("mcp-method", "tools/call");
const N: (&str, &str) = ("mcp-name", "echo");

#[tokio::test]
async fn the_media_type_is_checked_before_the_json() {
    let answer = post(&server(), &[("content-type", "text/plain")], "{").await;
    assert_eq!(answer.status, 415);
}

#[tokio::test]
async fn the_json_is_checked_before_the_envelope() {
    assert_eq!(told(&[], r#"{"jsonrpc":"1.0""#).await, (400, -32700));
    assert_eq!(
        told(&[], r#"{"jsonrpc":"1.0","jsonrpc":"1.0"}"#).await,
        (400, -32700)
    );
}

#[tokio::test]
async fn the_envelope_is_checked_before_the_headers() {
    let two_versions = [V, V];
    assert_eq!(
        told(&two_versions, r#"{"jsonrpc":"1.0","id":1}"#).await,
        (400, -32600)
    );
}

#[tokio::test]
async fn the_headers_are_checked_before_the_version_is_selected() {
    let body = call(OTHER_META, r#""name":"echo""#);
    assert_eq!(
        told(
            &[("mcp-protocol-version", "2030-01-01"), ("mcp-method", "x"), N],
            &body
        )
        .await,
        (400, -32020)
    );
    assert_eq!(
        told(&[("mcp-protocol-version", "2030-01-01"), M, N], &body).await,
        (400, -32022)
    );
}

#[tokio::test]
async fn the_meta_is_checked_before_the_params() {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":[]}}"#;
    assert_eq!(told(&[V, M, N], body).await, (400, -32602));
    let other_version = call(OTHER_META, r#""name":"echo","arguments":[]"#);
    assert_eq!(told(&[V, M, N], &other_version).await, (400, -32020));
}

#[tokio::test]
async fn the_params_are_checked_before_the_tool_is_looked_up() {
    let answer = post(
        &server(),
        &[V, M, ("mcp-name", "nothing")],
        &call(META, r#""name":"nothing","arguments":[]"#),
    )
    .await;
    assert!(
        answer.body.contains(r#""message":"Invalid params""#),
        "{}",
        answer.body
    );
    let answer = post(
        &server(),
        &[V, M, ("mcp-name", "nothing")],
        &call(META, r#""name":"nothing""#),
    )
    .await;
    assert!(
        answer.body.contains(r#""message":"Unknown tool""#),
        "{}",
        answer.body
    );
}

#[tokio::test]
async fn the_tool_is_looked_up_before_its_arguments_are_checked() {
    let answer = post(
        &server(),
        &[V, M, ("mcp-name", "nothing")],
        &call(META, r#""name":"nothing","arguments":{"message":7}"#),
    )
    .await;
    assert_eq!((answer.status, answer.code()), (400, -32602));
}

#[tokio::test]
async fn an_unknown_method_is_told_after_headers_and_meta() {
    let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"_meta":{{{META}}}}}}}"#);
    assert_eq!(told(&[V, ("mcp-method", "ping")], &body).await, (404, -32601));
    assert_eq!(told(&[V, M], &body).await, (400, -32020));
    let bare = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    assert_eq!(told(&[V, ("mcp-method", "ping")], bare).await, (400, -32602));
}
