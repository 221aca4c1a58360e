//! Values of types, for methods that have nothing to give back.

use serde_json::{Value, json};

use super::types::{is_positional, list, named, part, text};

/// How deep types are followed that contain themselves.
const MAX_DEPTH: u32 = 8;

/// A value of a type of a manifest, in the form that an application takes and gives.
#[must_use]
pub fn sample(manifest: &Value, ty: &Value) -> Value {
    made(manifest, ty, 0)
}

fn made(manifest: &Value, ty: &Value, depth: u32) -> Value {
    let ty = named(manifest, ty);
    let deeper = depth + 1;
    if depth > MAX_DEPTH {
        return Value::Null;
    }
    match text(ty, "kind") {
        "bool" => json!(true),
        "string" => json!("text"),
        "i32" | "i64" => json!(-1),
        "u32" | "u64" => json!(1),
        "f32" | "f64" => json!(0.5),
        "bytes" => {
            let size = ty.get("size").and_then(Value::as_u64).unwrap_or(2);
            json!(vec![7_u8; usize::try_from(size).unwrap_or_default()])
        }
        "alias" => made(manifest, part(ty, "target"), deeper),
        "list" => json!([made(manifest, part(ty, "items"), deeper)]),
        "map" => json!({ "key": made(manifest, part(ty, "value"), deeper) }),
        "tuple" => list(ty, "elements")
            .iter()
            .map(|ty| made(manifest, ty, deeper))
            .collect(),
        "record" => record(manifest, ty, deeper),
        "variant" => variant(manifest, ty, deeper),
        _ => Value::Null,
    }
}

fn record(manifest: &Value, ty: &Value, depth: u32) -> Value {
    if let Some(inner) = ty.get("inner_type") {
        return made(manifest, inner, depth);
    }
    let fields = list(ty, "fields");
    let value = |field: &Value| made(manifest, part(field, "type"), depth);
    if is_positional(fields) {
        return fields.iter().map(value).collect();
    }
    let member = |field: &Value| (text(field, "name").to_owned(), value(field));
    Value::Object(fields.iter().map(member).collect())
}

/// The first variant.
fn variant(manifest: &Value, ty: &Value, depth: u32) -> Value {
    let Some(first) = list(ty, "variants").first() else {
        return Value::Null;
    };
    let name = text(first, "name");
    let payload = first.get("payload").map(|payload| made(manifest, payload, depth));
    if ty.get("untagged") == Some(&Value::Bool(true)) {
        return payload.unwrap_or_default();
    }
    let tag = ty.get("tag").and_then(Value::as_str);
    let content = ty.get("content").and_then(Value::as_str);
    match (tag, content, payload) {
        (None, _, None) => json!(name),
        (None, _, Some(payload)) => json!({ name: payload }),
        (Some(tag), Some(content), Some(payload)) => json!({ tag: name, content: payload }),
        (Some(tag), None, Some(Value::Object(mut members))) => {
            members.insert(tag.to_owned(), json!(name));
            Value::Object(members)
        }
        (Some(tag), ..) => json!({ tag: name }),
    }
}
