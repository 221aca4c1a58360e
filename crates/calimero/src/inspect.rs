//! What is in an application, and what became of each entry.

use toolmesh_tool::{InspectedEntry, Inspection};

use crate::describe;
use crate::model::{Application, INIT, Intent, Manifest};
use crate::tool::{MappedMethod, Mapping, tools};

/// Inspects an application: every method and event once, in its order. The kind of an entry is `view`, `mut`, `init`,
/// `event`, or `entry` for what is no method.
#[must_use]
pub fn inspect(application: &Application, mapping: &Mapping, source: impl Into<String>) -> Inspection {
    let mapped = tools(std::slice::from_ref(application), &[], mapping, None);
    let services = application.services.iter();
    Inspection {
        source: source.into(),
        kind: "calimero",
        functions: mapped.iter().map(inspected).collect(),
        events: services
            .flat_map(|service| events_of(&service.manifest))
            .collect(),
        errors: Vec::new(),
        notes: notes(application),
    }
}

/// One entry of a manifest's methods.
pub(crate) fn inspected(mapped: &MappedMethod) -> InspectedEntry {
    let signature = mapped
        .method
        .as_ref()
        .map_or_else(|| mapped.name.clone(), |method| describe::call(method));
    let signature = match &mapped.service {
        Some(service) => format!("{service}.{signature}"),
        None => signature,
    };
    let kind = match &mapped.method {
        None => "entry",
        Some(method) if method.name == INIT => "init",
        Some(method) if method.intent == Intent::ReadOnly => "view",
        Some(_) => "mut",
    };
    InspectedEntry {
        signature,
        kind: kind.to_owned(),
        tool: mapped.tool.as_ref().ok().map(|tool| tool.name().to_string()),
        reason: mapped.tool.as_ref().err().cloned(),
        skipped: mapped.tool.is_err() && kind != "init",
    }
}

/// The events of a manifest.
pub(crate) fn events_of(manifest: &Manifest) -> impl Iterator<Item = InspectedEntry> {
    manifest.events.iter().map(|event| InspectedEntry {
        signature: match &event.payload {
            Some(payload) => format!("{}({})", event.name, describe::type_name(payload)),
            None => event.name.clone(),
        },
        kind: "event".to_owned(),
        tool: None,
        reason: Some("told when the application emits it".to_owned()),
        skipped: false,
    })
}

fn notes(application: &Application) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(version) = &application.version {
        notes.push(format!("version {version} of {}", application.key()));
    }
    let empty = |service: &crate::model::Service| service.manifest.methods.is_empty();
    if application.services.iter().all(empty) {
        notes.push(
            "it declares no methods: a manifest of an old toolchain may describe the state alone; rebuild the \
             application, or give its abi.json"
                .to_owned(),
        );
    }
    notes
}
