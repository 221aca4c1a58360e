//! Whether serde would take a value for a type.

use serde_json::Value;

use super::types::{is_positional, list, named, part, text};

/// Whether serde would take the value.
pub(super) fn fits(manifest: &Value, ty: &Value, value: &Value) -> bool {
    let ty = named(manifest, ty);
    match text(ty, "kind") {
        "bool" => value.is_boolean(),
        "string" => value.is_string(),
        "unit" => value.is_null(),
        "i32" => value.as_i64().is_some_and(|number| i32::try_from(number).is_ok()) && is_integer(value),
        "u32" => value.as_u64().is_some_and(|number| u32::try_from(number).is_ok()) && is_integer(value),
        "i64" => value.as_i64().is_some() && is_integer(value),
        "u64" => value.as_u64().is_some() && is_integer(value),
        "f32" | "f64" => value.is_number(),
        "bytes" => {
            let byte = |item: &Value| item.as_u64().is_some_and(|number| number < 256);
            let size = ty.get("size").and_then(Value::as_u64);
            value.as_array().is_some_and(|items| {
                items.iter().all(byte) && size.is_none_or(|size| u64::try_from(items.len()) == Ok(size))
            })
        }
        "alias" => fits(manifest, part(ty, "target"), value),
        "list" => {
            let items = part(ty, "items");
            value
                .as_array()
                .is_some_and(|list| list.iter().all(|item| fits(manifest, items, item)))
        }
        "map" => {
            let item = part(ty, "value");
            value
                .as_object()
                .is_some_and(|map| map.values().all(|value| fits(manifest, item, value)))
        }
        "tuple" => {
            let elements = list(ty, "elements");
            value.as_array().is_some_and(|items| {
                items.len() == elements.len()
                    && items
                        .iter()
                        .zip(elements)
                        .all(|(item, ty)| fits(manifest, ty, item))
            })
        }
        "record" => record_fits(manifest, ty, value),
        "variant" => variant_fits(manifest, ty, value),
        _ => true,
    }
}

fn is_integer(value: &Value) -> bool {
    !value.to_string().contains(['.', 'e', 'E'])
}

fn record_fits(manifest: &Value, ty: &Value, value: &Value) -> bool {
    if let Some(inner) = ty.get("inner_type") {
        return fits(manifest, inner, value);
    }
    let fields = list(ty, "fields");
    if fields.is_empty() && ty.get("crdt_type").is_some() {
        // A container whose contents the manifest does not tell.
        return true;
    }
    let field_fits = |field: &Value, value: &Value| {
        let nullable = field.get("nullable").and_then(Value::as_bool) == Some(true);
        (nullable && value.is_null()) || fits(manifest, part(field, "type"), value)
    };
    if is_positional(fields) {
        return value.as_array().is_some_and(|items| {
            items.len() == fields.len()
                && items
                    .iter()
                    .zip(fields)
                    .all(|(item, field)| field_fits(field, item))
        });
    }
    value.as_object().is_some_and(|object| {
        fields.iter().all(|field| {
            let value = object.get(text(field, "name")).unwrap_or(&Value::Null);
            field_fits(field, value)
        })
    })
}

/// The four representations of serde.
fn variant_fits(manifest: &Value, ty: &Value, value: &Value) -> bool {
    let tag = ty.get("tag").and_then(Value::as_str);
    let content = ty.get("content").and_then(Value::as_str);
    match (tag, content) {
        (Some(tag), Some(content)) => adjacent_fits(manifest, ty, (tag, content), value),
        (Some(tag), None) => internal_fits(manifest, ty, tag, value),
        _ if ty.get("untagged") == Some(&Value::Bool(true)) => {
            let mut variants = list(ty, "variants").iter();
            variants.any(|variant| payload_fits(manifest, variant, value))
        }
        _ => external_fits(manifest, ty, value),
    }
}

fn variant_of<'a>(ty: &'a Value, name: &str) -> Option<&'a Value> {
    let mut variants = list(ty, "variants").iter();
    variants.find(|variant| text(variant, "name") == name)
}

/// Whether a value is what a variant carries; null for one that carries nothing.
fn payload_fits(manifest: &Value, variant: &Value, value: &Value) -> bool {
    match variant.get("payload") {
        Some(payload) => fits(manifest, payload, value),
        None => value.is_null(),
    }
}

fn external_fits(manifest: &Value, ty: &Value, value: &Value) -> bool {
    if let Some(name) = value.as_str() {
        return variant_of(ty, name).is_some_and(|variant| variant.get("payload").is_none());
    }
    let object = value.as_object().filter(|object| object.len() == 1);
    let member = object.and_then(|object| object.iter().next());
    member.is_some_and(|(name, payload)| {
        variant_of(ty, name).is_some_and(|variant| payload_fits(manifest, variant, payload))
    })
}

fn adjacent_fits(manifest: &Value, ty: &Value, (tag, content): (&str, &str), value: &Value) -> bool {
    variant_of(ty, text(value, tag))
        .is_some_and(|variant| payload_fits(manifest, variant, part(value, content)))
}

/// serde takes the tag out of the object and reads the payload from what is left.
fn internal_fits(manifest: &Value, ty: &Value, tag: &str, value: &Value) -> bool {
    let (Some(variant), Some(object)) = (variant_of(ty, text(value, tag)), value.as_object()) else {
        return false;
    };
    let mut rest = object.clone();
    rest.shift_remove(tag);
    match variant.get("payload") {
        None => true,
        Some(payload) if text(named(manifest, payload), "kind") == "unit" => rest.is_empty(),
        Some(payload) => fits(manifest, payload, &Value::Object(rest)),
    }
}
