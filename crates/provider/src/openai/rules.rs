//! What OpenAI refuses, as published: "Structured outputs", section "Supported schemas"
//! (platform.openai.com/docs/guides/structured-outputs), the API reference of `tools`, and public issues.

use std::collections::HashMap;

use toolmesh_json::View;

use crate::names::NameRule;
use crate::schema::Document;
use crate::strict::{Dialect, Optional, Refusal};

/// API reference, `tools[].function.name`: letters, digits, underscores and dashes, at most 64.
pub(crate) const NAME: NameRule = NameRule {
    first: is_name_character,
    rest: is_name_character,
    max: 64,
};

fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

/// API reference, `tools`: at most 128 functions.
pub(crate) const MAX_TOOLS: usize = 128;

/// The API answers "string too long" beyond this many characters of a function's description.
pub(crate) const MAX_DESCRIPTION: usize = 1_024;

/// The strict subset: "Supported schemas". Texts may have a pattern and a format, numbers bounds and a step, lists a
/// length; nothing else about a value can be forced.
pub(crate) const STRICT: Dialect = Dialect {
    optional: Optional::Nullable,
    literal_types: true,
    type_lists: true,
    recursion: true,
    assertions: &[
        "pattern",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minItems",
        "maxItems",
    ],
    max_min_items: u64::MAX,
    formats: &[
        "date-time",
        "time",
        "date",
        "duration",
        "email",
        "hostname",
        "ipv4",
        "ipv6",
        "uuid",
    ],
};

/// "Up to 10 levels of nesting".
pub(crate) const MAX_DEPTH: usize = 10;
/// "Up to 5000 object properties total".
pub(crate) const MAX_PROPERTIES: usize = 5_000;
/// "Total string length of all property names, definition names, enum values, and const values cannot exceed 120,000".
pub(crate) const MAX_TEXT: usize = 120_000;
/// "Up to 1000 enum values across all enum properties".
pub(crate) const MAX_ENUM_VALUES: usize = 1_000;
/// "For a single enum property with string values, the total string length cannot exceed 15,000 characters when there are
/// more than 250 enum values".
pub(crate) const MAX_LARGE_ENUM_TEXT: usize = 15_000;
/// Where [`MAX_LARGE_ENUM_TEXT`] begins to count.
pub(crate) const LARGE_ENUM: usize = 250;

/// Checks a strict schema against the limits of its size.
pub(crate) fn within_limits(schema: View<'_>) -> Result<(), Refusal> {
    let mut size = Size::default();
    size.count(schema)?;
    for definition in schema
        .get("$defs")
        .and_then(View::as_object)
        .into_iter()
        .flatten()
    {
        size.text += length(definition.0);
        size.count(definition.1)?;
    }
    let depth = Depth::of(schema).measure(schema, 0);
    at_most("levels of nesting", depth, MAX_DEPTH)?;
    at_most("properties", size.properties, MAX_PROPERTIES)?;
    at_most("listed values", size.values, MAX_ENUM_VALUES)?;
    at_most("characters of names and listed values", size.text, MAX_TEXT)
}

fn at_most(what: &str, found: usize, limit: usize) -> Result<(), Refusal> {
    if found <= limit {
        return Ok(());
    }
    Err(Refusal::new("", format!("it has more than {limit} {what}")))
}

fn length(text: &str) -> usize {
    text.chars().count()
}

#[derive(Default)]
struct Size {
    properties: usize,
    values: usize,
    text: usize,
}

impl Size {
    fn count(&mut self, schema: View<'_>) -> Result<(), Refusal> {
        let literals: Vec<View<'_>> = schema
            .get("enum")
            .and_then(View::as_array)
            .into_iter()
            .flatten()
            .chain(schema.get("const"))
            .collect();
        let text: usize = literals
            .iter()
            .map(|value| value.as_str().map_or(0, length))
            .sum();
        if literals.len() > LARGE_ENUM {
            at_most("characters in one long list of values", text, MAX_LARGE_ENUM_TEXT)?;
        }
        self.values += literals.len();
        self.text += text;
        for (name, property) in schema
            .get("properties")
            .and_then(View::as_object)
            .into_iter()
            .flatten()
        {
            self.properties += 1;
            self.text += length(name);
            self.count(property)?;
        }
        let branches = schema.get("anyOf").and_then(View::as_array).into_iter().flatten();
        branches
            .chain(schema.get("items"))
            .try_for_each(|part| self.count(part))
    }
}

/// Levels of objects and lists, definitions followed once on each path.
struct Depth<'s> {
    definitions: HashMap<&'s str, View<'s>>,
}

impl<'s> Depth<'s> {
    fn of(schema: View<'s>) -> Self {
        Self {
            definitions: schema
                .get("$defs")
                .and_then(View::as_object)
                .into_iter()
                .flatten()
                .collect(),
        }
    }

    /// The deepest level below `schema`, which stands `above` levels deep; more than the limit is not told apart.
    fn measure(&self, schema: View<'s>, above: usize) -> usize {
        if above > MAX_DEPTH {
            return above;
        }
        // A recursive definition is as deep as the model makes it; the schema shows it once.
        if let Some(name) = Document::reference(schema) {
            return match self.definitions.get(name) {
                Some(target) => self.without(name).measure(*target, above),
                None => above,
            };
        }
        let own = above + usize::from(schema.get("properties").is_some() || schema.get("items").is_some());
        let properties = schema
            .get("properties")
            .and_then(View::as_object)
            .into_iter()
            .flatten();
        let branches = schema.get("anyOf").and_then(View::as_array).into_iter().flatten();
        let inner = properties
            .map(|(_, property)| self.measure(property, own))
            .chain(branches.map(|branch| self.measure(branch, above)))
            .chain(schema.get("items").map(|items| self.measure(items, own)));
        inner.max().unwrap_or(own).max(own)
    }

    fn without(&self, name: &str) -> Self {
        let mut definitions = self.definitions.clone();
        definitions.remove(name);
        Self { definitions }
    }
}

#[cfg(test)]
mod tests {
    use toolmesh_json::Value;

    use super::*;

    fn properties(count: usize, name_length: usize) -> Value {
        let name = |index: usize| format!("{index:0>name_length$}");
        let all: toolmesh_json::ObjectBuilder = (0..count)
            .map(|index| (name(index), Value::object().put("type", "null")))
            .collect();
        Value::object().put("properties", all).build()
    }

    #[test]
    fn the_limits_of_size_hold_to_the_last_one() {
        let fits = |schema: Value| within_limits(schema.view()).is_ok();
        assert!(fits(properties(MAX_PROPERTIES, 8)));
        assert!(!fits(properties(MAX_PROPERTIES + 1, 8)));
        assert!(fits(properties(100, MAX_TEXT / 100)));
        assert!(!fits(properties(100, MAX_TEXT / 100 + 1)));
        let values = |count: usize, length: usize| {
            let values = (0..count).map(|index| Value::from(format!("{index:0>length$}")));
            Value::object().put("enum", values.collect::<Vec<_>>()).build()
        };
        assert!(fits(values(LARGE_ENUM, 100)));
        assert!(fits(values(300, MAX_LARGE_ENUM_TEXT / 300)));
        assert!(!fits(values(300, MAX_LARGE_ENUM_TEXT / 300 + 1)));
    }
}
