//! Two schemas as one that takes what both take, as far as one schema can say it.

use toolmesh_json::{Number, ObjectBuilder, Value, View};

use super::keyword::is_assertion;
use super::kinds::{declared, meet};
use super::literals;
use crate::warning::Report;

/// Merges `other` into `one`. Where both say something that one keyword cannot say, `one` is kept and the report tells.
pub(crate) fn merge(one: View<'_>, other: View<'_>, place: &str, report: &mut Report) -> Value {
    let mut merged: ObjectBuilder = one.as_object().into_iter().flatten().collect();
    for (name, value) in other.as_object().into_iter().flatten() {
        match (one.get(name), name) {
            (None, _) => merged.insert(name, value),
            (Some(same), _) if same == value => {}
            (Some(_), "type") => match types(one, other) {
                Some(types) => merged.insert("type", types),
                // No value is of both kinds, and no provider has a word for "none".
                None => report.dropped(place, "type"),
            },
            (Some(first), "properties") => {
                merged.insert("properties", properties(first, value, place, report));
            }
            (Some(first), "required") => merged.insert("required", union(first, value)),
            (Some(_), "enum") => {
                merged.insert("enum", Value::from(common(one, other)));
            }
            (Some(first), _) if is_lower(name) || is_upper(name) => {
                merged.insert(name, tighter(name, first, value));
            }
            (Some(_), _) if is_assertion(name) => report.dropped(place, name),
            // Of two descriptions the first is kept.
            _ => {}
        }
    }
    closed_against_the_other(one, other, place, report);
    merged.build()
}

/// A closed object refuses what only the other names; one schema with both sets of properties does not.
fn closed_against_the_other(one: View<'_>, other: View<'_>, place: &str, report: &mut Report) {
    let limits = |schema: View<'_>| {
        schema
            .get("additionalProperties")
            .is_some_and(|more| more.as_bool() != Some(true))
    };
    let names = |schema: View<'_>| -> Vec<String> {
        let properties = schema.get("properties").and_then(View::as_object);
        properties
            .into_iter()
            .flatten()
            .map(|(name, _)| name.to_owned())
            .collect()
    };
    let (a, b) = (names(one), names(other));
    let more = |of: &[String], than: &[String]| of.iter().any(|name| !than.contains(name));
    if (limits(one) && more(&b, &a)) || (limits(other) && more(&a, &b)) {
        report.dropped(place, "additionalProperties");
    }
}

fn types(one: View<'_>, other: View<'_>) -> Option<Value> {
    let both = meet(
        &declared(one).unwrap_or_default(),
        &declared(other).unwrap_or_default(),
    );
    match both.as_slice() {
        [] => None,
        [single] => Some(Value::from(single.as_str())),
        several => Some(several.iter().map(|kind| Value::from(kind.as_str())).collect()),
    }
}

fn properties(one: View<'_>, other: View<'_>, place: &str, report: &mut Report) -> Value {
    let mut all: ObjectBuilder = one.as_object().into_iter().flatten().collect();
    for (name, schema) in other.as_object().into_iter().flatten() {
        match one.get(name) {
            Some(first) if first != schema => {
                let both = if first.get("$ref").is_some() || schema.get("$ref").is_some() {
                    let parts = Value::array().push(first).push(schema);
                    Value::object().put("allOf", parts).build()
                } else {
                    merge(first, schema, place, report)
                };
                all.insert(name, both);
            }
            _ => all.insert(name, schema),
        }
    }
    all.build()
}

fn union(one: View<'_>, other: View<'_>) -> Value {
    let mut all: Vec<Value> = Vec::new();
    for list in [one, other] {
        for item in list.as_array().into_iter().flatten() {
            if !all.contains(&item.to_value()) {
                all.push(item.to_value());
            }
        }
    }
    Value::from(all)
}

fn common(one: View<'_>, other: View<'_>) -> Vec<Value> {
    let others = literals(other).unwrap_or_default();
    let mut values = literals(one).unwrap_or_default();
    values.retain(|value| others.contains(value));
    values
}

fn is_lower(name: &str) -> bool {
    matches!(
        name,
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" | "minContains"
    )
}

fn is_upper(name: &str) -> bool {
    matches!(
        name,
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" | "maxContains"
    )
}

fn tighter(name: &str, one: View<'_>, other: View<'_>) -> Value {
    let number = |view: View<'_>| view.as_number().cloned().unwrap_or_else(|| Number::from(0));
    let first_is_lower = number(one) < number(other);
    if first_is_lower == is_upper(name) {
        one.to_value()
    } else {
        other.to_value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_schemas_hold_and_what_cannot_be_said_is_told() {
        let one = toolmesh_json::parse(
            br#"{"type":["object","null"],"properties":{"a":{"minimum":1}},"required":["a"],"description":"first"}"#,
        )
        .unwrap();
        let other = toolmesh_json::parse(
            br#"{"type":"object","properties":{"a":{"minimum":2},"b":{}},"required":["b"],"description":"second"}"#,
        )
        .unwrap();
        let mut report = Report::default();
        assert_eq!(
            merge(one.view(), other.view(), "", &mut report).to_text(),
            r#"{"type":"object","properties":{"a":{"minimum":2},"b":{}},"required":["a","b"],"description":"first"}"#
        );
        assert_eq!(report.into_warnings("t").count(), 0);
        let mut report = Report::default();
        let (one, other) = (
            Value::object().put("pattern", "a").build(),
            Value::object().put("pattern", "b").build(),
        );
        assert_eq!(merge(one.view(), other.view(), "", &mut report), one);
        assert_eq!(report.into_warnings("t").count(), 1);
    }
}
