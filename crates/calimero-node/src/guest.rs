//! What an application does with a call: arguments are checked as its deserialiser would, then a method answers.

mod fits;
mod sample;
mod types;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::Behaviour;
use fits::fits;
pub use sample::sample;

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
    Ok(sample(manifest, returns))
}
