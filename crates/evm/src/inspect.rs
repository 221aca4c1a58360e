//! What is in an interface, and what became of each entry.

use std::collections::HashMap;

use toolmesh_json::Value;

use crate::describe::{declaration, event_declaration, parameter_list};
use crate::model::{Bytecode, Entry, EntryBody, Interface};
use crate::tool::tools;

/// A report on an interface: every entry of the input once, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// What was inspected, as the caller calls it.
    pub source: String,
    /// What sort of interface it is: `evm`.
    pub kind: &'static str,
    /// Functions, the constructor, fallback and receive, and entries of unknown kinds.
    pub functions: Vec<InspectedEntry>,
    /// Events.
    pub events: Vec<InspectedEntry>,
    /// Custom errors.
    pub errors: Vec<InspectedEntry>,
    /// What concerns the interface as a whole.
    pub notes: Vec<String>,
}

/// What became of one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InspectedEntry {
    /// How the source would declare it.
    pub signature: String,
    /// `view`, `pure`, `nonpayable`, `payable`, `constructor`, `fallback`, `receive`, `event`, `anonymous event`,
    /// `error`, or the kind that the entry says it is.
    pub kind: String,
    /// The name of its tool.
    pub tool: Option<String>,
    /// Why it has no tool, or what it is used for instead.
    pub reason: Option<String>,
    /// Whether it should have become something and could not.
    pub skipped: bool,
}

/// Which list of the report an entry stands in.
enum Group {
    Function,
    Event,
    Error,
}

impl Inspection {
    /// Inspects an interface.
    #[must_use]
    pub fn of(interface: &Interface, source: impl Into<String>) -> Self {
        let outcomes: HashMap<String, Result<String, String>> = tools(interface, None)
            .into_iter()
            .map(|mapped| {
                let outcome = mapped.tool.map(|tool| tool.name().to_string());
                (mapped.function.signature().to_owned(), outcome)
            })
            .collect();
        let mut inspection = Self {
            source: source.into(),
            kind: "evm",
            functions: Vec::new(),
            events: Vec::new(),
            errors: Vec::new(),
            notes: notes(interface),
        };
        for entry in &interface.entries {
            let (group, inspected) = inspect(entry, &outcomes);
            match group {
                Group::Function => inspection.functions.push(inspected),
                Group::Event => inspection.events.push(inspected),
                Group::Error => inspection.errors.push(inspected),
            }
        }
        inspection
    }

    /// `{"source", "kind", "functions", "events", "errors", "notes"}`, each entry
    /// `{"signature", "kind", "tool", "reason"}`.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let list =
            |entries: &[InspectedEntry]| entries.iter().map(InspectedEntry::to_value).collect::<Value>();
        Value::object()
            .put("source", self.source.as_str())
            .put("kind", self.kind)
            .put("functions", list(&self.functions))
            .put("events", list(&self.events))
            .put("errors", list(&self.errors))
            .put("notes", self.notes.iter().map(Value::from).collect::<Value>())
            .build()
    }
}

impl InspectedEntry {
    fn without_tool(signature: String, kind: &str, reason: &str) -> Self {
        Self {
            signature,
            kind: kind.to_owned(),
            tool: None,
            reason: Some(reason.to_owned()),
            skipped: false,
        }
    }

    fn to_value(&self) -> Value {
        let or_null = |text: &Option<String>| text.as_deref().map_or_else(Value::null, Value::from);
        Value::object()
            .put("signature", self.signature.as_str())
            .put("kind", self.kind.as_str())
            .put("tool", or_null(&self.tool))
            .put("reason", or_null(&self.reason))
            .build()
    }
}

fn inspect(entry: &Entry, outcomes: &HashMap<String, Result<String, String>>) -> (Group, InspectedEntry) {
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
            let used = "decodes the logs of transactions";
            (
                Group::Event,
                InspectedEntry::without_tool(event_declaration(event), kind, used),
            )
        }
        EntryBody::Error(error) => {
            let signature = format!("{}({})", error.name, parameter_list(&error.inputs));
            (
                Group::Error,
                InspectedEntry::without_tool(signature, "error", "explains reverts"),
            )
        }
        EntryBody::Constructor(constructor) => {
            let signature = format!("constructor({})", parameter_list(&constructor.inputs));
            let used = "runs once, when the contract is created";
            (
                Group::Function,
                InspectedEntry::without_tool(signature, "constructor", used),
            )
        }
        EntryBody::Fallback { payable } => {
            let signature = if *payable {
                "fallback() payable"
            } else {
                "fallback()"
            };
            let reason = "takes calls that match no function; no tool makes such a call";
            (
                Group::Function,
                InspectedEntry::without_tool(signature.to_owned(), "fallback", reason),
            )
        }
        EntryBody::Receive => {
            let reason = "takes payments without a call; no tool makes one";
            (
                Group::Function,
                InspectedEntry::without_tool("receive() payable".to_owned(), "receive", reason),
            )
        }
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
                    ..InspectedEntry::without_tool(signature.clone(), kind, reason)
                },
            )
        }
    }
}

fn notes(interface: &Interface) -> Vec<String> {
    let mut notes = interface.notes.clone();
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
