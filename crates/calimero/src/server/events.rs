//! What happened lately, as resources: of a context, of a group. Whoever subscribed is told of more.

use std::collections::BTreeSet;
use std::sync::{Arc, Weak};

use toolmesh_json::{Value, View};
use toolmesh_tool::{
    BoxFuture, CallContext, CallError, IndexMap, ResourceBody, ResourceContents, ResourceInfo,
    ResourceReader, ResourceTemplate, UriTemplate,
};

use super::{Shared, lock};
use crate::event::typed_events;
use crate::feed::{events_contents, events_template, events_uri};
use crate::model::Manifest;
use crate::node::{Call, NodeError, NodeEvent, Origin, Topics};

/// The type of an event that holds what an application emitted.
const STATE_MUTATION: &str = "StateMutation";

/// The URI of what happened lately in a group or namespace.
#[must_use]
pub fn group_events_uri(group: &str) -> String {
    format!("calimero://groups/{group}/events")
}

/// The resources of what happens in contexts and groups.
pub(super) fn templates(shared: &Arc<Shared>) -> Vec<ResourceTemplate> {
    let of_groups = UriTemplate::parse("calimero://groups/{groupId}/events").ok();
    let of_groups = of_groups.map(|template| ResourceTemplate {
        template,
        info: ResourceInfo {
            name: "group events".to_owned(),
            description: Some(
                "What happened lately in a group or namespace: members, migrations. Subscribe to be told of more."
                    .to_owned(),
            ),
            mime_type: Some("application/json".to_owned()),
            ..ResourceInfo::default()
        },
        reader: Arc::new(GroupEvents(Arc::downgrade(shared))),
    });
    let of_contexts = events_template(Arc::new(ContextEvents(Arc::downgrade(shared))));
    of_contexts.into_iter().chain(of_groups).collect()
}

struct ContextEvents(Weak<Shared>);

impl ResourceReader for ContextEvents {
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
            Ok(vec![events_contents(uri, &context.id, events)])
        })
    }
}

struct GroupEvents(Weak<Shared>);

impl ResourceReader for GroupEvents {
    fn read<'a>(
        &'a self,
        _context: CallContext,
        uri: &'a str,
        variables: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<Vec<ResourceContents>, CallError>> {
        Box::pin(async move {
            let shared = self.0.upgrade().ok_or(CallError::NotFound("resource"))?;
            let group = variables.get("groupId").map(String::as_str).unwrap_or_default();
            let topics = shared.topics().await;
            if !topics.is_ok_and(|topics| topics.groups.iter().any(|known| known == group)) {
                return Err(CallError::NotFound("resource"));
            }
            let events = lock(&shared.group_feed).of(group);
            let text = Value::object()
                .put("groupId", group)
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
    /// Keeps an event, and tells whoever subscribed.
    pub(super) async fn happened(&self, event: &NodeEvent) {
        let uri = match &event.origin {
            Origin::Context(context) => {
                let data = self.read_by_interface(context, event).await;
                lock(&self.feed).add(context, &event.kind, data);
                events_uri(context)
            }
            Origin::Group(group) => {
                lock(&self.group_feed).add(group, &event.kind, event.data.clone());
                group_events_uri(group)
            }
        };
        if let Some(mount) = self.mount.get() {
            mount.resource_updated(&uri);
        }
    }

    /// What an event holds, read by the interface of the application that emitted it where that is known.
    async fn read_by_interface(&self, context: &str, event: &NodeEvent) -> Value {
        if event.kind != STATE_MUTATION {
            return event.data.clone();
        }
        match self.interface_of(context).await {
            Some(manifest) => typed_events(&manifest, event.data.view()),
            None => event.data.clone(),
        }
    }

    /// The interface of what runs in a context.
    async fn interface_of(&self, context: &str) -> Option<Arc<Manifest>> {
        let context = self.context(context).await.ok()?;
        let apps = self.apps();
        let application = apps
            .iter()
            .find(|application| application.id.as_deref() == Some(context.application.as_str()))?;
        let mut services = application.services.iter();
        let service = match application.services.len() {
            1 => services.next(),
            _ => services.find(|service| service.name == context.service),
        };
        service.map(|service| Arc::clone(&service.manifest))
    }

    /// Everything of this node that events may be of: its contexts, their groups, its namespaces.
    pub(super) async fn topics(&self) -> Result<Topics, NodeError> {
        let answer = self.node.ask(Call::get(&["contexts"]), None).await?;
        let rows = answer.get("contexts");
        let mut groups: BTreeSet<String> = ids(rows, "groupId").collect();
        // Older nodes have no namespaces.
        if let Ok(namespaces) = self.node.ask(Call::get(&["namespaces"]), None).await {
            groups.extend(ids(Some(namespaces.view()), "namespaceId"));
        }
        Ok(Topics {
            contexts: ids(rows, "id").collect(),
            groups: groups.into_iter().collect(),
        })
    }
}

/// A member of each row that has it.
fn ids<'a>(rows: Option<View<'a>>, key: &'a str) -> impl Iterator<Item = String> + use<'a> {
    let rows = rows.and_then(View::as_array).into_iter().flatten();
    rows.filter_map(move |row| row.get(key).and_then(View::as_str).map(str::to_owned))
}
