//! Schemas made of schemas.

use toolmesh_json::{ObjectBuilder, Value, View};

/// The schema, or null.
pub(crate) fn nullable(schema: Value) -> Value {
    let Some(members) = schema.as_object() else {
        return schema;
    };
    // What takes everything takes null.
    if members.keys().all(|key| key == "description") {
        return schema;
    }
    match members.get("type").and_then(View::as_str) {
        Some("null") => schema,
        Some(kind) if !members.contains("enum") && !members.contains("const") => {
            let both = Value::array().push(kind).push("null");
            members_of(&schema).put("type", both).build()
        }
        _ if takes_null(&schema) => schema,
        _ => either_null(&schema),
    }
}

fn takes_null(schema: &Value) -> bool {
    let names_null = |list: View<'_>| {
        let items = list.as_array().into_iter().flatten();
        items.into_iter().any(|item| {
            item.as_str() == Some("null") || item.get("type").and_then(View::as_str) == Some("null")
        })
    };
    ["type", "anyOf"]
        .iter()
        .any(|key| schema.get(key).is_some_and(names_null))
}

fn either_null(schema: &Value) -> Value {
    let null = Value::object().put("type", "null").build();
    let mut outer = Value::object();
    let mut inner = Value::object();
    for (key, value) in schema.as_object().into_iter().flatten() {
        // The words are about the whole.
        let place = if key == "description" {
            &mut outer
        } else {
            &mut inner
        };
        place.insert(key, value.to_value());
    }
    let inner = inner.build();
    let only_any_of = inner.as_object().is_some_and(|members| members.len() == 1);
    let mut alternatives = Value::array();
    match inner
        .get("anyOf")
        .and_then(View::as_array)
        .filter(|_| only_any_of)
    {
        Some(list) => list.iter().for_each(|item| alternatives.add(item.to_value())),
        None => alternatives.add(inner),
    }
    outer.put("anyOf", alternatives.push(null)).build()
}

/// The schema with documentation: before its own hint, if it has one.
pub(crate) fn described(schema: Value, doc: Option<&str>) -> Value {
    let Some(doc) = doc else {
        return schema;
    };
    let text = match schema.get("description").and_then(View::as_str) {
        Some(hint) if hint != doc => format!("{doc} ({hint})"),
        _ => doc.to_owned(),
    };
    members_of(&schema).put("description", text).build()
}

fn members_of(schema: &Value) -> ObjectBuilder {
    let members = schema.as_object().into_iter().flatten();
    members.map(|(key, value)| (key, value.to_value())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolmesh_json::parse;

    #[test]
    fn null_is_added_once_and_in_the_shortest_form() {
        for (schema, expected) in [
            ("{}", "{}"),
            (r#"{"type":"null"}"#, r#"{"type":"null"}"#),
            (r#"{"type":"string"}"#, r#"{"type":["string","null"]}"#),
            (
                r#"{"type":"string","enum":["a"]}"#,
                r#"{"anyOf":[{"type":"string","enum":["a"]},{"type":"null"}]}"#,
            ),
            (
                r##"{"$ref":"#/$defs/A"}"##,
                r##"{"anyOf":[{"$ref":"#/$defs/A"},{"type":"null"}]}"##,
            ),
            (
                r#"{"description":"d","anyOf":[{"type":"string"},{"type":"array"}]}"#,
                r#"{"description":"d","anyOf":[{"type":"string"},{"type":"array"},{"type":"null"}]}"#,
            ),
        ] {
            let once = nullable(parse(schema.as_bytes()).unwrap());
            assert_eq!(once.to_text(), expected);
            assert_eq!(nullable(once).to_text(), expected);
        }
    }

    #[test]
    fn documentation_stands_before_a_hint() {
        let hinted = parse(br#"{"description":"bytes: x","type":"array"}"#).unwrap();
        assert_eq!(
            described(hinted, Some("The hash.")).to_text(),
            r#"{"description":"The hash. (bytes: x)","type":"array"}"#
        );
        let plain = parse(br#"{"type":"array"}"#).unwrap();
        assert_eq!(
            described(plain, Some("D")).to_text(),
            r#"{"type":"array","description":"D"}"#
        );
    }
}
