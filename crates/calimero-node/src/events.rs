//! `/sse`: sessions that are told what happens in the contexts that they subscribed to.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;

use axum::{
    body::Body,
    http::{Response, header},
};
use futures_util::stream;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::answer::{self, Answer};

/// Frames that may wait in a connection.
const WAITING: usize = 256;

#[derive(Debug, Default)]
pub(crate) struct Sessions {
    sessions: HashMap<String, Session>,
}

#[derive(Debug)]
struct Session {
    contexts: HashSet<String>,
    number: u64,
    sender: mpsc::Sender<String>,
}

impl Session {
    fn send(&mut self, name: &str, data: &Value) {
        self.number += 1;
        // A connection that went away is told nothing.
        let _ = self.sender.try_send(format!(
            "event: message\nid: {name}-{}\nretry: 3000\ndata: {data}\n\n",
            self.number
        ));
    }
}

impl Sessions {
    /// Opens a connection, or goes on with the session whose frame was the last one seen.
    pub(crate) fn open(&mut self, last: Option<&str>) -> Answer {
        let known = last
            .and_then(|last| last.rsplit_once('-'))
            .filter(|(name, _)| self.sessions.contains_key(*name));
        let reconnect = known.is_some();
        let name = known.map_or_else(
            || (self.sessions.len() + 100).to_string(),
            |(name, _)| name.to_owned(),
        );
        let (sender, receiver) = mpsc::channel(WAITING);
        let session = self.sessions.entry(name.clone()).or_insert_with(|| Session {
            contexts: HashSet::new(),
            number: 0,
            sender: sender.clone(),
        });
        session.sender = sender;
        session.send(
            &name,
            &json!({ "type": "connect", "session_id": name, "reconnect": reconnect }),
        );
        let frames = stream::unfold(receiver, |mut receiver| async {
            let frame = receiver.recv().await?;
            Some((Ok::<_, Infallible>(frame), receiver))
        });
        let mut response = Response::new(Body::from_stream(frames));
        let kind = header::HeaderValue::from_static("text/event-stream");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        response
    }

    /// `/sse/subscription`.
    pub(crate) fn subscribe(&mut self, body: &Value) -> Answer {
        let name = body.get("id").and_then(Value::as_str).unwrap_or_default();
        let Some(session) = self.sessions.get_mut(name) else {
            return answer::error(404, "session not found");
        };
        let ids = body
            .pointer("/params/contextIds")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let ids: Vec<String> = ids
            .into_iter()
            .filter_map(|id| id.as_str().map(str::to_owned))
            .collect();
        session.contexts.extend(ids.iter().cloned());
        answer::flat(&json!({ "result": { "status": "subscribed", "contexts": ids, "groups": [] } }))
    }

    /// Whether somebody is subscribed to a context.
    pub(crate) fn has(&self, context: &str) -> bool {
        self.sessions
            .values()
            .any(|session| session.contexts.contains(context))
    }

    /// Tells what happened to everybody who subscribed.
    pub(crate) fn emit(&mut self, context: &str, kind: &str, payload: &Value) {
        let bytes = payload.to_string().into_bytes();
        let events = json!([{ "kind": kind, "data": bytes, "handler": null }]);
        let event = json!({ "contextId": context, "type": "StateMutation", "data": { "newRoot": "r", "events": events } });
        for (name, session) in &mut self.sessions {
            if session.contexts.contains(context) {
                session.send(name, &json!({ "result": event }));
            }
        }
    }

    /// Ends every connection; the sessions stay.
    pub(crate) fn cut(&mut self) {
        for session in self.sessions.values_mut() {
            session.sender = mpsc::channel(1).0;
        }
    }
}
