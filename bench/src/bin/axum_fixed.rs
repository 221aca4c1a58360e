//! The floor: axum reads the whole request and answers always the same bytes.

use axum::{Router, body::Bytes, http::header::CONTENT_TYPE, routing::post};

/// What an echo of "hello" answers in 2026-07-28, with one id for all.
const ANSWER: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1000000000,"result":{"resultType":"complete","#,
    r#""content":[{"type":"text","text":"hello"}],"isError":false}}"#
);

#[tokio::main]
async fn main() -> std::io::Result<()> {
    // The body is read, or the connection could not be used again.
    let answer = |_request: Bytes| async { ([(CONTENT_TYPE, "application/json")], ANSWER) };
    toolmesh_bench::serve(Router::new().route("/mcp", post(answer))).await
}
