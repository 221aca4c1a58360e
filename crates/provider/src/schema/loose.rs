//! A schema for a provider that takes JSON Schema as it is, but for a few things that it refuses.

use toolmesh_json::{Value, View};

use super::keyword;
use super::kinds::{Kind, declared};
use super::{Document, Pattern};
use crate::undo::step;
use crate::warning::Report;

/// The document, with `items` on every array and `properties` on every object (OpenAI answers "array schema missing items" and
/// "object schema missing properties") and without patterns that are written for ECMAScript alone (OpenAI and Anthropic check
/// patterns with Python's engine).
pub(crate) fn loose(document: &Document, report: &mut Report) -> Value {
    let mut whole = Value::object();
    let root = loosened(document.root(), "", report);
    whole.extend(root.as_object().into_iter().flatten());
    let definitions = document.definitions.iter().map(|(name, schema)| {
        let place = step("/$defs", name);
        (name.as_str(), loosened(schema.view(), &place, report))
    });
    let definitions: Vec<_> = definitions.collect();
    if !definitions.is_empty() {
        whole.insert(
            "$defs",
            definitions.into_iter().collect::<toolmesh_json::ObjectBuilder>(),
        );
    }
    whole.build()
}

fn loosened(schema: View<'_>, place: &str, report: &mut Report) -> Value {
    let mut loose = Value::object();
    // Without its pattern, a member would count as an additional one.
    let loses_members = schema
        .get("patternProperties")
        .and_then(View::as_object)
        .is_some_and(|patterns| patterns.keys().any(|pattern| Pattern::of(pattern).ecma_only));
    for (name, value) in schema.as_object().into_iter().flatten() {
        let inner = step(place, name);
        match name {
            "pattern" if value.as_str().is_some_and(|text| Pattern::of(text).ecma_only) => {
                report.dropped(place, name);
            }
            "additionalProperties" if loses_members => report.dropped(place, name),
            "patternProperties" => {
                if let Some(kept) = pattern_properties(value, place, report) {
                    loose.insert(name, kept);
                }
            }
            _ if keyword::holds_schema(name) && value.as_bool().is_none() => {
                loose.insert(name, loosened(value, &inner, report));
            }
            _ if keyword::holds_schemas(name) => {
                let items = value.as_array().into_iter().flatten().enumerate();
                let items =
                    items.map(|(index, item)| loosened(item, &step(&inner, &index.to_string()), report));
                loose.insert(name, items.collect::<Vec<_>>());
            }
            _ if keyword::holds_named_schemas(name) => {
                let members = value.as_object().into_iter().flatten();
                let members: Vec<_> = members
                    .map(|(key, member)| (key, loosened(member, &step(&inner, key), report)))
                    .collect();
                loose.insert(
                    name,
                    members.into_iter().collect::<toolmesh_json::ObjectBuilder>(),
                );
            }
            _ => loose.insert(name, value),
        }
    }
    let kinds = declared(schema).unwrap_or_default();
    for (kind, name) in [(Kind::Array, "items"), (Kind::Object, "properties")] {
        if kinds.contains(&kind) && schema.get(name).is_none() {
            loose.insert(name, Value::object());
        }
    }
    loose.build()
}

/// The patterns that can be kept; none when there is no such pattern.
fn pattern_properties(value: View<'_>, place: &str, report: &mut Report) -> Option<Value> {
    let mut kept = Value::object();
    for (pattern, schema) in value.as_object().into_iter().flatten() {
        if Pattern::of(pattern).ecma_only {
            report.dropped(place, "patternProperties");
        } else {
            kept.insert(
                pattern,
                loosened(schema, &step(place, "patternProperties"), report),
            );
        }
    }
    (!kept.is_empty()).then(|| kept.build())
}
