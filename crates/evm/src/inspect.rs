//! What is in an interface, and what became of each entry.

use std::collections::HashMap;
use std::sync::Arc;

use toolmesh_tool::{InspectedEntry, Inspection};

use crate::describe::{declaration, event_declaration, parameter_list};
use crate::event::{MappedEvent, event_tools};
use crate::model::{Bytecode, Entry, EntryBody, Interface};
use crate::standard::standards;
use crate::tool::tools;

/// Stands for `fallback` and `receive` among signatures.
const RAW_KEY: &str = "";

/// Which list of the report an entry stands in.
enum Group {
    Function,
    Event,
    Error,
}

/// Inspects an interface: every entry of it once, in its order. The kind of an entry is `view`, `pure`, `nonpayable`,
/// `payable`, `constructor`, `fallback`, `receive`, `event`, `anonymous event`, `error`, or what the entry says it is.
#[must_use]
pub fn inspect(interface: &Interface, source: impl Into<String>) -> Inspection {
    let outcomes: HashMap<String, Result<String, String>> = tools(interface, None)
        .into_iter()
        .map(|mapped| {
            let outcome = mapped.tool.map(|tool| tool.name().to_string());
            let key = if mapped.function.is_raw() {
                RAW_KEY
            } else {
                mapped.function.signature()
            };
            (key.to_owned(), outcome)
        })
        .collect();
    let taken = outcomes
        .values()
        .filter_map(|tool| tool.as_ref().ok())
        .cloned()
        .collect();
    let events = event_tools(interface, None, &taken);
    let mut inspection = Inspection {
        source: source.into(),
        kind: "evm",
        functions: Vec::new(),
        events: Vec::new(),
        errors: Vec::new(),
        notes: notes(interface),
    };
    for entry in &interface.entries {
        let (group, inspected) = inspect_entry(entry, &outcomes, &events);
        match group {
            Group::Function => inspection.functions.push(inspected),
            Group::Event => inspection.events.push(inspected),
            Group::Error => inspection.errors.push(inspected),
        }
    }
    inspection
}

/// `fallback` and `receive` share a tool.
fn raw_entry(
    signature: &str,
    kind: &str,
    outcomes: &HashMap<String, Result<String, String>>,
) -> InspectedEntry {
    let outcome = outcomes.get(RAW_KEY);
    InspectedEntry {
        signature: signature.to_owned(),
        kind: kind.to_owned(),
        tool: outcome.and_then(|outcome| outcome.as_ref().ok()).cloned(),
        reason: outcome.and_then(|outcome| outcome.as_ref().err()).cloned(),
        skipped: false,
    }
}

fn without_tool(signature: String, kind: &str, reason: &str) -> InspectedEntry {
    InspectedEntry {
        signature,
        kind: kind.to_owned(),
        tool: None,
        reason: Some(reason.to_owned()),
        skipped: false,
    }
}

fn inspect_entry(
    entry: &Entry,
    outcomes: &HashMap<String, Result<String, String>>,
    events: &[MappedEvent],
) -> (Group, InspectedEntry) {
    match &entry.body {
        EntryBody::Function(function) => {
            let outcome = outcomes.get(function.signature());
            let tool = outcome.and_then(|outcome| outcome.as_ref().ok()).cloned();
            let reason = outcome.and_then(|outcome| outcome.as_ref().err()).cloned();
            let skipped = tool.is_none();
            let kind = function.mutability.as_str().to_owned();
            (
                Group::Function,
                InspectedEntry {
                    signature: declaration(function),
                    kind,
                    tool,
                    reason,
                    skipped,
                },
            )
        }
        EntryBody::Event(event) => {
            let kind = if event.anonymous {
                "anonymous event"
            } else {
                "event"
            };
            let found = events.iter().find(|mapped| Arc::ptr_eq(&mapped.event, event));
            let inspected = match found.map(|mapped| &mapped.tool) {
                Some(Ok(tool)) => InspectedEntry {
                    tool: Some(tool.name().to_string()),
                    reason: None,
                    ..without_tool(event_declaration(event), kind, "")
                },
                Some(Err(reason)) => without_tool(event_declaration(event), kind, reason),
                None => without_tool(event_declaration(event), kind, "is there already"),
            };
            (Group::Event, inspected)
        }
        EntryBody::Error(error) => {
            let signature = format!("{}({})", error.name, parameter_list(&error.inputs));
            (Group::Error, without_tool(signature, "error", "explains reverts"))
        }
        EntryBody::Constructor(constructor) => {
            let signature = format!("constructor({})", parameter_list(&constructor.inputs));
            let used = "runs once, when the contract is created";
            (Group::Function, without_tool(signature, "constructor", used))
        }
        EntryBody::Fallback { payable: true } => (
            Group::Function,
            raw_entry("fallback() payable", "fallback", outcomes),
        ),
        EntryBody::Fallback { payable: false } => {
            (Group::Function, raw_entry("fallback()", "fallback", outcomes))
        }
        EntryBody::Receive => (
            Group::Function,
            raw_entry("receive() payable", "receive", outcomes),
        ),
        EntryBody::Unusable {
            kind,
            signature,
            reason,
        } => {
            let group = match kind.as_str() {
                "event" | "anonymous event" => Group::Event,
                "error" => Group::Error,
                _ => Group::Function,
            };
            (
                group,
                InspectedEntry {
                    skipped: true,
                    ..without_tool(signature.clone(), kind, reason)
                },
            )
        }
    }
}

fn notes(interface: &Interface) -> Vec<String> {
    let mut notes = interface.notes.clone();
    let follows: Vec<String> = standards(interface)
        .into_iter()
        .map(|standard| format!("{} ({})", standard.name, standard.about))
        .collect();
    if !follows.is_empty() {
        notes.push(format!("it follows {}", follows.join(", ")));
    }
    match &interface.bytecode {
        Some(Bytecode::Linked(_)) => {}
        Some(Bytecode::Unlinked { libraries }) => {
            notes.push(format!(
                "the bytecode is not linked, it needs {}",
                libraries.join(", ")
            ));
        }
        None => {
            notes.push("no bytecode: the contract can be called at an address, but not created".to_owned())
        }
    }
    if let Err(error) = interface.ensure_callable() {
        notes.push(error.to_string());
    }
    notes
}
