//! What happened lately in contexts, as a resource of each: whoever has contexts fills a [`Feed`] and offers it.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use toolmesh_json::{Value, parse};
use toolmesh_tool::{
    ResourceBody, ResourceContents, ResourceInfo, ResourceReader, ResourceTemplate, UriTemplate,
};

/// How many events of one context are kept.
pub const KEPT_EVENTS: usize = 100;

/// What happened lately, by context.
#[derive(Debug, Default)]
pub struct Feed {
    events: HashMap<String, VecDeque<Value>>,
    /// How many events there were in all; each has its number.
    count: u64,
}

impl Feed {
    /// Adds an event of a context; beyond [`KEPT_EVENTS`] the oldest is dropped.
    pub fn add(&mut self, context: &str, kind: &str, data: Value) {
        self.count = self.count.saturating_add(1);
        let kept = self.events.entry(context.to_owned()).or_default();
        if kept.len() >= KEPT_EVENTS {
            kept.pop_front();
        }
        let value = Value::object()
            .put("number", self.count)
            .put("type", kind)
            .put("data", data);
        kept.push_back(value.build());
    }

    /// The events of a context, `{"number", "type", "data"}` each, the oldest first.
    #[must_use]
    pub fn of(&self, context: &str) -> Value {
        self.events.get(context).into_iter().flatten().cloned().collect()
    }
}

/// An event of an application, `{"name", "payload"}`: the payload is the JSON that its bytes hold, null where there are
/// none, and the bytes themselves where they are no JSON.
#[must_use]
pub fn emitted(name: &str, bytes: &[u8]) -> Value {
    let payload = match parse(bytes) {
        Ok(payload) => payload.detach(),
        Err(_) if bytes.is_empty() => Value::null(),
        Err(_) => bytes.iter().map(|byte| Value::from(u32::from(*byte))).collect(),
    };
    Value::object().put("name", name).put("payload", payload).build()
}

/// The URI of what happened lately in a context.
#[must_use]
pub fn events_uri(context: &str) -> String {
    format!("calimero://contexts/{context}/events")
}

/// The form of these URIs; `reader` is given the context as `contextId`.
#[must_use]
pub fn events_template(reader: Arc<dyn ResourceReader>) -> Option<ResourceTemplate> {
    Some(ResourceTemplate {
        template: UriTemplate::parse("calimero://contexts/{contextId}/events").ok()?,
        info: ResourceInfo {
            name: "context events".to_owned(),
            description: Some(
                "What happened lately in a context: events of its application, and of its synchronisation. Subscribe to be \
                 told of more."
                    .to_owned(),
            ),
            mime_type: Some("application/json".to_owned()),
            ..ResourceInfo::default()
        },
        reader,
    })
}

/// What is read there.
#[must_use]
pub fn events_contents(uri: &str, context: &str, events: Value) -> ResourceContents {
    let text = Value::object()
        .put("contextId", context)
        .put("events", events)
        .build()
        .to_text();
    ResourceContents {
        uri: uri.to_owned(),
        mime_type: Some("application/json".to_owned()),
        body: ResourceBody::Text(text),
        meta: None,
    }
}

#[cfg(test)]
mod tests {
    use toolmesh_json::View;

    use super::*;

    #[test]
    fn the_latest_events_of_a_context_are_kept() {
        let mut feed = Feed::default();
        (0..KEPT_EVENTS).for_each(|_| feed.add("c", "StateMutation", Value::null()));
        let first = |feed: &Feed| feed.of("c").pointer("/0/number").and_then(View::as_u64);
        assert_eq!(first(&feed), Some(1));
        feed.add("c", "StateMutation", Value::null());
        assert_eq!(first(&feed), Some(2));
        assert_eq!(
            feed.of("c").as_array().map(|events| events.len()),
            Some(KEPT_EVENTS)
        );
        assert_eq!(feed.of("d").to_text(), "[]");
    }

    #[test]
    fn a_payload_is_the_json_of_its_bytes_or_the_bytes() {
        let text = |bytes: &[u8]| emitted("E", bytes).to_text();
        assert_eq!(text(br#"{"a":1}"#), r#"{"name":"E","payload":{"a":1}}"#);
        assert_eq!(text(b""), r#"{"name":"E","payload":null}"#);
        assert_eq!(text(&[0xff, 1]), r#"{"name":"E","payload":[255,1]}"#);
    }
}
