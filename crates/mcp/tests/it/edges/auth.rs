//! Who is let in.

use http::Method;
use serde_json::json;
use std::sync::atomic::Ordering;
use toolmesh_mcp::{
    HttpOptions, HttpService, McpServer, ServerInfo,
    server::auth::{AuthOptions, OAuthOptions},
};
use toolmesh_tool::{CallContext, Dispatcher, Prefix, Tool, ToolResult, Toolbox};

use super::issuer::{Issuer, Key, now};
use crate::{
    http_client::{MODERN, request},
    session_client::{Stream, handshake},
    stdio_client::PATIENCE,
};

pub(super) const AUDIENCE: &str = "https://tools.example/mcp";
const ADA: &str = "0123456789abcdef";

/// A server whose one tool says who calls, by name and by alias.
pub(super) fn server() -> McpServer {
    let toolbox = Toolbox::new();
    let who = Tool::with_name("who")
        .json_object_arguments()
        .handler(|context: CallContext, _| async move {
            ToolResult::text(context.caller().identity.clone().unwrap_or_default())
        })
        .description("Says who calls.")
        .alias("whoami")
        .build()
        .expect("a sound tool");
    let mount = toolbox.mount("fixture", Prefix::None).expect("the first mount");
    mount.replace(vec![who]).expect("no collisions");
    McpServer::new(
        Dispatcher::builder(toolbox).build(),
        ServerInfo::new("fixture", "1.0.0"),
    )
}

fn service(auth: AuthOptions) -> HttpService {
    server().http_service(HttpOptions::default().auth(auth).expect("sound"))
}

