//! What is in a source, and what became of each entry: nothing is lost silently.

use std::collections::HashSet;

use toolmesh_json::Value;

/// A report on a source: every entry of it once, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// The source, as messages call it.
    pub source: String,
    /// What sort of source it is: `evm`, `descriptors`, ...
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

/// What became of one entry of a source.
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

    /// How many tools there are; several entries may share one.
    #[must_use]
    pub fn tool_count(&self) -> usize {
        let names: HashSet<&str> = self.entries().filter_map(|entry| entry.tool.as_deref()).collect();
        names.len()
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
