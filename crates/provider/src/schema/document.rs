//! A tool's input schema in one uniform form.

use std::collections::HashSet;

use indexmap::IndexMap;
use toolmesh_json::{Value, View};
use toolmesh_schema::{Profile, Schema};

use super::normal::{self, Patterns};
use crate::warning::Report;

/// A schema in which every reference is `#/$defs/NAME`, every schema is an object (`true` is `{}`, `false` is
/// `{"not":{}}`, except as `additionalProperties`), and identifiers, comments and definitions that nobody uses are gone.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    pub(super) root: Value,
    pub(super) definitions: IndexMap<String, Value>,
}

/// What stands before a definition's name in a reference.
pub(super) const PREFIX: &str = "#/$defs/";

impl Document {
    /// Reads a schema.
    ///
    /// # Errors
    /// In words, when the text is no JSON Schema of draft 2020-12 (or of an older draft, as far as it says the same).
    pub(crate) fn read(text: &str, report: &mut Report) -> Result<Self, String> {
        let value =
            toolmesh_json::parse(text.as_bytes()).map_err(|error| format!("it is not JSON: {error}"))?;
        // A provider refuses a whole request for one schema that is none, so this is checked before it is sent.
        let document = normal::normalise(value.view(), Patterns::Kept, report)?;
        let Err(fault) = document.check() else {
            return Ok(document);
        };
        // A pattern that needs backtracking is no reason to lose the rest.
        let mut retried = Report::default();
        let document = normal::normalise(value.view(), Patterns::Dropped, &mut retried)?;
        document.check().map_err(|_| fault)?;
        report.append(retried);
        Ok(document)
    }

    fn check(&self) -> Result<(), String> {
        let compiled = Schema::compile(self.to_value(), Profile::Draft2020_12);
        compiled.map(|_| ()).map_err(|error| error.to_string())
    }

    /// Any object.
    pub(crate) fn any_object() -> Self {
        Self {
            root: Value::object().put("type", "object").build(),
            definitions: IndexMap::new(),
        }
    }

    /// An object of which no member is named.
    pub(crate) fn unknown() -> Self {
        let root = Value::object()
            .put("type", "object")
            .put("properties", Value::object())
            .build();
        Self {
            root,
            definitions: IndexMap::new(),
        }
    }

    pub(crate) fn root(&self) -> View<'_> {
        self.root.view()
    }

    pub(crate) fn definition(&self, name: &str) -> Option<View<'_>> {
        self.definitions.get(name).map(Value::view)
    }

    pub(crate) fn definition_names(&self) -> impl Iterator<Item = &str> {
        self.definitions.keys().map(String::as_str)
    }

    /// The name of the definition that a schema refers to, if it refers to one.
    pub(crate) fn reference(schema: View<'_>) -> Option<&str> {
        schema.get("$ref")?.as_str()?.strip_prefix(PREFIX)
    }

    /// The definition that a schema refers to, or the schema itself; at most a few steps, for references in a circle.
    pub(crate) fn resolve<'a>(&'a self, mut schema: View<'a>) -> View<'a> {
        for _ in 0..=self.definitions.len() {
            match Self::reference(schema).and_then(|name| self.definition(name)) {
                Some(target) => schema = target,
                None => break,
            }
        }
        schema
    }

    /// Whether a definition refers to itself, directly or through others.
    pub(crate) fn is_recursive(&self, name: &str) -> bool {
        let mut seen = HashSet::new();
        let mut pending: Vec<&str> = vec![name];
        while let Some(next) = pending.pop() {
            let Some(schema) = self.definition(next) else {
                continue;
            };
            let mut found = Vec::new();
            references(schema, &mut found);
            if found.contains(&name) {
                return true;
            }
            pending.extend(found.into_iter().filter(|target| seen.insert(*target)));
        }
        false
    }

    /// A part of the document as a schema of its own.
    pub(crate) fn compile(&self, part: View<'_>) -> Option<Schema> {
        Schema::compile(self.with_definitions(part), Profile::Draft2020_12).ok()
    }

    /// Whether a part takes null.
    pub(crate) fn takes_null(&self, part: View<'_>) -> bool {
        self.compile(part)
            .is_some_and(|schema| schema.evaluate(&Value::null()).is_valid())
    }

    /// The whole as one value.
    pub(crate) fn to_value(&self) -> Value {
        self.with_definitions(self.root())
    }

    fn with_definitions(&self, part: View<'_>) -> Value {
        let mut whole = Value::object();
        if let Some(members) = part.as_object() {
            whole.extend(members.iter());
        }
        if !self.definitions.is_empty() {
            let definitions = self
                .definitions
                .iter()
                .map(|(name, value)| (name.as_str(), value));
            whole.insert("$defs", definitions.collect::<toolmesh_json::ObjectBuilder>());
        }
        whole.build()
    }
}

/// Every definition that is referred to somewhere in `value`.
fn references<'a>(value: View<'a>, found: &mut Vec<&'a str>) {
    found.extend(Document::reference(value));
    if let Some(members) = value.as_object() {
        members.values().for_each(|member| references(member, found));
    }
    if let Some(items) = value.as_array() {
        items.iter().for_each(|item| references(item, found));
    }
}
