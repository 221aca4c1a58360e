//! What happens in contexts and groups reaches whoever watches, over either kind of connection.

use std::time::Duration;

use serde_json::{Value, json};
use toolmesh_calimero::{
    EventChannel, MAX_EVENT_BYTES, Node, NodeError, Origin, Secret, Topics, events_uri, group_events_uri,
};
use toolmesh_calimero_node::{Fault, LoopbackNode, Options};
use toolmesh_tool::{CallContext, ResourceBody};

use crate::served::{Served, kv, settings};

/// How long something may take on a busy machine.
const LIMIT: Duration = Duration::from_secs(30);

/// The group of every context that the loopback node makes by itself.
const GROUP: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Both kinds of connection.
const CHANNELS: [EventChannel; 2] = [EventChannel::ServerSent, EventChannel::WebSocket];

/// A served store whose context is subscribed to over this channel.
async fn watched(channel: EventChannel) -> (Served, String) {
    let (served, context) = Served::store_with(|options| options.events = channel).await;
    until(|| served.node.is_subscribed(&context)).await;
    (served, context)
}

/// Waits until something is so.
async fn until(is_so: impl Fn() -> bool) {
    let wait = async {
        while !is_so() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, wait).await.unwrap();
}

/// What is read at a URI.
async fn told(served: &Served, uri: &str) -> Value {
    let snapshot = served.toolbox.snapshot();
    let (template, variables) = snapshot.template(uri).unwrap();
    let read = template
        .reader
        .read(CallContext::in_process(), uri, variables)
        .await
        .unwrap();
    let ResourceBody::Text(text) = &read[0].body else {
        panic!()
    };
    serde_json::from_str(text).unwrap()
}

/// The resource that changes when something is done.
async fn updated(served: &Served, act: impl FnOnce()) -> String {
    let mut updates = served.toolbox.resource_updates();
    act();
    tokio::time::timeout(LIMIT, updates.recv())
        .await
        .unwrap()
        .unwrap()
}

#[tokio::test]
async fn an_event_of_an_application_is_told_and_can_be_read_by_its_interface() {
    for channel in CHANNELS {
        let (served, context) = watched(channel).await;
        let payload = json!({ "key": "k", "value": "v" });
        let uri = updated(&served, || served.node.emit(&context, "Inserted", &payload)).await;
        assert_eq!(uri, events_uri(&context));
        assert_eq!(
            told(&served, &uri).await,
            json!({ "contextId": context, "events": [{
                "number": 1, "type": "StateMutation",
                "data": [{ "name": "Inserted", "payload": payload, "type": "Event_Inserted" }],
            }] }),
            "{channel:?}"
        );
    }
}

#[tokio::test]
async fn what_does_not_go_with_the_interface_is_told_with_a_note() {
    let (served, context) = watched(EventChannel::WebSocket).await;
    let unfit = "the payload is not of the type that the application's interface declares";
    for (kind, payload, expected) in [
        (
            "Vanished",
            json!(u64::MAX),
            json!({ "name": "Vanished", "payload": u64::MAX, "note": "the application's interface declares no such event" }),
        ),
        (
            "Removed",
            json!({ "key": 7 }),
            json!({ "name": "Removed", "payload": { "key": 7 }, "type": "Event_Removed", "note": unfit }),
        ),
        (
            "Cleared",
            json!(1),
            json!({ "name": "Cleared", "payload": 1, "note": unfit }),
        ),
        (
            "Cleared",
            json!(null),
            json!({ "name": "Cleared", "payload": null }),
        ),
    ] {
        let uri = updated(&served, || served.node.emit(&context, kind, &payload)).await;
        let events = told(&served, &uri).await;
        let last = events["events"].as_array().unwrap().last().unwrap();
        assert_eq!(last["data"][0], expected);
    }
    let uri = updated(&served, || {
        served.node.emit_bytes(&context, "Removed", &[0xff, 1])
    })
    .await;
    let events = told(&served, &uri).await;
    let last = &events["events"].as_array().unwrap().last().unwrap()["data"][0];
    assert_eq!(
        (&last["payload"], &last["note"]),
        (&json!([255, 1]), &json!(unfit))
    );
}

#[tokio::test]
async fn what_happens_in_a_group_is_a_resource_too() {
    for channel in CHANNELS {
        let (served, _) = watched(channel).await;
        assert!(served.node.is_subscribed(GROUP));
        let data = json!({ "memberAccount": "a", "role": "Member" });
        let uri = updated(&served, || {
            served.node.emit_in_group(GROUP, "MemberJoined", &data)
        })
        .await;
        assert_eq!(uri, group_events_uri(GROUP));
        assert_eq!(
            told(&served, &uri).await,
            json!({ "groupId": GROUP, "events": [{ "number": 1, "type": "MemberJoined", "data": data }] })
        );
    }
}

