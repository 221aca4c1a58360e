//! What is in a source, and what became of each entry.

use toolmesh_json::Value;
use toolmesh_tool::ToolDescriptor;

use crate::assemble::{AssembleError, Location, read_descriptors};

/// A report on a source: every entry of it once, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// The source, as messages call it.
    pub source: String,
    /// What sort of source it is: `evm` or `descriptors`.
    pub kind: &'static str,
    /// Functions and everything else that is or might be called.
    pub functions: Vec<InspectedEntry>,
    /// Events.
    pub events: Vec<InspectedEntry>,
    /// Errors.
    pub errors: Vec<InspectedEntry>,
    /// What concerns the source as a whole.
    pub notes: Vec<String>,
}

/// What became of one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InspectedEntry {
    /// How the source declares it.
    pub signature: String,
    /// Its kind, in the source's own words.
    pub kind: String,
    /// The name of its tool.
    pub tool: Option<String>,
    /// Why it has no tool, or what it is used for instead.
    pub reason: Option<String>,
    /// Whether it should have become something and could not.
    pub skipped: bool,
}

impl Inspection {
    /// Every entry, whatever list it stands in.
    pub fn entries(&self) -> impl Iterator<Item = &InspectedEntry> {
        self.functions.iter().chain(&self.events).chain(&self.errors)
    }

    /// The entries that should have become something and could not.
    pub fn skipped(&self) -> impl Iterator<Item = &InspectedEntry> {
        self.entries().filter(|entry| entry.skipped)
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
            .put(
                "notes",
                self.notes
                    .iter()
                    .map(|note| Value::from(note.as_str()))
                    .collect::<Value>(),
            )
            .build()
    }
}

impl InspectedEntry {
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

/// Reads a source and tells what is in it, without a chain and without a network; `contract` chooses one of several.
///
/// # Errors
/// [`AssembleError`] when it cannot be read, or nothing of its kind is in it.
pub fn inspect(location: &Location, contract: Option<&str>) -> Result<Inspection, AssembleError> {
    match location {
        Location::Descriptors(_) => {
            let descriptors = read_descriptors(location)?;
            Ok(Inspection {
                source: location.to_string(),
                kind: "descriptors",
                functions: descriptors.into_iter().map(described).collect(),
                events: Vec::new(),
                errors: Vec::new(),
                notes: vec![
                    "these tools are known by their descriptors alone and cannot be called".to_owned(),
                ],
            })
        }
        _ => solidity(location, contract),
    }
}

/// Inspects a source and insists that it can be used: something in it can be called.
///
/// # Errors
/// As [`inspect`], and when nothing in the source can be called.
pub fn validate(location: &Location, contract: Option<&str>) -> Result<Inspection, AssembleError> {
    #[cfg(feature = "evm")]
    if !matches!(location, Location::Descriptors(_)) {
        let interface = crate::assemble::callable_interface(location, contract)?;
        return Ok(of_interface(&interface, location));
    }
    inspect(location, contract)
}

fn described(descriptor: ToolDescriptor) -> InspectedEntry {
    InspectedEntry {
        signature: format!("{} {}", descriptor.name, descriptor.version),
        kind: "descriptor".to_owned(),
        tool: Some(descriptor.tool_id),
        reason: None,
        skipped: false,
    }
}

#[cfg(feature = "evm")]
fn solidity(location: &Location, contract: Option<&str>) -> Result<Inspection, AssembleError> {
    Ok(of_interface(
        &crate::assemble::interface(location, contract)?,
        location,
    ))
}

#[cfg(feature = "evm")]
fn of_interface(interface: &toolmesh_evm::Interface, location: &Location) -> Inspection {
    let found = toolmesh_evm::Inspection::of(interface, location.to_string());
    Inspection {
        source: found.source,
        kind: found.kind,
        functions: found.functions.into_iter().map(InspectedEntry::from).collect(),
        events: found.events.into_iter().map(InspectedEntry::from).collect(),
        errors: found.errors.into_iter().map(InspectedEntry::from).collect(),
        notes: found.notes,
    }
}

#[cfg(not(feature = "evm"))]
fn solidity(location: &Location, _contract: Option<&str>) -> Result<Inspection, AssembleError> {
    Err(crate::assemble::not_in_this_build(location))
}

#[cfg(feature = "evm")]
impl From<toolmesh_evm::InspectedEntry> for InspectedEntry {
    fn from(entry: toolmesh_evm::InspectedEntry) -> Self {
        let toolmesh_evm::InspectedEntry {
            signature,
            kind,
            tool,
            reason,
            skipped,
        } = entry;
        Self {
            signature,
            kind,
            tool,
            reason,
            skipped,
        }
    }
}
