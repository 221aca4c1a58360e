//! Sessions of the revisions with a handshake, over HTTP.

use http::Method;
use toolmesh_json::View;
use toolmesh_mcp::{HttpOptions, ServerLimits};

use crate::{
    session_client::{SessionClient, Stream, handshake},
    toolbox::{another_tool, server, server_with},
};

const NEW: &str = "2025-11-25";
const OLD: &str = "2025-06-18";
const ABLE: &str = r#"{"elicitation":{}}"#;

#[tokio::test]
async fn a_handshake_opens_a_session_that_its_client_ends() {
    let client = SessionClient::open(&server(), NEW, "{}").await;
    assert_eq!(client.id.len(), 43);
    let accepted = client
        .post(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        .await;
    assert_eq!(accepted.status, 202);
    assert_eq!(client.ask(1, "ping", "{}").await.status, 200);
    assert_eq!(client.send(Method::DELETE, &[], "").await.status, 204);
    let refused = client.ask(2, "ping", "{}").await;
    assert_eq!(refused.status, 404);
    let code = refused.json().await.pointer("/error/code").and_then(View::as_i64);
    assert_eq!(code, Some(-32600));
    for method in [Method::GET, Method::DELETE] {
        assert_eq!(client.send(method, &[], "").await.status, 404);
    }
}

#[tokio::test]
async fn a_handshake_that_fails_opens_no_session() {
    let service = server().http_service(HttpOptions::default());
    let body = handshake(NEW, "7");
    let answer = Stream::open(&service, Method::POST, &[], &body).await;
    assert!(answer.headers.get("mcp-session-id").is_none());
}

#[tokio::test]
async fn an_endpoint_without_sessions_serves_the_same_clients() {
    let service = server().http_service(HttpOptions::default().sessions(0));
    let answer = Stream::open(&service, Method::POST, &[], &handshake(OLD, ABLE)).await;
    assert!(answer.headers.get("mcp-session-id").is_none());
    let body = answer.rest().await;
    assert!(
        body.contains(r#""protocolVersion":"2025-06-18""#) && !body.contains("listChanged"),
        "{body}"
    );
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"}}"#;
    let refused = Stream::open(&service, Method::POST, &[], call).await.rest().await;
    assert!(refused.contains("-32603"), "{refused}");
    let level = r#"{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}"#;
    let refused = Stream::open(&service, Method::POST, &[], level)
        .await
        .rest()
        .await;
    assert!(refused.contains("-32601"), "{refused}");
    assert_eq!(Stream::open(&service, Method::GET, &[], "").await.status, 405);
}

#[tokio::test]
async fn a_session_speaks_the_revision_of_its_handshake_alone() {
    let mut client = SessionClient::open(&server(), NEW, "{}").await;
    client.version = OLD;
    assert_eq!(client.ask(1, "ping", "{}").await.status, 400);
    let head = [("mcp-session-id", client.id.as_str())];
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let without = Stream::open(&client.service, Method::POST, &head, ping).await;
    assert_eq!(without.status, 200);
}

#[tokio::test]
async fn a_tool_asks_in_line_and_goes_on_with_the_answer() {
    for version in [OLD, NEW] {
        let client = SessionClient::open(&server(), version, ABLE).await;
        let mut stream = client.ask(1, "tools/call", r#"{"name":"ask"}"#).await;
        assert_eq!(stream.headers["content-type"], "text/event-stream");
        if version == NEW {
            let priming = stream.event().await.expect("an event");
            assert_eq!((priming.id.as_deref(), priming.data.as_str()), (Some("1-0"), ""));
            assert_eq!(priming.retry.as_deref(), Some("1000"));
        }
        let question = stream.message().await;
        let method = question.get("method").and_then(View::as_str);
        assert_eq!(method, Some("elicitation/create"));
        let mode = question.pointer("/params/mode").and_then(View::as_str);
        assert_eq!(mode, (version == NEW).then_some("form"));
        let id = question.get("id").expect("an id").to_text();
        let answer = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{{"action":"accept","content":{{"name":"Ada"}}}}}}"#
        );
        assert_eq!(client.post(&answer).await.status, 202);
        let result = stream.message().await.to_text();
        assert!(result.contains("Ada") && result.contains("s1"), "{result}");
        assert!(stream.event().await.is_none());
    }
}

#[tokio::test]
async fn a_client_that_did_not_declare_it_is_not_asked() {
    let client = SessionClient::open(&server(), NEW, "{}").await;
    let refused = client
        .ask(1, "tools/call", r#"{"name":"ask"}"#)
        .await
        .rest()
        .await;
    assert!(
        refused.contains("-32603") && refused.contains("cannot be asked for"),
        "{refused}"
    );
}

#[tokio::test]
async fn a_client_that_answers_with_an_error_ends_the_call() {
    let client = SessionClient::open(&server(), OLD, ABLE).await;
    let mut stream = client.ask(1, "tools/call", r#"{"name":"ask"}"#).await;
    let id = stream.message().await.get("id").expect("an id").to_text();
    let error = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-1,"message":"no"}}}}"#);
    assert_eq!(client.post(&error).await.status, 202);
    let end = stream.message().await.to_text();
    assert!(end.contains("-32603"), "{end}");
}

