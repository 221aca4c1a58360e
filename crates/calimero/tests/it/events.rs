//! What happens in contexts reaches whoever watches.

use std::time::Duration;

use serde_json::json;
use toolmesh_calimero::events_uri;
use toolmesh_tool::{CallContext, ResourceBody};

use crate::served::{Served, kv};

/// How long something may take on a busy machine.
const LIMIT: Duration = Duration::from_secs(30);

/// A served store whose context is subscribed to.
async fn watched() -> (Served, String) {
    let node = toolmesh_calimero_node::LoopbackNode::start(Default::default()).await;
    let id = node.install(kv());
    let context = node.create_context(&id, None);
    let settings = crate::served::settings(&node);
    (Served::start(node, settings).await, context)
}

/// Waits until the node knows of the subscription.
async fn subscribed(served: &Served, context: &str) {
    let wait = async {
        while !served.node.is_subscribed(context) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, wait).await.unwrap();
}

async fn told(served: &Served, context: &str) -> serde_json::Value {
    let uri = events_uri(context);
    let snapshot = served.toolbox.snapshot();
    let (template, variables) = snapshot.template(&uri).unwrap();
    let read = template
        .reader
        .read(CallContext::in_process(), &uri, variables)
        .await
        .unwrap();
    let ResourceBody::Text(text) = &read[0].body else {
        panic!()
    };
    serde_json::from_str(text).unwrap()
}

#[tokio::test]
async fn an_event_of_an_application_is_told_and_can_be_read_decoded() {
    let (served, context) = watched().await;
    let mut updates = served.toolbox.resource_updates();
    subscribed(&served, &context).await;
    served
        .node
        .emit(&context, "Inserted", &json!({ "key": "k", "value": u64::MAX }));
    let updated = tokio::time::timeout(LIMIT, updates.recv())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(updated, events_uri(&context));
    assert_eq!(
        told(&served, &context).await,
        json!({ "contextId": context, "events": [{
            "number": 1, "type": "StateMutation",
            "data": [{ "name": "Inserted", "payload": { "key": "k", "value": u64::MAX } }],
        }] })
    );
}

#[tokio::test]
async fn a_connection_that_broke_off_goes_on_with_its_session() {
    let (served, context) = watched().await;
    let mut updates = served.toolbox.resource_updates();
    subscribed(&served, &context).await;
    served.node.emit(&context, "One", &json!(1));
    tokio::time::timeout(LIMIT, updates.recv())
        .await
        .unwrap()
        .unwrap();
    served.node.cut_events();
    let again = async {
        while served.node.count("/sse") < 2 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, again).await.unwrap();
    served.node.emit(&context, "Two", &json!(2));
    tokio::time::timeout(LIMIT, updates.recv())
        .await
        .unwrap()
        .unwrap();
    let events = told(&served, &context).await;
    assert_eq!(events["events"][1]["data"][0]["name"], "Two");
}

#[tokio::test]
async fn events_of_no_context_are_no_resource() {
    let (served, _) = watched().await;
    let uri = events_uri("nowhere");
    let snapshot = served.toolbox.snapshot();
    let (template, variables) = snapshot.template(&uri).unwrap();
    assert!(
        template
            .reader
            .read(CallContext::in_process(), &uri, variables)
            .await
            .is_err()
    );
}
