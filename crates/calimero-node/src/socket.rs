//! `/ws`: requests and their replies, and what happens in what was subscribed to, as messages.

use std::sync::Arc;

use axum::{
    extract::{
        FromRequestParts, WebSocketUpgrade,
        ws::{Message as Frame, WebSocket},
    },
    http::request::Parts,
    response::IntoResponse,
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::{
    answer::Answer,
    events::{Message, WAITING},
    rpc,
    server::{Inner, lock},
};

/// Switches a connection over; a request that does not ask for that is refused.
pub(crate) async fn open(mut parts: Parts, inner: Arc<Inner>) -> Answer {
    match WebSocketUpgrade::from_request_parts(&mut parts, &()).await {
        Ok(upgrade) => upgrade.on_upgrade(|socket| serve(socket, inner)),
        Err(rejection) => rejection.into_response(),
    }
}

async fn serve(mut socket: WebSocket, inner: Arc<Inner>) {
    let (sender, mut receiver) = mpsc::channel(WAITING);
    let name = lock(&inner.state).events.add(sender).name().to_owned();
    // A client that does not answer pings would be dropped by a real node.
    let pinged = socket.send(Frame::Ping("node".into())).await;
    while pinged.is_ok() {
        let reply = tokio::select! {
            told = receiver.recv() => match told {
                Some(Message { data, .. }) => json!({ "id": null, "result": data["result"] }),
                None => break,
            },
            received = socket.recv() => match received {
                Some(Ok(Frame::Text(text))) => reply(&inner, &name, text.as_str()),
                Some(Ok(Frame::Pong(_))) => {
                    lock(&inner.state).pongs += 1;
                    continue;
                }
                Some(Ok(_)) => continue,
                Some(Err(_)) | None => break,
            },
        };
        if socket.send(Frame::text(reply.to_string())).await.is_err() {
            break;
        }
    }
    lock(&inner.state).events.remove(&name);
}

/// The reply to a request, with its id.
fn reply(inner: &Inner, name: &str, text: &str) -> Value {
    let request: Value = serde_json::from_str(text).unwrap_or_default();
    let id = request.get("id").cloned().unwrap_or_default();
    let method = request.get("method").and_then(Value::as_str).unwrap_or_default();
    let mut state = lock(&inner.state);
    let outcome = match method {
        "execute" => rpc::execute(&mut state, &request).map(|output| json!({ "output": output })),
        _ => {
            let params = request.get("params").unwrap_or(&Value::Null);
            let listener = state.events.named(name);
            let told = listener.and_then(|listener| listener.change(method, params));
            told.ok_or_else(|| json!({ "type": "ParseError", "data": "unknown method" }))
        }
    };
    match outcome {
        Ok(result) => json!({ "id": id, "result": result }),
        Err(error) => json!({ "id": id, "error": error }),
    }
}