#[tokio::test]
async fn a_call_that_lets_its_connection_go_is_resumed_where_it_was() {
    let client = SessionClient::open(&server(), NEW, "{}").await;
    let mut stream = client.ask(1, "tools/call", r#"{"name":"away"}"#).await;
    let priming = stream.event().await.expect("an event");
    assert!(stream.event().await.is_none());
    let mut resumed = client.listen(priming.id.as_deref()).await;
    assert_eq!(resumed.status, 200);
    assert_eq!(resumed.event().await.expect("an event").data, "");
    let answer = resumed.message().await.to_text();
    assert!(
        answer.contains(r#""id":1,"#) && answer.contains("back"),
        "{answer}"
    );
    assert!(resumed.event().await.is_none());
    // It can be asked for again until it is forgotten.
    let mut again = client.listen(priming.id.as_deref()).await;
    assert_eq!(again.event().await.expect("an event").data, "");
    assert_eq!(again.message().await.to_text(), answer);
}

#[tokio::test]
async fn an_event_that_never_was_is_refused() {
    let client = SessionClient::open(&server(), NEW, "{}").await;
    for id in ["0-1", "7-0", "x", "-", ""] {
        assert_eq!(client.listen(Some(id)).await.status, 400, "{id}");
    }
}

#[tokio::test]
async fn changes_come_on_the_general_stream() {
    let (server, mount) = server_with(ServerLimits::default());
    let client = SessionClient::open(&server, OLD, "{}").await;
    let mut stream = client.listen(None).await;
    mount.add(vec![another_tool("more")]).expect("no collision");
    let change = stream.message().await;
    assert_eq!(
        change.get("method").and_then(View::as_str),
        Some("notifications/tools/list_changed")
    );
    // What changed while nobody read is told to the next reader.
    drop(stream);
    mount.add(vec![another_tool("still_more")]).expect("no collision");
    let mut stream = client.listen(None).await;
    let change = stream.message().await.to_text();
    assert!(change.contains("tools/list_changed"), "{change}");
}

#[tokio::test]
async fn only_watched_resources_are_told_of() {
    let (server, mount) = server_with(ServerLimits::default());
    let client = SessionClient::open(&server, OLD, "{}").await;
    let mut stream = client.listen(None).await;
    let unknown = client
        .ask(1, "resources/subscribe", r#"{"uri":"test://nothing"}"#)
        .await;
    assert!(unknown.rest().await.contains("-32002"));
    let watched = client
        .ask(2, "resources/subscribe", r#"{"uri":"test://static"}"#)
        .await;
    assert_eq!(watched.rest().await, r#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
    mount.resource_updated("test://item/7");
    mount.resource_updated("test://static");
    assert_eq!(
        stream.message().await.to_text(),
        r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"test://static"}}"#
    );
    let unwatched = client
        .ask(3, "resources/unsubscribe", r#"{"uri":"test://static"}"#)
        .await;
    assert_eq!(unwatched.status, 200);
    mount.resource_updated("test://static");
    mount.add(vec![another_tool("more")]).expect("no collision");
    let next = stream.message().await.to_text();
    assert!(next.contains("list_changed"), "{next}");
}

#[tokio::test]
async fn a_cancelled_call_of_a_session_ends() {
    let client = SessionClient::open(&server(), NEW, "{}").await;
    let waiting = client.ask(5, "tools/call", r#"{"name":"wait"}"#);
    let cancel = async {
        let body = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}"#;
        client.post(body).await
    };
    let (ended, accepted) = tokio::join!(waiting, cancel);
    assert_eq!(accepted.status, 202);
    assert_eq!(ended.status, 503);
}

#[tokio::test]
async fn an_id_that_is_in_use_is_refused() {
    let client = SessionClient::open(&server(), NEW, "{}").await;
    let params = r#"{"name":"wait","arguments":{"ms":50}}"#;
    let (first, second) = tokio::join!(
        client.ask(5, "tools/call", params),
        client.ask(5, "tools/call", params)
    );
    assert_eq!((first.status, second.status), (200, 400));
}

#[tokio::test]
async fn two_calls_of_one_session_have_streams_of_their_own() {
    let client = SessionClient::open(&server(), NEW, ABLE).await;
    let mut first = client.ask(1, "tools/call", r#"{"name":"ask"}"#).await;
    let mut second = client.ask(2, "tools/call", r#"{"name":"ask"}"#).await;
    for stream in [&mut first, &mut second] {
        assert_eq!(stream.event().await.expect("priming").data, "");
    }
    let (a, b) = (first.message().await, second.message().await);
    assert_ne!(a.get("id"), b.get("id"));
    for (question, stream, id) in [(b, &mut second, "2"), (a, &mut first, "1")] {
        let question = question.get("id").expect("an id").to_text();
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{question},"result":{{"action":"decline"}}}}"#);
        assert_eq!(client.post(&answer).await.status, 202);
        let answer = stream.message().await;
        assert_eq!(answer.get("id").expect("an id").to_text(), id);
    }
}

#[tokio::test]
async fn a_resource_is_watched_by_a_name_of_bounded_length() {
    let client = SessionClient::open(&server(), NEW, "{}").await;
    let item = |bytes: usize| "test://item/".to_owned() + &"7".repeat(bytes - "test://item/".len());
    for (id, (bytes, code)) in [(8_192, None), (8_193, Some(-32002))].into_iter().enumerate() {
        let params = format!(r#"{{"uri":"{}"}}"#, item(bytes));
        let id = u32::try_from(id).expect("small");
        let answer = client.ask(id, "resources/subscribe", &params).await.json().await;
        let told = answer.pointer("/error/code").and_then(View::as_i64);
        assert_eq!(told, code, "{bytes} bytes");
    }
}
