//! What a source offers of its contract's events: a tool that finds them, a resource and a resource template for each.

use std::collections::HashSet;
use std::sync::Arc;

use toolmesh_tool::{Resource, ResourceInfo, ResourceReader, ResourceTemplate, Tool, UriTemplate};

use super::filter::EventFilter;
use super::keys::EventKeys;
use super::live::Live;
use super::resource::EventResource;
use super::{Events, tool};
use crate::mapper::{EventMapper, MappedResource};
use crate::model::{Event, Interface};
use crate::tool::Contract;

/// What became of an event.
#[derive(Clone, Debug)]
pub struct MappedEvent {
    /// The event.
    pub event: Arc<Event>,
    /// The event as a resource.
    pub resource: MappedResource,
    /// The tool that finds it, or why there is none.
    pub tool: Result<Tool, String>,
}

/// Maps every event of an interface, in its order; one that stands there twice once.
///
/// `taken` are the names of other tools of the source: an event's tool never has one of them.
#[must_use]
pub fn event_tools(
    interface: &Interface,
    contract: Option<&Contract>,
    taken: &HashSet<String>,
) -> Vec<MappedEvent> {
    let events = Events::of(interface);
    let mut taken = taken.clone();
    let mut seen = HashSet::new();
    let mapped = EventMapper::default().map_interface(interface);
    let distinct = interface
        .events()
        .zip(mapped)
        .filter(|(_, resource)| seen.insert(resource.name.clone()));
    distinct
        .map(|(event, resource)| {
            let name = tool::tool_name(event, &resource, &taken);
            taken.insert(name.clone());
            MappedEvent {
                event: Arc::clone(event),
                tool: tool::tool(event, &resource, name, contract.cloned(), events.clone()),
                resource,
            }
        })
        .collect()
}

/// The resources of events, and what follows the chain for them.
#[derive(Debug, Default)]
pub(crate) struct EventResources {
    pub(crate) resources: Vec<Resource>,
    pub(crate) templates: Vec<ResourceTemplate>,
    pub(crate) live: Option<Arc<Live>>,
}

pub(crate) fn resources(
    interface: &Interface,
    mapped: &[MappedEvent],
    contract: Option<&Contract>,
) -> EventResources {
    let plain = mapped.iter().map(|event| {
        let filter = EventFilter::all(Arc::clone(&event.event));
        (uri(event), filter)
    });
    let live = contract.filter(|_| !mapped.is_empty()).map(|contract| {
        let chain = Arc::clone(&contract.chain);
        Arc::new(Live::new(chain, contract.address, Events::of(interface), plain))
    });
    let mut entries = EventResources {
        live: live.clone(),
        ..EventResources::default()
    };
    for event in mapped {
        let reader: Arc<dyn ResourceReader> = Arc::new(EventResource {
            event: Arc::clone(&event.event),
            uri: uri(event),
            live: live.clone(),
        });
        entries.resources.push(Resource {
            uri: uri(event),
            info: info(event, "Read without a query it tells the latest ones."),
            size: None,
            reader: Arc::clone(&reader),
        });
        match UriTemplate::parse(&event.resource.uri_template) {
            Ok(template) => entries.templates.push(ResourceTemplate {
                template,
                info: info(event, &about_query(&event.event)),
                reader,
            }),
            // Names have only characters that a template may have; this is for those who change that.
            Err(error) => {
                tracing::warn!(event = event.resource.name, %error, "an event has no resource template")
            }
        }
    }
    entries
}

fn uri(event: &MappedEvent) -> String {
    format!("events://{}", event.resource.name)
}

fn info(event: &MappedEvent, use_of_it: &str) -> ResourceInfo {
    ResourceInfo {
        name: event.resource.name.clone(),
        title: Some(format!("{} events", event.resource.original_name)),
        description: Some(format!("{}\n{use_of_it}", event.resource.description)),
        mime_type: Some("application/json".to_owned()),
        ..ResourceInfo::default()
    }
}

fn about_query(event: &Event) -> String {
    let keys = EventKeys::of(event);
    format!(
        "{} and {} are block numbers, {} continues an answer by its next_cursor, {} tells what is new since the \
         `after` of an earlier reading.",
        keys.from_block, keys.to_block, keys.cursor, keys.after
    )
}
