//! What an application does with a call: arguments are checked as its deserialiser would, then a method answers.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::Behaviour;

/// How a call ends that does not return.
pub(crate) enum Trap {
    /// The method returned an error: its JSON.
    Error(Value),
    /// It panicked.
    Panic(String),
    /// There is no such method.
    NoMethod,
}

/// Runs a method.
pub(crate) fn run(
    manifest: &Value,
    behaviour: Behaviour,
    values: &mut BTreeMap<String, String>,
    method: &str,
    arguments: &Value,
) -> Result<Value, Trap> {
    let found = manifest
        .get("methods")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    let found = found
        .into_iter()
        .find(|entry| entry.get("name").and_then(Value::as_str) == Some(method));
    let declared = found.ok_or(Trap::NoMethod)?;
    let params = declared
        .get("params")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let mut given = Vec::new();
    for param in &params {
        let name = param.get("name").and_then(Value::as_str).unwrap_or_default();
        let value = arguments.get(name).cloned().unwrap_or(Value::Null);
        let nullable = param.get("nullable").and_then(Value::as_bool) == Some(true);
        let ty = param.get("type").unwrap_or(&Value::Null);
        let is_absent = nullable && value.is_null();
        if !is_absent && !fits(manifest, ty, &value) {
            return Err(Trap::Panic(format!(
                "Failed to deserialize input: invalid value for `{name}`"
            )));
        }
        given.push(value);
    }
    if let Some(extra) = arguments.as_object().into_iter().flatten().find(|(name, _)| {
        params
            .iter()
            .all(|param| param.get("name").and_then(Value::as_str) != Some(name.as_str()))
    }) {
        // A real application ignores it; a test wants to know.
        return Err(Trap::Panic(format!("undeclared argument `{}`", extra.0)));
    }
    match behaviour {
        Behaviour::KeyValue => key_value(values, method, &given),
        Behaviour::Echo => echo(manifest, declared, method, given),
    }
}

fn key_value(values: &mut BTreeMap<String, String>, method: &str, given: &[Value]) -> Result<Value, Trap> {
    let text = |place: usize| {
        given
            .get(place)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let or_null = |value: Option<&String>| value.map_or(Value::Null, |value| json!(value));
    Ok(match method {
        "init" => Value::Null,
        "set" => {
            values.insert(text(0), text(1));
            Value::Null
        }
        "get" => or_null(values.get(&text(0))),
        "get_unchecked" => match values.get(&text(0)) {
            Some(value) => json!(value),
            None => return Err(Trap::Panic("key not found".to_owned())),
        },
        "get_result" => match values.get(&text(0)) {
            Some(value) => json!(value),
            None => return Err(Trap::Error(json!({ "kind": "NotFound", "data": text(0) }))),
        },
        "get_or_insert" => json!(values.entry(text(0)).or_insert(text(1))),
        "update_if_exists" => {
            let there = values.contains_key(&text(0));
            if there {
                values.insert(text(0), text(1));
            }
            json!(there)
        }
        "remove" => or_null(values.remove(&text(0)).as_ref()),
        "entries" => json!(values),
        "len" => json!(values.len()),
        "clear" => {
            values.clear();
            Value::Null
        }
        _ => return Err(Trap::NoMethod),
    })
}

/// Gives back the one argument of the type that is returned, else a value of that type.
fn echo(manifest: &Value, declared: &Value, method: &str, given: Vec<Value>) -> Result<Value, Trap> {
    if method == "may_fail" && given.first() == Some(&Value::Bool(true)) {
        return Err(Trap::Error(json!("it was asked to fail")));
    }
    let Some(returns) = declared.get("returns") else {
        return Ok(Value::Null);
    };
    let params = declared
        .get("params")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    if let ([param], [_]) = (params, given.as_slice())
        && param.get("type") == Some(returns)
    {
        return Ok(given.into_iter().next().unwrap_or_default());
    }
    Ok(sample(manifest, returns, 0))
}

fn named<'a>(manifest: &'a Value, ty: &'a Value) -> &'a Value {
    match ty.get("$ref").and_then(Value::as_str) {
        Some(name) => manifest
            .get("types")
            .and_then(|types| types.get(name))
            .unwrap_or(&Value::Null),
        None => ty,
    }
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value
        .get(key)
        .and_then(Value::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Whether serde would take the value.
fn fits(manifest: &Value, ty: &Value, value: &Value) -> bool {
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
        "alias" => fits(manifest, ty.get("target").unwrap_or(&Value::Null), value),
        "list" => {
            let items = ty.get("items").unwrap_or(&Value::Null);
            value
                .as_array()
                .is_some_and(|list| list.iter().all(|item| fits(manifest, items, item)))
        }
        "map" => {
            let item = ty.get("value").unwrap_or(&Value::Null);
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
    let numbered = fields.len() > 1
        && fields.iter().enumerate().all(|(place, field)| {
            text(field, "name") == format!("field_{place}") || text(field, "name") == "unnamed"
        });
    let field_fits = |field: &Value, value: &Value| {
        let nullable = field.get("nullable").and_then(Value::as_bool) == Some(true);
        (nullable && value.is_null()) || fits(manifest, field.get("type").unwrap_or(&Value::Null), value)
    };
    if numbered {
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

fn variant_fits(manifest: &Value, ty: &Value, value: &Value) -> bool {
    let find = |name: &str| {
        list(ty, "variants")
            .iter()
            .find(|variant| text(variant, "name") == name)
    };
    if let Some(name) = value.as_str() {
        return find(name).is_some_and(|variant| variant.get("payload").is_none());
    }
    let Some((name, payload)) = value
        .as_object()
        .filter(|object| object.len() == 1)
        .and_then(|o| o.iter().next())
    else {
        return false;
    };
    let payload_type = find(name).and_then(|variant| variant.get("payload"));
    payload_type.is_some_and(|ty| fits(manifest, ty, payload))
}

/// A value of a type.
fn sample(manifest: &Value, ty: &Value, depth: u32) -> Value {
    let ty = named(manifest, ty);
    let deeper = depth + 1;
    if depth > 8 {
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
        "alias" => sample(manifest, ty.get("target").unwrap_or(&Value::Null), deeper),
        "list" => json!([sample(manifest, ty.get("items").unwrap_or(&Value::Null), deeper)]),
        "map" => json!({ "key": sample(manifest, ty.get("value").unwrap_or(&Value::Null), deeper) }),
        "tuple" => list(ty, "elements")
            .iter()
            .map(|ty| sample(manifest, ty, deeper))
            .collect(),
        "record" => {
            let field = |field: &Value| {
                let ty = field.get("type").unwrap_or(&Value::Null);
                (text(field, "name").to_owned(), sample(manifest, ty, deeper))
            };
            Value::Object(list(ty, "fields").iter().map(field).collect())
        }
        "variant" => match list(ty, "variants").first() {
            Some(variant) => match variant.get("payload") {
                Some(payload) => json!({ text(variant, "name"): sample(manifest, payload, deeper) }),
                None => json!(text(variant, "name")),
            },
            None => Value::Null,
        },
        _ => Value::Null,
    }
}
