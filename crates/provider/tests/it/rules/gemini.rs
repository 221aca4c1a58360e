//! Gemini: the `FunctionDeclaration` and `Schema` objects of the API reference (ai.google.dev/api/caching#Schema), and what the
//! API answers with status 400.

use toolmesh_json::View;

use super::matches;

/// The members of `Schema`; another is "Unknown name ... Cannot find field"
/// (github.com/promptfoo/promptfoo/issues/6902, github.com/google-gemini/gemini-cli/issues/13326).
const MEMBERS: [&str; 21] = [
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "items",
    "maxItems",
    "minItems",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "example",
    "anyOf",
    "propertyOrdering",
    "minimum",
    "maximum",
];

/// `GenerationConfig.responseJsonSchema` names what JSON Schema may say.
const JSON_SCHEMA: [&str; 18] = [
    "$ref",
    "$defs",
    "type",
    "format",
    "title",
    "description",
    "enum",
    "items",
    "prefixItems",
    "minItems",
    "maxItems",
    "minimum",
    "maximum",
    "anyOf",
    "properties",
    "additionalProperties",
    "required",
    "propertyOrdering",
];

pub(crate) fn tool(tool: View<'_>) -> Vec<String> {
    let mut found = Vec::new();
    // "Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_),
    // dots (.), colons (:), or dashes (-), with a maximum length of 64."
    let name = tool.get("name").and_then(View::as_str).unwrap_or_default();
    if !matches("^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$", name) {
        found.push(format!("the name `{name}`"));
    }
    // `description` is required.
    if tool
        .get("description")
        .and_then(View::as_str)
        .is_none_or(str::is_empty)
    {
        found.push("no description".to_owned());
    }
    if let Some(parameters) = tool.get("parameters") {
        if parameters.get("type").and_then(View::as_str) != Some("object") {
            found.push("the parameters are no object".to_owned());
        }
        schema(parameters, "", &mut found);
    }
    if let Some(parameters) = tool.get("parametersJsonSchema") {
        json_schema(parameters, &mut found);
    }
    found
}

fn schema(one: View<'_>, place: &str, found: &mut Vec<String>) {
    let members = one.as_object().unwrap();
    for name in members.keys() {
        if !MEMBERS.contains(&name) {
            found.push(format!("`{name}` at {place}"));
        }
    }
    if let Some(branches) = one.get("anyOf") {
        // "When using any_of, it must be the only field set".
        if members.len() > 1 {
            found.push(format!("something beside anyOf at {place}"));
        }
        for branch in branches.as_array().unwrap() {
            schema(branch, &format!("{place}/anyOf"), found);
        }
        return;
    }
    let kind = one.get("type").and_then(View::as_str).unwrap_or_default();
    if !["string", "number", "integer", "boolean", "array", "object"].contains(&kind) {
        found.push(format!("type `{kind}` at {place}"));
    }
    of_kind(one, kind, place, found);
}

fn of_kind(one: View<'_>, kind: &str, place: &str, found: &mut Vec<String>) {
    // github.com/decolua/9router/issues/359: "enum: only allowed for STRING type"; "cannot be empty".
    if let Some(values) = one.get("enum").and_then(View::as_array)
        && (kind != "string"
            || values
                .iter()
                .any(|value| value.as_str().is_none_or(str::is_empty)))
    {
        found.push(format!("enum at {place}"));
    }
    if let Some(format) = one.get("format").and_then(View::as_str) {
        // "only 'enum' and 'date-time' are supported for STRING type"; the others are in the description of `format`.
        let known: &[&str] = match kind {
            "string" => &["enum", "date-time"],
            "integer" => &["int32", "int64"],
            "number" => &["float", "double"],
            _ => &[],
        };
        if !known.contains(&format) {
            found.push(format!("format `{format}` at {place}"));
        }
    }
    for (name, of) in [
        ("items", "array"),
        ("properties", "object"),
        ("pattern", "string"),
        ("minimum", "number"),
    ] {
        let fits = kind == of || (of == "number" && kind == "integer");
        if one.get(name).is_some() && !fits {
            found.push(format!("`{name}` of a {kind} at {place}"));
        }
    }
    match (kind, one.get("items"), one.get("properties")) {
        // "items: missing field".
        ("array", None, _) => found.push(format!("a list without items at {place}")),
        ("array", Some(items), _) => schema(items, &format!("{place}/items"), found),
        // "should be non-empty for OBJECT type".
        ("object", _, properties) => object(one, properties, place, found),
        _ => {}
    }
}

fn object(one: View<'_>, properties: Option<View<'_>>, place: &str, found: &mut Vec<String>) {
    let Some(members) = properties.and_then(View::as_object).filter(|all| !all.is_empty()) else {
        found.push(format!("an object without properties at {place}"));
        return;
    };
    // "required[0]: property is not defined".
    for name in one.get("required").and_then(View::as_array).into_iter().flatten() {
        if name.as_str().is_none_or(|name| !members.contains(name)) {
            found.push(format!("an undefined property is required at {place}"));
        }
    }
    for (name, property) in members {
        schema(property, &format!("{place}/{name}"), found);
    }
}

fn json_schema(root: View<'_>, found: &mut Vec<String>) {
    super::walk::schemas(root, "", &mut |one, place| {
        for name in one.as_object().unwrap().keys() {
            if !JSON_SCHEMA.contains(&name) {
                found.push(format!("`{name}` at {place}"));
            }
        }
        // "If $ref is set on a sub-schema, no other properties, except for than those starting as a $, may be set."
        let beside = one.as_object().unwrap().keys().any(|name| !name.starts_with('$'));
        if one.get("$ref").is_some() && beside {
            found.push(format!("something beside $ref at {place}"));
        }
        // "enum (for strings and numbers)".
        let mut values = one.get("enum").and_then(View::as_array).into_iter().flatten();
        if values.any(|value| value.as_str().is_none() && value.as_number().is_none()) {
            found.push(format!("enum at {place}"));
        }
    });
}
