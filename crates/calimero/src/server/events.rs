//! Events of contexts as resources: what happened lately can be read, and whoever subscribed is told of more.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Weak};
use std::time::Duration;

use toolmesh_json::{Value, View};
use toolmesh_tool::{
    BoxFuture, CallContext, CallError, IndexMap, ResourceBody, ResourceContents, ResourceInfo,
    ResourceReader, ResourceTemplate, UriTemplate,
};

use super::{Shared, lock};
use crate::node::{Call, ContextEvent, EventStream, NodeError};

/// How many events of one context are kept.
const KEPT: usize = 100;

/// How long after a lost connection another one is tried: what the node asks for.
const RETRY: Duration = Duration::from_secs(3);

/// How often new contexts are looked for.
const LOOK: Duration = Duration::from_secs(30);

/// What happened lately, by context.
#[derive(Debug, Default)]
pub(super) struct Feed {
    events: HashMap<String, VecDeque<Value>>,
    /// How many events there were in all; each has its number.
    count: u64,
}

impl Feed {
    fn add(&mut self, event: &ContextEvent) {
        self.count = self.count.saturating_add(1);
        let kept = self.events.entry(event.context.clone()).or_default();
        if kept.len() >= KEPT {
            kept.pop_front();
        }
        let value = Value::object()
            .put("number", self.count)
            .put("type", event.kind.as_str())
            .put("data", event.data.clone());
        kept.push_back(value.build());
    }

    fn of(&self, context: &str) -> Value {
        self.events.get(context).into_iter().flatten().cloned().collect()
    }
}

/// The URI of what happened lately in a context.
#[must_use]
pub fn events_uri(context: &str) -> String {
    format!("calimero://contexts/{context}/events")
}

/// The form of their URIs.
pub(super) fn template(shared: &Arc<Shared>) -> Option<ResourceTemplate> {
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
        reader: Arc::new(Events(Arc::downgrade(shared))),
    })
}

struct Events(Weak<Shared>);

impl ResourceReader for Events {
    fn read<'a>(
        &'a self,
        _context: CallContext,
        uri: &'a str,
        variables: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<Vec<ResourceContents>, CallError>> {
        Box::pin(async move {
            let shared = self.0.upgrade().ok_or(CallError::NotFound("resource"))?;
            let wanted = variables.get("contextId").map(String::as_str).unwrap_or_default();
            let context = shared
                .context(wanted)
                .await
                .map_err(|_| CallError::NotFound("resource"))?;
            let events = lock(&shared.feed).of(&context.id);
            let text = Value::object()
                .put("contextId", context.id)
                .put("events", events)
                .build()
                .to_text();
            Ok(vec![ResourceContents {
                uri: uri.to_owned(),
                mime_type: Some("application/json".to_owned()),
                body: ResourceBody::Text(text),
                meta: None,
            }])
        })
    }
}

impl Shared {
    fn happened(&self, event: &ContextEvent) {
        lock(&self.feed).add(event);
        if let Some(mount) = self.mount.get() {
            mount.resource_updated(&events_uri(&event.context));
        }
    }

    async fn all_contexts(&self) -> Result<Vec<String>, NodeError> {
        let answer = self.node.ask(Call::get(&["contexts"]), None).await?;
        let rows = answer
            .get("contexts")
            .and_then(View::as_array)
            .into_iter()
            .flatten();
        Ok(rows
            .into_iter()
            .filter_map(|row| row.get("id").and_then(View::as_str).map(str::to_owned))
            .collect())
    }
}

/// Follows what happens, as long as somebody holds the source.
pub(super) async fn follow(shared: Weak<Shared>) {
    let mut last = None;
    loop {
        let Some(strong) = shared.upgrade() else {
            return;
        };
        // An ordinary request first: it renews a token that ended.
        let opened = match strong.all_contexts().await {
            Ok(_) => strong.node.events(last.as_deref()).await,
            Err(error) => Err(error),
        };
        drop(strong);
        let pause = if opened.is_ok() { RETRY } else { LOOK };
        match opened {
            Ok(mut stream) => {
                if let Err(error) = listen(&shared, &mut stream).await {
                    tracing::debug!(%error, "the node's events broke off");
                }
                last = stream.last_id().map(str::to_owned);
            }
            Err(error) => {
                tracing::debug!(%error, "the node tells no events");
                // A session that is gone does not come back.
                last = None;
            }
        }
        tokio::time::sleep(pause).await;
    }
}

/// Listens to one connection; new contexts are subscribed to as they come.
async fn listen(shared: &Weak<Shared>, stream: &mut EventStream) -> Result<(), NodeError> {
    let mut subscribed = HashSet::new();
    let mut looks = tokio::time::interval(LOOK);
    loop {
        tokio::select! {
            _ = looks.tick() => {
                let Some(shared) = shared.upgrade() else { return Ok(()) };
                let contexts = shared.all_contexts().await?;
                let new: Vec<String> = contexts.into_iter().filter(|id| !subscribed.contains(id)).collect();
                if !new.is_empty() {
                    shared.node.subscribe(stream.session(), &new).await?;
                    subscribed.extend(new);
                }
            }
            event = stream.next() => {
                let Some(event) = event? else { return Ok(()) };
                let Some(shared) = shared.upgrade() else { return Ok(()) };
                shared.happened(&event);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_events_of_a_context_are_kept() {
        let mut feed = Feed::default();
        let event = ContextEvent {
            context: "c".to_owned(),
            kind: "StateMutation".to_owned(),
            data: Value::null(),
        };
        (0..KEPT).for_each(|_| feed.add(&event));
        let first = |feed: &Feed| feed.of("c").pointer("/0/number").and_then(View::as_u64);
        assert_eq!(first(&feed), Some(1));
        feed.add(&event);
        assert_eq!(first(&feed), Some(2));
        assert_eq!(feed.of("c").as_array().map(|events| events.len()), Some(KEPT));
        assert_eq!(feed.of("d").to_text(), "[]");
    }
}
