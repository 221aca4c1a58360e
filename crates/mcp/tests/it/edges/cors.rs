//! Pages of allowed origins.

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::Full;
use toolmesh_mcp::{HttpOptions, ServerLimits, server::ResponseBody};

use crate::toolbox::{mirrored_tool, server, server_with};

async fn ask(method: &str, headers: &[(&str, &str)]) -> Response<ResponseBody> {
    let service = server().http_service(HttpOptions::default().allow_origin("https://app.example"));
    let mut request = Request::builder()
        .method(method)
        .uri("/mcp")
        .header("host", "localhost");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    service
        .respond(request.body(Full::new(Bytes::new())).expect("a request"))
        .await
}

const PREFLIGHT: (&str, &str) = ("access-control-request-method", "POST");

#[tokio::test]
async fn a_page_of_an_allowed_origin_may_ask_and_read() {
    let origin = ("origin", "https://app.example");
    let response = ask("OPTIONS", &[origin, PREFLIGHT]).await;
    assert_eq!(response.status(), 204);
    assert_eq!(
        response.headers()["access-control-allow-origin"],
        "https://app.example"
    );
    assert_eq!(
        response.headers()["access-control-allow-methods"],
        "POST, GET, DELETE"
    );
    assert_eq!(response.headers()["vary"], "origin");
    // Also what is refused can be read, by whom the origin is allowed.
    let refused = ask("POST", &[origin]).await;
    assert_eq!(refused.status(), 415);
    assert_eq!(
        refused.headers()["access-control-allow-origin"],
        "https://app.example"
    );
    assert_eq!(
        refused.headers()["access-control-expose-headers"],
        "mcp-session-id, retry-after, www-authenticate"
    );
}

#[tokio::test]
async fn other_pages_are_told_nothing() {
    for origin in ["https://evil.example", "null"] {
        for method in ["OPTIONS", "POST"] {
            let response = ask(method, &[("origin", origin), PREFLIGHT]).await;
            assert_eq!(response.status(), 403, "{method} {origin}");
            assert!(response.headers().get("access-control-allow-origin").is_none());
        }
    }
    let without = ask("POST", &[]).await;
    assert!(without.headers().get("access-control-allow-origin").is_none());
}

#[tokio::test]
async fn a_page_may_repeat_in_headers_what_some_tool_mirrors_and_nothing_else() {
    let (server, mount) = server_with(ServerLimits::default());
    mount.add(vec![mirrored_tool()]).expect("no collision");
    let service = server.http_service(HttpOptions::default().allow_origin("https://app.example"));
    let request = Request::builder()
        .method("OPTIONS")
        .uri("/mcp")
        .header("host", "localhost")
        .header("origin", "https://app.example")
        .header(PREFLIGHT.0, PREFLIGHT.1)
        .header(
            "access-control-request-headers",
            "mcp-param-tenant, mcp-param-other",
        );
    let request = request.body(Full::new(Bytes::new())).expect("a request");
    let response = service.respond(request).await;
    let allowed = response.headers()["access-control-allow-headers"]
        .to_str()
        .expect("ASCII");
    assert!(allowed.contains("mcp-param-tenant"), "{allowed}");
    assert!(!allowed.contains("mcp-param-other"), "{allowed}");
}
