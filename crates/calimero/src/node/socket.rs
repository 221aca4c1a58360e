//! The same events over a WebSocket.

use std::collections::VecDeque;

use futures_util::{SinkExt, StreamExt};
use tokio_tungstenite::tungstenite::Message;
use toolmesh_json::{Value, View, parse};

use super::{
    Node, NodeError, NodeEvent, Topics,
    events::event,
    http::{Http, Socket},
};

/// A connection of messages on which a node tells what happens.
#[derive(Debug)]
pub struct EventSocket {
    socket: Socket,
    http: Http,
    /// The number of the last request.
    requests: u64,
    /// What was told while a reply was awaited.
    waiting: VecDeque<NodeEvent>,
}

impl Node {
    /// Opens a WebSocket on which the node tells what happens in what is subscribed to. It has no memory: another
    /// connection begins anew.
    ///
    /// # Errors
    /// [`NodeError`] when the node cannot be reached, refuses, or has no such connections.
    pub async fn event_socket(&self) -> Result<EventSocket, NodeError> {
        let (socket, http) = self.open_socket("/ws").await?;
        Ok(EventSocket {
            socket,
            http,
            requests: 0,
            waiting: VecDeque::new(),
        })
    }
}

impl EventSocket {
    /// Subscribes to contexts and groups, and waits until the node took it.
    ///
    /// # Errors
    /// [`NodeError`] when the node refuses, does not answer in time, or the connection breaks off.
    pub async fn subscribe(&mut self, topics: &Topics) -> Result<(), NodeError> {
        self.requests = self.requests.saturating_add(1);
        let request = Value::object()
            .put("id", self.requests)
            .put("method", "subscribe")
            .put("params", topics.parameters())
            .build();
        let sent = self.socket.send(Message::text(request.to_text())).await;
        sent.map_err(|error| self.broken(&error))?;
        let (id, timeout) = (self.requests, self.http.timeout());
        match tokio::time::timeout(timeout, self.reply(id)).await {
            Ok(reply) => reply,
            Err(_) => Err(self.http.late()),
        }
    }

    /// Reads until the reply to a request, and keeps what is told before it.
    async fn reply(&mut self, id: u64) -> Result<(), NodeError> {
        while let Some(message) = self.message().await? {
            if let Some(event) = event(&message) {
                self.waiting.push_back(event);
                continue;
            }
            let Ok(reply) = parse(message.as_bytes()) else {
                continue;
            };
            if reply.get("id").and_then(View::as_u64) != Some(id) {
                continue;
            }
            return match reply.get("error").filter(|error| !error.is_null()) {
                Some(error) => Err(super::rpc::failure(error)),
                None => Ok(()),
            };
        }
        Err(self.http.lost("the connection broke off"))
    }

    /// The next event; `None` when the node ended the connection. Dropping the future loses none.
    ///
    /// # Errors
    /// [`NodeError::Unreachable`] when the connection breaks off.
    pub async fn next(&mut self) -> Result<Option<NodeEvent>, NodeError> {
        if let Some(event) = self.waiting.pop_front() {
            return Ok(Some(event));
        }
        while let Some(message) = self.message().await? {
            if let Some(event) = event(&message) {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    /// The next text. Pings are answered beneath.
    async fn message(&mut self) -> Result<Option<String>, NodeError> {
        while let Some(message) = self.socket.next().await {
            match message {
                Ok(Message::Text(text)) => return Ok(Some(text.as_str().to_owned())),
                Ok(Message::Close(_)) => return Ok(None),
                Ok(_) => {}
                Err(error) => return Err(self.broken(&error)),
            }
        }
        Ok(None)
    }

    fn broken(&self, error: &tokio_tungstenite::tungstenite::Error) -> NodeError {
        tracing::debug!(%error, "the node's WebSocket broke off");
        self.http.lost("the connection broke off")
    }
}
