//! What happens in contexts, as the node tells it.

use toolmesh_json::{Limits, Value, View, parse, parse_with};

use super::{
    Node, NodeError,
    http::{Request, Stream},
    sse::{Frame, Frames},
};
use crate::feed::emitted;

/// Whom something happened to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A context, by its id.
    Context(String),
    /// A group or namespace, by its id.
    Group(String),
}

/// Something that happened, as the node tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeEvent {
    /// Where.
    pub origin: Origin,
    /// What sort of thing: `StateMutation`, `SyncStatus`, `MemberJoined`, ...
    pub kind: String,
    /// What the application emitted, `{"name", "payload"}` each, or the node's own data.
    pub data: Value,
}

/// What events are wanted of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topics {
    /// Contexts, by their ids.
    pub contexts: Vec<String>,
    /// Groups and namespaces, by their ids.
    pub groups: Vec<String>,
}

impl Topics {
    /// Whether nothing is wanted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.contexts.is_empty() && self.groups.is_empty()
    }

    /// The parameters of a subscription.
    pub(super) fn parameters(&self) -> Value {
        let list = |ids: &[String]| ids.iter().map(Value::from).collect::<Value>();
        Value::object()
            .put("contextIds", list(&self.contexts))
            .put("groupIds", list(&self.groups))
            .build()
    }
}

/// A connection on which a node tells what happens.
#[derive(Debug)]
pub struct EventStream {
    stream: Stream,
    frames: Frames,
    waiting: std::collections::VecDeque<Frame>,
    session: String,
    last: Option<String>,
}

impl EventStream {
    /// The session, by which contexts are subscribed to.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.session
    }

    /// The id of the last frame, by which another connection goes on.
    #[must_use]
    pub fn last_id(&self) -> Option<&str> {
        self.last.as_deref()
    }

    /// The next event; `None` when the node ended the connection.
    ///
    /// # Errors
    /// [`NodeError::Unreachable`] when the connection breaks off.
    pub async fn next(&mut self) -> Result<Option<NodeEvent>, NodeError> {
        while let Some(frame) = self.frame().await? {
            if let Some(event) = event(&frame.data) {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    async fn frame(&mut self) -> Result<Option<Frame>, NodeError> {
        loop {
            if let Some(frame) = self.waiting.pop_front() {
                self.last = frame.id.clone().or_else(|| self.last.take());
                return Ok(Some(frame));
            }
            match self.stream.chunk().await? {
                Some(bytes) => self.waiting.extend(self.frames.take(&bytes)),
                None => return Ok(None),
            }
        }
    }
}

impl Node {
    /// Opens a connection on which the node tells what happens in the contexts that are subscribed to; `last` is the id of
    /// the last frame of an earlier connection, whose session goes on.
    ///
    /// # Errors
    /// [`NodeError`] when the node cannot be reached, refuses, or has no such connections.
    pub async fn events(&self, last: Option<&str>) -> Result<EventStream, NodeError> {
        let stream = self.open("/sse", last).await?;
        let mut events = EventStream {
            stream,
            frames: Frames::default(),
            waiting: std::collections::VecDeque::new(),
            session: String::new(),
            last: None,
        };
        while let Some(frame) = events.frame().await? {
            let value = parse(frame.data.as_bytes()).ok();
            let session = value.as_ref().and_then(|value| {
                let session = value
                    .get("session_id")
                    .filter(|_| value.get("type").and_then(View::as_str) == Some("connect"))?;
                Some(session.as_str().map_or_else(|| session.to_text(), str::to_owned))
            });
            if let Some(session) = session {
                events.session = session;
                return Ok(events);
            }
        }
        Err(NodeError::Malformed(
            "a stream of events without a session".to_owned(),
        ))
    }

    /// Subscribes a session to contexts and groups.
    ///
    /// # Errors
    /// [`NodeError`] as every request.
    pub async fn subscribe(&self, session: &str, topics: &Topics) -> Result<(), NodeError> {
        let body = Value::object()
            .put("id", session)
            .put("method", "subscribe")
            .put("params", topics.parameters())
            .build();
        self.post("/sse/subscription", &body).await
    }

    async fn post(&self, path: &str, body: &Value) -> Result<(), NodeError> {
        let reply = self.send(&Request::post(path, body)).await?;
        if reply.is_success() {
            Ok(())
        } else {
            Err(reply.failure())
        }
    }
}

/// The event in a message; nothing in messages about the connection itself.
pub(super) fn event(message: &str) -> Option<NodeEvent> {
    let value = parse_with(message.as_bytes(), &Limits::ceiling()).ok()?;
    let result = value.get("result")?;
    let text = |key: &str| result.get(key).and_then(View::as_str).map(str::to_owned);
    let origin = text("contextId").map(Origin::Context);
    let origin = origin.or_else(|| text("groupId").map(Origin::Group))?;
    let data = match result.pointer("/data/events").and_then(View::as_array) {
        Some(events) => events.iter().map(of_application).collect(),
        None => result.get("data").map_or_else(Value::null, View::detach),
    };
    Some(NodeEvent {
        origin,
        kind: text("type")?,
        data,
    })
}

/// One event of an application, as the node writes it.
fn of_application(event: View<'_>) -> Value {
    let bytes: Vec<u8> = event
        .get("data")
        .and_then(View::as_array)
        .into_iter()
        .flatten()
        .filter_map(|byte| byte.as_u64().and_then(|byte| u8::try_from(byte).ok()))
        .collect();
    let name = event.get("kind").and_then(View::as_str).unwrap_or_default();
    emitted(name, &bytes)
}
