//! `subscriptions/listen` of the stateless revision.

use toolmesh_mcp::{HttpOptions, ServerLimits, server::limits::MAX_LISTENING_EACH};

use crate::{
    http_client::{META, MODERN, ask},
    session_client::Stream,
    stdio_client::StdioClient,
    toolbox::{another_tool, server, server_with},
};

const LISTEN: &str = "subscriptions/listen";

#[tokio::test]
async fn a_subscription_is_acknowledged_first_and_tells_only_what_it_asked_for() {
    let (server, mount) = server_with(ServerLimits::default());
    let service = server.http_service(HttpOptions::default());
    let params = r#"{"notifications":{"toolsListChanged":true,"promptsListChanged":false,"resourceSubscriptions":["test://static","test://nothing"]}}"#;
    let mut stream = Stream::modern(&service, "{}", LISTEN, params).await;
    assert_eq!(
        stream.message().await.to_text(),
        concat!(
            r#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":"#,
            r#"{"io.modelcontextprotocol/subscriptionId":"r"},"notifications":{"toolsListChanged":true,"#,
            r#""resourceSubscriptions":["test://static"]}}}"#
        )
    );
    mount.resource_updated("test://item/1");
    mount.resource_updated("test://static");
    assert_eq!(
        stream.message().await.to_text(),
        concat!(
            r#"{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":"#,
            r#"{"io.modelcontextprotocol/subscriptionId":"r"},"uri":"test://static"}}"#
        )
    );
    mount.add(vec![another_tool("more")]).expect("no collision");
    assert_eq!(
        stream.message().await.to_text(),
        concat!(
            r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":"#,
            r#"{"io.modelcontextprotocol/subscriptionId":"r"}}}"#
        )
    );
}

#[tokio::test]
async fn a_filter_of_the_wrong_kind_is_refused() {
    for params in [
        "{}",
        r#"{"notifications":7}"#,
        r#"{"notifications":{"toolsListChanged":"yes"}}"#,
        r#"{"notifications":{"resourceSubscriptions":"test://static"}}"#,
        r#"{"notifications":{"resourceSubscriptions":[7]}}"#,
    ] {
        let refused = ask(&server(), MODERN, LISTEN, params).await;
        assert_eq!((refused.status, refused.code()), (400, -32602), "{params}");
    }
    let tasks = r#"{"notifications":{"taskIds":["x"]}}"#;
    let refused = ask(&server(), MODERN, LISTEN, tasks).await;
    assert_eq!((refused.status, refused.code()), (400, -32021));
}

#[tokio::test]
async fn a_filter_has_a_bound() {
    for (count, taken) in [(256, true), (257, false)] {
        let uris = vec![r#""test://static""#; count].join(",");
        let params = format!(r#"{{"notifications":{{"resourceSubscriptions":[{uris}]}}}}"#);
        let service = server().http_service(HttpOptions::default());
        let stream = Stream::modern(&service, "{}", LISTEN, &params).await;
        assert_eq!(stream.status == 200, taken, "{count}");
    }
}

#[tokio::test]
async fn a_caller_has_so_many_subscriptions_at_once() {
    let (server, _mount) = server_with(ServerLimits::default());
    let service = server.http_service(HttpOptions::default());
    let listen = || {
        Stream::modern(
            &service,
            "{}",
            LISTEN,
            r#"{"notifications":{"toolsListChanged":true}}"#,
        )
    };
    let mut streams = Vec::new();
    for _ in 0..MAX_LISTENING_EACH {
        let mut stream = listen().await;
        assert!(stream.message().await.to_text().contains("acknowledged"));
        streams.push(stream);
    }
    let refused = listen().await;
    assert_eq!(refused.status, 503);
    assert_eq!(
        refused.json().await.get("error").expect("an error").to_text(),
        r#"{"code":-32603,"message":"The server is busy"}"#
    );
    drop(streams.pop());
    assert_eq!(listen().await.status, 200);
}

#[tokio::test]
async fn on_stdio_a_subscription_lasts_until_it_is_cancelled_or_the_input_ends() {
    let (server, mount) = server_with(ServerLimits::default().with_calls(1, 0));
    let mut client = StdioClient::connect(&server);
    let listen = |id: u32| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{LISTEN}","params":{{"_meta":{{{META}}},"notifications":{{"toolsListChanged":true}}}}}}"#
        )
    };
    for id in [1, 2] {
        let acknowledged = client.ask(&listen(id)).await;
        assert!(
            acknowledged.contains(&format!(r#"subscriptionId":{id}}}"#)),
            "{acknowledged}"
        );
    }
    client
        .send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#)
        .await;
    // Subscriptions take no place from calls.
    let discover =
        format!(r#"{{"jsonrpc":"2.0","id":3,"method":"server/discover","params":{{"_meta":{{{META}}}}}}}"#);
    assert!(client.ask(&discover).await.contains(r#""id":3"#));
    mount.add(vec![another_tool("more")]).expect("no collision");
    let change = client.line().await;
    assert!(change.contains(r#"subscriptionId":2}"#), "{change}");
    let rest = client.finish().await;
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert!(
        rest[0].contains(r#""id":2,"result":{"resultType":"complete""#) && rest[0].contains("subscriptionId"),
        "{}",
        rest[0]
    );
}
