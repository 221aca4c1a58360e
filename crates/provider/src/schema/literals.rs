//! Schemas that list their values.

use toolmesh_json::{Value, View};

use super::kinds::{Kind, declared};

/// The values that `enum`, `const` and `type` leave, if the schema lists any, each once.
pub(crate) fn literals(schema: View<'_>) -> Option<Vec<Value>> {
    let constant = schema.get("const").map(|value| vec![value.to_value()]);
    let listed = schema.get("enum").and_then(View::as_array);
    let listed = listed.map(|items| items.iter().map(View::to_value).collect::<Vec<_>>());
    let mut values = match (constant, listed) {
        (Some(one), Some(list)) => one.into_iter().filter(|value| list.contains(value)).collect(),
        (one, list) => one.or(list)?,
    };
    if let Some(kinds) = declared(schema) {
        values.retain(|value| kinds.iter().any(|kind| kind.includes(Kind::of(value.view()))));
    }
    let mut once: Vec<Value> = Vec::with_capacity(values.len());
    for value in values {
        if !once.contains(&value) {
            once.push(value);
        }
    }
    Some(once)
}
