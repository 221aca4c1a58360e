//! Reading types of a manifest, which stay JSON here: the node must not share a reader with what it tests.

use serde_json::Value;

/// The type itself, or the one that its name stands for.
pub(super) fn named<'a>(manifest: &'a Value, ty: &'a Value) -> &'a Value {
    match ty.get("$ref").and_then(Value::as_str) {
        Some(name) => manifest
            .get("types")
            .and_then(|types| types.get(name))
            .unwrap_or(&Value::Null),
        None => ty,
    }
}

/// A member that is an array; nothing where there is none.
pub(super) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value
        .get(key)
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

/// A member that is text; empty where there is none.
pub(super) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A member, null where there is none.
pub(super) fn part<'a>(value: &'a Value, key: &str) -> &'a Value {
    value.get(key).unwrap_or(&Value::Null)
}

/// Whether the fields of a record have no names of their own, so that serde writes an array.
pub(super) fn is_positional(fields: &[Value]) -> bool {
    let numbered = |(place, field): (usize, &Value)| {
        text(field, "name") == format!("field_{place}") || text(field, "name") == "unnamed"
    };
    fields.len() > 1 && fields.iter().enumerate().all(numbered)
}
