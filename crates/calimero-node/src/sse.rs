//! `/sse`: sessions that are told what happens in what they subscribed to.

use std::convert::Infallible;

use axum::{
    body::Body,
    http::{Response, header},
};
use futures_util::stream;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::{
    answer::{self, Answer},
    events::{Listeners, Message, WAITING},
};

/// Opens a connection, or goes on with the session whose frame was the last one seen.
pub(crate) fn open(listeners: &mut Listeners, last: Option<&str>) -> Answer {
    let (sender, receiver) = mpsc::channel(WAITING);
    let known = last.and_then(|last| last.rsplit_once('-')).map(|(name, _)| name);
    let known = known.filter(|name| listeners.named(name).is_some());
    let listener = match known.and_then(|name| listeners.named(name)) {
        Some(listener) => {
            listener.reconnect(sender);
            listener
        }
        None => listeners.add(sender),
    };
    let name = listener.name().to_owned();
    listener.send(json!({ "type": "connect", "session_id": name, "reconnect": known.is_some() }));
    stream_of(receiver)
}

fn stream_of(receiver: mpsc::Receiver<Message>) -> Answer {
    let frames = stream::unfold(receiver, |mut receiver| async {
        let Message { id, data } = receiver.recv().await?;
        let frame = format!("event: message\nid: {id}\nretry: 3000\ndata: {data}\n\n");
        Some((Ok::<_, Infallible>(frame), receiver))
    });
    let mut response = Response::new(Body::from_stream(frames));
    let kind = header::HeaderValue::from_static("text/event-stream");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// `/sse/subscription`.
pub(crate) fn subscription(listeners: &mut Listeners, body: &Value) -> Answer {
    let name = body.get("id").and_then(Value::as_str).unwrap_or_default();
    let Some(listener) = listeners.named(name) else {
        return answer::error(404, "session not found");
    };
    let method = body.get("method").and_then(Value::as_str).unwrap_or_default();
    match listener.change(method, body.get("params").unwrap_or(&Value::Null)) {
        Some(told) => answer::flat(&json!({ "result": told })),
        None => answer::error(400, "unknown method"),
    }
}