/// Status, challenge and body of a call of `tool`, with these credentials.
async fn call(service: &HttpService, tool: &str, credentials: &[&str]) -> (u16, String, String) {
    send(
        service,
        "tools/call",
        &format!(r#"{{"name":"{tool}"}}"#),
        credentials,
    )
    .await
}

/// Status, challenge and body of a request with this token.
async fn ask(service: &HttpService, method: &str, params: &str, token: &str) -> (u16, String, String) {
    send(service, method, params, &[&format!("Bearer {token}")]).await
}

async fn send(
    service: &HttpService,
    method: &str,
    params: &str,
    credentials: &[&str],
) -> (u16, String, String) {
    let (headers, body) = request(MODERN, method, params);
    let headers = headers.iter().map(|(name, value)| (*name, value.as_str()));
    let credentials = credentials.iter().map(|value| ("authorization", *value));
    let head: Vec<_> = headers.chain(credentials).collect();
    let answer = Stream::open(service, Method::POST, &head, &body).await;
    let challenge = answer
        .headers
        .get("www-authenticate")
        .map(|value| value.to_str().expect("ASCII").to_owned());
    (answer.status, challenge.unwrap_or_default(), answer.rest().await)
}

pub(super) async fn bearer(service: &HttpService, tool: &str, token: &str) -> (u16, String, String) {
    call(service, tool, &[&format!("Bearer {token}")]).await
}

#[tokio::test]
async fn a_known_token_lets_its_caller_in_and_no_other_does() {
    let service = service(AuthOptions::default().token("ada", ADA));
    let (status, _, body) = bearer(&service, "who", ADA).await;
    assert_eq!(status, 200);
    assert!(body.contains(r#""text":"ada""#), "{body}");
    let none = call(&service, "who", &[]).await;
    assert_eq!((none.0, none.1.as_str()), (401, "Bearer"));
    for wrong in [
        &["Bearer 0123456789abcdeg"][..],
        &["Basic 0123456789abcdef"],
        &["Bearer"],
        // Two credentials are none.
        &["Bearer 0123456789abcdef", "Bearer 0123456789abcdef"],
    ] {
        let (status, challenge, body) = call(&service, "who", wrong).await;
        assert_eq!(
            (status, challenge.as_str()),
            (401, "Bearer error=\"invalid_token\""),
            "{wrong:?}"
        );
        assert_eq!(body, "A valid token is needed\n");
    }
}

#[tokio::test]
async fn a_token_of_the_issuer_is_judged_by_signature_issuer_audience_and_time() {
    let (key, other) = (Key::new("one"), Key::new("one"));
    let issuer = Issuer::start(&[&key]).await;
    let oauth = OAuthOptions::new(&issuer.url, AUDIENCE);
    let service = service(AuthOptions::default().oauth(oauth));
    let right = issuer.claims(AUDIENCE, "");
    let (status, _, body) = bearer(&service, "who", &key.sign(&right)).await;
    assert_eq!(status, 200, "{body}");
    assert!(body.contains(r#""text":"ada""#), "{body}");
    let with = |name: &str, value: serde_json::Value| {
        let mut claims = right.clone();
        claims[name] = value;
        claims
    };
    let mut without_end = right.clone();
    without_end.as_object_mut().expect("an object").remove("exp");
    let wrong = [
        ("another key", other.sign(&right)),
        (
            "another issuer",
            key.sign(&with("iss", json!("https://evil.example"))),
        ),
        (
            "another audience",
            key.sign(&with("aud", json!("https://other.example"))),
        ),
        ("over", key.sign(&with("exp", json!(now() - 120)))),
        ("not yet", key.sign(&with("nbf", json!(now() + 120)))),
        ("without an end", key.sign(&without_end)),
        ("without a subject", key.sign(&with("sub", json!("")))),
        ("unsigned", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.".to_owned()),
        ("by a shared secret", shared_secret(&right)),
        ("no token", "x".to_owned()),
    ];
    for (case, token) in wrong {
        let (status, challenge, _) = bearer(&service, "who", &token).await;
        assert_eq!(status, 401, "{case}");
        let expected = "Bearer error=\"invalid_token\", resource_metadata=\"https://tools.example/.well-known/oauth-protected-resource/mcp\"";
        assert_eq!(challenge, expected, "{case}");
    }
    // An audience may be one of several.
    let several = key.sign(&with("aud", json!(["https://other.example", AUDIENCE])));
    assert_eq!(bearer(&service, "who", &several).await.0, 200);
    assert_eq!(issuer.asked.load(Ordering::Relaxed), 1, "keys are kept");
}

#[tokio::test]
async fn nobody_of_the_issuer_is_taken_for_somebody_with_a_token_that_is_known_here() {
    let key = Key::new("one");
    let issuer = Issuer::start(&[&key]).await;
    let oauth = OAuthOptions::new(&issuer.url, AUDIENCE);
    let service = service(AuthOptions::default().token("ada", ADA).oauth(oauth));
    assert_eq!(bearer(&service, "who", ADA).await.0, 200);
    let mut claims = issuer.claims(AUDIENCE, "");
    assert_eq!(bearer(&service, "who", &key.sign(&claims)).await.0, 401);
    claims["sub"] = json!("bob");
    assert_eq!(bearer(&service, "who", &key.sign(&claims)).await.0, 200);
    claims["client_id"] = json!("ada");
    claims.as_object_mut().expect("an object").remove("sub");
    assert_eq!(bearer(&service, "who", &key.sign(&claims)).await.0, 401);
}

#[tokio::test]
async fn what_would_go_on_for_ever_ends_with_the_token_that_began_it() {
    let key = Key::new("one");
    let issuer = Issuer::start(&[&key]).await;
    let oauth = OAuthOptions::new(&issuer.url, AUDIENCE);
    let service = service(AuthOptions::default().oauth(oauth));
    let mut claims = issuer.claims(AUDIENCE, "");
    let credentials = |claims: &serde_json::Value| format!("Bearer {}", key.sign(claims));
    let initialize = handshake("2025-11-25", "{}");
    let lasting = credentials(&claims);
    let head = [("authorization", lasting.as_str())];
    let opened = Stream::open(&service, Method::POST, &head, &initialize).await;
    let session = opened.headers["mcp-session-id"]
        .to_str()
        .expect("ASCII")
        .to_owned();

    // Each holds for some seconds more, with the leeway of a minute.
    let mut ending_soon = || {
        claims["exp"] = json!(now() - 50);
        credentials(&claims)
    };
    let ending = ending_soon();
    let listen = r#"{"notifications":{"toolsListChanged":true}}"#;
    let (headers, body) = request(MODERN, "subscriptions/listen", listen);
    let head = headers.iter().map(|(name, value)| (*name, value.as_str()));
    let head: Vec<_> = head.chain([("authorization", ending.as_str())]).collect();
    let mut listening = Stream::open(&service, Method::POST, &head, &body).await;
    assert_eq!(listening.status, 200);
    assert!(listening.message().await.to_text().contains("acknowledged"));
    let ending = ending_soon();
    let head = [
        ("mcp-session-id", session.as_str()),
        ("authorization", ending.as_str()),
    ];
    let general = Stream::open(&service, Method::GET, &head, "").await;
    assert_eq!(general.status, 200);

    let ended = tokio::time::timeout(PATIENCE, async { (listening.rest().await, general.rest().await) });
    let (listened, _) = ended.await.expect("both end");
    assert!(listened.contains(r#""resultType":"complete""#), "{listened}");
}

/// A token that is signed with what everybody can read of the issuer.
fn shared_secret(claims: &serde_json::Value) -> String {
    let mut head = jsonwebtoken::Header::new(jsonwebtoken::Algorithm::HS256);
    head.kid = Some("one".to_owned());
    let key = jsonwebtoken::EncodingKey::from_secret(b"one").expect("a secret");
    jsonwebtoken::encode(&head, claims, &key).expect("a token")
}

#[tokio::test]
async fn scopes_are_needed_of_everybody_and_more_of_them_for_some_tools() {
    let key = Key::new("one");
    let issuer = Issuer::start(&[&key]).await;
    let oauth = OAuthOptions::new(&issuer.url, AUDIENCE)
        .keys(format!("{}/keys", issuer.url))
        .scope("use");
    let auth = AuthOptions::default()
        .token("local", ADA)
        .oauth(oauth)
        .tool_scope("wh*", "write");
    let service = service(auth);
    let with = |scope: &str| key.sign(&issuer.claims(AUDIENCE, scope));
    let metadata = "resource_metadata=\"https://tools.example/.well-known/oauth-protected-resource/mcp\"";
    let lacking = format!("Bearer error=\"insufficient_scope\", {metadata}, scope=\"use\"");
    let (status, challenge, _) = bearer(&service, "who", &with("other")).await;
    assert_eq!((status, challenge), (403, lacking));
    // A tool needs the same by whatever name it is called.
    for name in ["who", "whoami"] {
        let lacking = format!("Bearer error=\"insufficient_scope\", {metadata}, scope=\"use write\"");
        let (status, challenge, body) = bearer(&service, name, &with("use")).await;
        assert_eq!(
            (status, challenge, body.as_str()),
            (403, lacking, "The token lacks a scope\n")
        );
        assert_eq!(bearer(&service, name, &with("use write")).await.0, 200);
    }
    assert_eq!(
        bearer(&service, "who", ADA).await.0,
        200,
        "a token that is known here has every scope"
    );
    let none = call(&service, "who", &[]).await;
    assert_eq!(
        (none.0, none.1),
        (401, format!("Bearer {metadata}, scope=\"use\""))
    );
}

#[tokio::test]
async fn everybody_may_read_where_tokens_come_from() {
    let oauth = OAuthOptions::new("https://issuer.example", AUDIENCE).scope("use");
    let auth = AuthOptions::default().oauth(oauth).tool_scope("*", "write");
    let options = HttpOptions::default().auth(auth).expect("sound");
    let bound = server()
        .bind_http(([127, 0, 0, 1], 0).into(), options)
        .await
        .expect("a free port");
    let address = bound.local_addr();
    let serving = tokio::spawn(bound.serve(std::future::pending()));
    for path in [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
    ] {
        let text = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
        let answer = crate::http_client::raw(address, &text).await;
        let body = answer.split("\r\n\r\n").nth(1).expect("a body");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert_eq!(
            body,
            r#"{"resource":"https://tools.example/mcp","authorization_servers":["https://issuer.example"],"scopes_supported":["use","write"],"bearer_methods_supported":["header"]}"#
        );
    }
    let text = "GET /.well-known/oauth-protected-resource HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n";
    assert!(
        crate::http_client::raw(address, text)
            .await
            .starts_with("HTTP/1.1 421")
    );
    serving.abort();
}

#[tokio::test]
async fn a_tools_scope_is_needed_through_the_compact_form_and_the_tool_is_listed_all_the_same() {
    let key = Key::new("one");
    let issuer = Issuer::start(&[&key]).await;
    let oauth = OAuthOptions::new(&issuer.url, AUDIENCE);
    let auth = || {
        AuthOptions::default()
            .oauth(oauth.clone())
            .tool_scope("wh*", "write")
    };
    let options = || HttpOptions::default().auth(auth()).expect("sound");
    let compact = server().compact().http_service(options());
    let with = |scope: &str| key.sign(&issuer.claims(AUDIENCE, scope));
    let through = |name: &str| format!(r#"{{"name":"call_tool","arguments":{{"name":"{name}"}}}}"#);
    for name in ["who", "whoami"] {
        let (status, challenge, _) = ask(&compact, "tools/call", &through(name), &with("read")).await;
        assert_eq!(status, 403, "{name}");
        assert!(challenge.contains("scope=\"write\""), "{challenge}");
        let (status, _, body) = ask(&compact, "tools/call", &through(name), &with("write")).await;
        assert_eq!(status, 200, "{body}");
        // A tool's own name needs its scope there too.
        assert_eq!(bearer(&compact, name, &with("read")).await.0, 403);
    }
    // A way around by calling the caller of tools leads nowhere.
    let nested = r#"{"name":"call_tool","arguments":{"name":"call_tool","arguments":{"name":"who"}}}"#;
    let (status, _, body) = ask(&compact, "tools/call", nested, &with("read")).await;
    assert!(status == 400 && body.contains("-32602"), "{status} {body}");
    // Without the form, `call_tool` is no tool.
    let plain = server().http_service(options());
    let (status, _, body) = ask(&plain, "tools/call", &through("who"), &with("read")).await;
    assert!(status == 400 && body.contains("-32602"), "{status} {body}");
    let found = r#"{"name":"search_tools","arguments":{"query":"who calls"}}"#;
    for (service, method, params) in [(&plain, "tools/list", "{}"), (&compact, "tools/call", found)] {
        let (status, _, body) = ask(service, method, params, &with("read")).await;
        assert!(
            status == 200 && body.contains(r#""name":"who""#),
            "{status} {body}"
        );
    }
}
