//! Objects: with named members only, and at least one ("should be non-empty for OBJECT type").

use toolmesh_json::{Value, View};

use super::sanitise::{Part, Sanitiser};
use crate::schema::Hints;
use crate::undo::{Member, Undo, step};
use crate::warning::WarningKind;

/// Assertions about objects that have no form.
const WITHOUT_FORM: [&str; 4] = [
    "patternProperties",
    "propertyNames",
    "dependentRequired",
    "dependentSchemas",
];

impl Sanitiser<'_, '_> {
    pub(super) fn object(&mut self, schema: View<'_>, place: &str) -> Part {
        let properties = schema.get("properties").and_then(View::as_object);
        let Some(properties) = properties.filter(|all| !all.is_empty()) else {
            return self.without_members(schema, place);
        };
        let mut hints = Hints::default();
        for name in WITHOUT_FORM {
            if let Some(value) = schema.get(name) {
                self.report.dropped(place, name);
                hints.add(name, value);
            }
        }
        let closed = schema.get("additionalProperties").and_then(View::as_bool) == Some(false);
        if !closed || schema.get("patternProperties").is_some() {
            self.report.add(place, WarningKind::Closed);
        }
        let mut members = Vec::new();
        let mut asked = Value::object();
        for (name, property) in properties {
            let part = self.schema(property, &step(&step(place, "properties"), name));
            asked.insert(name, part.schema);
            members.push(Member::plain(name, part.undo));
        }
        let required = schema
            .get("required")
            .and_then(View::as_array)
            .into_iter()
            .flatten();
        let (known, unknown): (Vec<_>, Vec<_>) = required
            .filter_map(View::as_str)
            .partition(|name| asked.contains(name));
        if !unknown.is_empty() {
            self.report.dropped(place, "required");
        }
        let mut object = Value::object().put("type", "object").put("properties", asked);
        if !known.is_empty() {
            object.insert("required", known.into_iter().map(Value::from).collect::<Value>());
        }
        self.counts(schema, &["minProperties", "maxProperties"], &mut object);
        self.finish(schema, object, hints, Undo::object(members))
    }

    /// `{}` alone, or any object: neither has a form of its own.
    fn without_members(&mut self, schema: View<'_>, place: &str) -> Part {
        let closed = schema.get("additionalProperties").and_then(View::as_bool) == Some(false)
            && schema.get("patternProperties").is_none();
        let is_empty = closed
            && schema
                .get("required")
                .and_then(View::as_array)
                .is_none_or(|all| all.is_empty());
        if is_empty && schema.get("minProperties").is_none() {
            return self.listed(schema, vec![Value::from("{}")], Undo::JsonText);
        }
        self.json_text(schema, place)
    }
}
