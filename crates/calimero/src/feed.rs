//! What happened lately in contexts, as a resource of each: whoever has contexts fills a [`Feed`] and offers it.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use toolmesh_json::{Value, parse};
use toolmesh_tool::{
    ResourceBody, ResourceContents, ResourceInfo, ResourceReader, ResourceTemplate, UriTemplate,
};

use crate::segment::encoded;

/// How many events of one context are kept.
pub const KEPT_EVENTS: usize = 100;

/// How much of one context is kept, in bytes of JSON: whoever reads a context gets all of it at once. An application may
/// emit and log some 20 MB in one call.
pub const KEPT_EVENT_BYTES: usize = 4 << 20;

/// What happened lately, by context.
#[derive(Debug, Default)]
pub struct Feed {
    contexts: HashMap<String, Kept>,
    /// How many events there were in all; each has its number.
    count: u64,
}

/// What is kept of one context.
#[derive(Debug, Default)]
struct Kept {
    /// Each with its size.
    events: VecDeque<(usize, Value)>,
    bytes: usize,
}

impl Feed {
    /// Adds an event of a context; beyond [`KEPT_EVENTS`] and [`KEPT_EVENT_BYTES`] the oldest are dropped. Of an event
    /// that is larger than that itself, a `note` of its size is kept in the place of its data.
    pub fn add(&mut self, context: &str, kind: &str, data: Value) {
        self.count = self.count.saturating_add(1);
        let event = || Value::object().put("number", self.count).put("type", kind);
        let mut value = event().put("data", data).build();
        let mut bytes = value.to_text().len();
        if bytes > KEPT_EVENT_BYTES {
            let note = format!("the event has {bytes} bytes; at most {KEPT_EVENT_BYTES} are kept");
            value = event().put("note", note).build();
            bytes = value.to_text().len();
        }
        let kept = self.contexts.entry(context.to_owned()).or_default();
        kept.make_room(bytes);
        kept.bytes = kept.bytes.saturating_add(bytes);
        kept.events.push_back((bytes, value));
    }

    /// The events of a context, `{"number", "type", "data"}` each, the oldest first.
    #[must_use]
    pub fn of(&self, context: &str) -> Value {
        let kept = self.contexts.get(context).into_iter();
        kept.flat_map(|kept| &kept.events)
            .map(|(_, event)| event.clone())
            .collect()
    }
}

impl Kept {
    /// Drops the oldest until one more event of this size fits.
    fn make_room(&mut self, bytes: usize) {
        while self.events.len() >= KEPT_EVENTS || self.bytes.saturating_add(bytes) > KEPT_EVENT_BYTES {
            let Some((dropped, _)) = self.events.pop_front() else {
                return;
            };
            self.bytes = self.bytes.saturating_sub(dropped);
        }
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

/// The URI of what happened lately in a context; what stands in no URI is percent-encoded.
#[must_use]
pub fn events_uri(context: &str) -> String {
    format!("calimero://contexts/{}/events", encoded(context))
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
    fn the_latest_events_fit_together_into_what_is_kept() {
        let mut feed = Feed::default();
        let numbers = |feed: &Feed| -> Vec<Option<u64>> {
            let events = feed.of("c");
            let events = events.as_array().into_iter().flatten();
            events
                .map(|event| event.get("number").and_then(View::as_u64))
                .collect()
        };
        // What stands around the data of an event whose number has one digit.
        let around = r#"{"number":1,"type":"E","data":""}"#.len();
        let half = "x".repeat(KEPT_EVENT_BYTES / 2 - around);
        feed.add("c", "E", Value::from(half.as_str()));
        feed.add("c", "E", Value::from(half.as_str()));
        assert_eq!(numbers(&feed), [Some(1), Some(2)]);
        feed.add("c", "E", Value::from(format!("{half}x").as_str()));
        assert_eq!(numbers(&feed), [Some(3)]);
    }

    #[test]
    fn an_event_that_is_too_large_is_told_by_its_size() {
        let mut feed = Feed::default();
        let around = r#"{"number":1,"type":"E","data":""}"#.len();
        let fits = "x".repeat(KEPT_EVENT_BYTES - around);
        feed.add("c", "E", Value::from(fits.as_str()));
        let data = |feed: &Feed| feed.of("c").pointer("/0/data").is_some();
        assert!(data(&feed));
        feed.add("c", "E", Value::from(format!("{fits}x").as_str()));
        assert_eq!(
            feed.of("c").to_text(),
            r#"[{"number":2,"type":"E","note":"the event has 4194305 bytes; at most 4194304 are kept"}]"#
        );
    }

    #[test]
    fn a_context_may_be_called_what_stands_in_no_uri() {
        assert_eq!(events_uri("room_1"), "calimero://contexts/room_1/events");
        assert_eq!(
            events_uri("a b/c\u{202e}?"),
            "calimero://contexts/a%20b%2Fc%E2%80%AE%3F/events"
        );
    }

    #[test]
    fn a_payload_is_the_json_of_its_bytes_or_the_bytes() {
        let text = |bytes: &[u8]| emitted("E", bytes).to_text();
        assert_eq!(text(br#"{"a":1}"#), r#"{"name":"E","payload":{"a":1}}"#);
        assert_eq!(text(b""), r#"{"name":"E","payload":null}"#);
        assert_eq!(text(&[0xff, 1]), r#"{"name":"E","payload":[255,1]}"#);
    }
}
