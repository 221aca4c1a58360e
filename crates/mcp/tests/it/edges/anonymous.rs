//! Anonymous callers are counted by where they ask from.

use std::{net::IpAddr, sync::Arc};

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use toolmesh_mcp::{
    HttpOptions, HttpService, McpServer, ServerInfo,
    server::{PeerAddress, auth::AuthOptions},
};
use toolmesh_tool::{
    CallContext, Dispatcher, Prefix, Tool, ToolResult, Toolbox,
    dispatcher::{LimitBy, Rate, RateLimiter},
};

use crate::http_client::{MODERN, USUAL, raw, request, text};

/// A server that answers each caller once in a minute.
fn server() -> McpServer {
    let toolbox = Toolbox::new();
    let tool = Tool::with_name("once")
        .json_object_arguments()
        .handler(|context: CallContext, _| async move {
            // Whoever asks: the address is nobody's identity, and parts nobody's state.
            let caller = context.caller();
            ToolResult::text(format!("{:?} {:?}", caller.identity, caller.partition))
        })
        .build()
        .expect("a sound tool");
    let mount = toolbox.mount("fixture", Prefix::None).expect("the first mount");
    mount.replace(vec![tool]).expect("no collisions");
    let limiter = RateLimiter::new(Rate::per_minute(1), LimitBy::Caller);
    let dispatcher = Dispatcher::builder(toolbox)
        .request_limiter(Arc::new(limiter))
        .build();
    McpServer::new(dispatcher, ServerInfo::new("fixture", "1"))
}

const CALL: &str = r#"{"name":"once"}"#;

/// The status of a call that comes from this address, with these headers besides.
async fn status(service: &HttpService, peer: Option<&str>, more: &[(&str, &str)]) -> u16 {
    let (headers, body) = request(MODERN, "tools/call", CALL);
    let mut post = Request::post("/mcp");
    let own = headers.iter().map(|(name, value)| (*name, value.as_str()));
    for (name, value) in USUAL.into_iter().chain(own).chain(more.iter().copied()) {
        post = post.header(name, value);
    }
    if let Some(peer) = peer {
        post = post.extension(PeerAddress(peer.parse::<IpAddr>().expect("an address")));
    }
    let post = post.body(Full::new(Bytes::from(body))).expect("a request");
    service.respond(post).await.status().as_u16()
}

#[tokio::test]
async fn each_address_and_each_network_of_ipv6_has_a_count_of_its_own() {
    let service = server().http_service(HttpOptions::default());
    for (peer, expected) in [
        ("192.0.2.1", 200),
        ("192.0.2.1", 429),
        ("192.0.2.2", 200),
        ("2001:db8:1:2::1", 200),
        ("2001:db8:1:2:ffff::9", 429),
        ("2001:db8:1:3::1", 200),
        ("::ffff:192.0.2.2", 429),
    ] {
        assert_eq!(status(&service, Some(peer), &[]).await, expected, "{peer}");
    }
    // Those of whom nothing is known share one.
    assert_eq!(status(&service, None, &[]).await, 200);
    assert_eq!(status(&service, None, &[]).await, 429);
}

#[tokio::test]
async fn a_proxys_word_counts_only_where_it_is_trusted() {
    let said = |address| [("x-forwarded-for", address)];
    let open = server().http_service(HttpOptions::default());
    assert_eq!(status(&open, Some("127.0.0.1"), &said("192.0.2.1")).await, 200);
    assert_eq!(status(&open, Some("127.0.0.1"), &said("192.0.2.2")).await, 429);
    let proxied = HttpOptions::default().trust_proxy("127.0.0.0/8".parse().expect("a network"));
    let proxied = server().http_service(proxied);
    for (peer, address, expected) in [
        ("127.0.0.1", "192.0.2.1", 200),
        ("127.0.0.1", "192.0.2.2", 200),
        ("127.0.0.1", "9.9.9.9, 192.0.2.2", 429),
        ("127.0.0.1", "192.0.2.2, 127.0.0.9", 429),
        ("198.51.100.1", "192.0.2.3", 200),
        ("198.51.100.1", "192.0.2.4", 429),
    ] {
        assert_eq!(
            status(&proxied, Some(peer), &said(address)).await,
            expected,
            "{peer} {address}"
        );
    }
}

#[tokio::test]
async fn a_known_caller_is_counted_by_his_name_wherever_he_asks_from() {
    let auth = AuthOptions::default()
        .token("ada", "0123456789abcdef")
        .token("bob", "fedcba9876543210");
    let service = server().http_service(HttpOptions::default().auth(auth).expect("sound"));
    let ada = [("authorization", "Bearer 0123456789abcdef")];
    let bob = [("authorization", "Bearer fedcba9876543210")];
    assert_eq!(status(&service, Some("192.0.2.1"), &ada).await, 200);
    assert_eq!(status(&service, Some("192.0.2.2"), &ada).await, 429);
    assert_eq!(status(&service, Some("192.0.2.1"), &bob).await, 200);
}

#[tokio::test]
async fn an_endpoint_of_its_own_knows_the_address_of_each_connection() {
    let options = HttpOptions::default().trust_proxy("127.0.0.1".parse().expect("a network"));
    let bound = server()
        .bind_http(([127, 0, 0, 1], 0).into(), options)
        .await
        .expect("a free port");
    let address = bound.local_addr();
    let serving = tokio::spawn(bound.serve(std::future::pending()));
    for (caller, expected) in [("192.0.2.1", "200"), ("192.0.2.2", "200"), ("192.0.2.1", "429")] {
        let (mut headers, body) = request(MODERN, "tools/call", CALL);
        headers.push(("x-forwarded-for", caller.to_owned()));
        let answer = raw(address, &text(address, &headers, &body)).await;
        assert_eq!(answer.get(9..12), Some(expected), "{answer}");
        if expected == "200" {
            assert!(answer.contains(r#"None \"\""#), "{answer}");
        }
    }
    serving.abort();
}
