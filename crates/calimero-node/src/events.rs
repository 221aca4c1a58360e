//! Who is told what happens: connections of either kind, with what they subscribed to.

use std::collections::HashSet;

use serde_json::{Value, json};
use tokio::sync::mpsc;

/// Messages that may wait in a connection.
pub(crate) const WAITING: usize = 256;

/// Everybody who is told.
#[derive(Debug, Default)]
pub(crate) struct Listeners {
    listeners: Vec<Listener>,
    /// How many sessions there were.
    made: u64,
}

/// One who is told: a session of server-sent events, which outlives its connection, or a WebSocket.
#[derive(Debug)]
pub(crate) struct Listener {
    name: String,
    contexts: HashSet<String>,
    groups: HashSet<String>,
    /// How many messages there were.
    number: u64,
    sender: mpsc::Sender<Message>,
}

/// A message to a connection.
#[derive(Debug)]
pub(crate) struct Message {
    /// Its id in its session.
    pub(crate) id: String,
    pub(crate) data: Value,
}

impl Listener {
    pub(crate) fn send(&mut self, data: Value) {
        self.number += 1;
        let id = format!("{}-{}", self.name, self.number);
        // A connection that went away is told nothing.
        let _ = self.sender.try_send(Message { id, data });
    }

    /// Another connection of the same session.
    pub(crate) fn reconnect(&mut self, sender: mpsc::Sender<Message>) {
        self.sender = sender;
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// `subscribe` and `unsubscribe`: the ids that were named.
    pub(crate) fn change(&mut self, method: &str, params: &Value) -> Option<Value> {
        let ids = |key: &str| {
            let list = params.get(key).and_then(Value::as_array).into_iter().flatten();
            list.filter_map(|id| id.as_str().map(str::to_owned))
                .collect::<Vec<_>>()
        };
        let (contexts, groups) = (ids("contextIds"), ids("groupIds"));
        let told = json!({ "status": format!("{method}d"), "contexts": contexts, "groups": groups });
        match method {
            "subscribe" => {
                self.contexts.extend(contexts);
                self.groups.extend(groups);
            }
            "unsubscribe" => {
                self.contexts.retain(|id| !contexts.contains(id));
                self.groups.retain(|id| !groups.contains(id));
            }
            _ => return None,
        }
        Some(told)
    }
}

impl Listeners {
    /// A new one.
    pub(crate) fn add(&mut self, sender: mpsc::Sender<Message>) -> &mut Listener {
        self.made += 1;
        self.listeners.push(Listener {
            name: (self.made + 100).to_string(),
            contexts: HashSet::new(),
            groups: HashSet::new(),
            number: 0,
            sender,
        });
        let last = self.listeners.len() - 1;
        &mut self.listeners[last]
    }

    pub(crate) fn named(&mut self, name: &str) -> Option<&mut Listener> {
        self.listeners.iter_mut().find(|listener| listener.name == name)
    }

    /// Forgets one whose connection is all that there was of it.
    pub(crate) fn remove(&mut self, name: &str) {
        self.listeners.retain(|listener| listener.name != name);
    }

    /// Whether somebody is subscribed to a context or group.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.listeners
            .iter()
            .any(|listener| listener.contexts.contains(id) || listener.groups.contains(id))
    }

    /// Tells what an application emitted to everybody who subscribed to its context.
    pub(crate) fn emit(&mut self, context: &str, kind: &str, bytes: &[u8]) {
        let events = json!([{ "kind": kind, "data": bytes, "handler": null }]);
        let event = json!({ "contextId": context, "type": "StateMutation", "data": { "newRoot": "r", "events": events } });
        self.tell(&event, |listener| listener.contexts.contains(context));
    }

    /// Tells what happened in a group.
    pub(crate) fn group_event(&mut self, group: &str, kind: &str, data: &Value) {
        let event = json!({ "groupId": group, "type": kind, "data": data });
        self.tell(&event, |listener| listener.groups.contains(group));
    }

    fn tell(&mut self, event: &Value, wants: impl Fn(&Listener) -> bool) {
        for listener in self.listeners.iter_mut().filter(|listener| wants(listener)) {
            listener.send(json!({ "result": event }));
        }
    }

    /// Ends every connection; sessions stay.
    pub(crate) fn cut(&mut self) {
        for listener in &mut self.listeners {
            listener.sender = mpsc::channel(1).0;
        }
    }
}