#[tokio::test]
async fn a_node_without_server_sent_events_is_followed_over_its_websocket() {
    let node = LoopbackNode::start(Options::default()).await;
    node.switch_on(Fault::NoEventStream);
    let id = node.install(kv());
    let context = node.create_context(&id, None);
    let settings = settings(&node);
    let served = Served::start(node, settings).await;
    until(|| served.node.is_subscribed(&context)).await;
    assert_eq!((served.node.count("/sse"), served.node.count("/ws")), (1, 1));
    until(|| served.node.pongs() == 1).await;
}

#[tokio::test]
async fn a_stream_that_broke_off_goes_on_with_its_session() {
    let (served, context) = watched(EventChannel::ServerSent).await;
    updated(&served, || {
        served.node.emit(&context, "Removed", &json!({ "key": "1" }))
    })
    .await;
    served.node.cut_events();
    until(|| served.node.count("/sse") == 2).await;
    let uri = updated(&served, || served.node.emit(&context, "Cleared", &Value::Null)).await;
    let events = told(&served, &uri).await;
    assert_eq!(events["events"][1]["data"][0]["name"], "Cleared");
}

#[tokio::test]
async fn a_websocket_that_broke_off_is_opened_again_and_subscribed_anew() {
    let (served, context) = watched(EventChannel::WebSocket).await;
    served.node.cut_events();
    until(|| !served.node.is_subscribed(&context)).await;
    until(|| served.node.is_subscribed(&context)).await;
    let uri = updated(&served, || served.node.emit(&context, "Cleared", &Value::Null)).await;
    assert_eq!(told(&served, &uri).await["events"][0]["number"], 1);
}

#[tokio::test]
async fn events_are_not_followed_where_nobody_wants_them() {
    let (served, context) = Served::store_with(|options| options.events = EventChannel::Off).await;
    served.done("list_contexts", "{}").await;
    assert_eq!((served.node.count("/sse"), served.node.count("/ws")), (0, 0));
    assert_eq!(
        told(&served, &events_uri(&context)).await,
        json!({ "contextId": context, "events": [] })
    );
}

#[tokio::test]
async fn events_of_no_context_and_of_no_group_are_no_resource() {
    let (served, _) = watched(EventChannel::Any).await;
    for uri in [events_uri("nowhere"), group_events_uri(&"f".repeat(64))] {
        let snapshot = served.toolbox.snapshot();
        let (template, variables) = snapshot.template(&uri).unwrap();
        let read = template.reader.read(CallContext::in_process(), &uri, variables);
        assert!(read.await.is_err(), "{uri}");
    }
}

#[tokio::test]
async fn a_message_of_a_websocket_has_a_bound_and_beyond_it_the_connection_ends() {
    for more in [0, 1] {
        let (served, context) = Served::store_with(|options| options.events = EventChannel::Off).await;
        let node = Node::new(settings(&served.node));
        let mut socket = node.event_socket().await.unwrap();
        let topics = Topics {
            contexts: vec![context.clone()],
            groups: Vec::new(),
        };
        socket.subscribe(&topics).await.unwrap();
        let frame = |kind: &str, bytes: &[u8]| {
            let events = json!([{ "kind": kind, "data": bytes, "handler": null }]);
            let event = json!({ "contextId": context, "type": "StateMutation", "data": { "newRoot": "r", "events": events } });
            json!({ "id": null, "result": event }).to_string().len()
        };
        // Two characters for each byte; the name makes up what is left.
        let left = MAX_EVENT_BYTES + more - frame("", &[1]);
        let (kind, bytes) = ("k".repeat(left % 2), vec![1; left / 2 + 1]);
        assert_eq!(frame(&kind, &bytes), MAX_EVENT_BYTES + more);
        served.node.emit_bytes(&context, &kind, &bytes);
        let event = tokio::time::timeout(LIMIT, socket.next()).await.unwrap();
        match more {
            0 => assert_eq!(event.unwrap().unwrap().origin, Origin::Context(context)),
            _ => assert!(matches!(event, Err(NodeError::Unreachable { .. })), "{event:?}"),
        }
    }
}

#[tokio::test]
async fn a_websocket_is_for_whoever_may_ask() {
    let node = LoopbackNode::start(Options {
        users: vec![("admin".to_owned(), "secret".to_owned())],
        ..Options::default()
    })
    .await;
    let stranger = Node::new(settings(&node)).event_socket().await.unwrap_err();
    assert_eq!(stranger.status(), Some(401));
    let mut with_token = settings(&node);
    with_token.access_token = Some(Secret::new(node.tokens().0));
    let mut socket = Node::new(with_token).event_socket().await.unwrap();
    socket.subscribe(&Topics::default()).await.unwrap();
}
