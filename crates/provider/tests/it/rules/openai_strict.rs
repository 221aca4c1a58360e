//! OpenAI, `strict: true`: "Structured outputs", section "Supported schemas"
//! (platform.openai.com/docs/guides/structured-outputs#supported-schemas).

use toolmesh_json::View;

use super::{matches, walk};

/// Supported properties of each type; nothing else may be asserted.
const KEYWORDS: [&str; 19] = [
    "type",
    "title",
    "description",
    "enum",
    "const",
    "anyOf",
    "$ref",
    "$defs",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "pattern",
    "format",
    "multipleOf",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
];
const MORE_KEYWORDS: [&str; 2] = ["exclusiveMinimum", "exclusiveMaximum"];
const FORMATS: [&str; 9] = [
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uuid",
];

pub(crate) fn schema(root: View<'_>) -> Vec<String> {
    let mut found = Vec::new();
    let mut properties = 0;
    let mut values = 0;
    let mut text = 0;
    walk::schemas(root, "", &mut |schema, place| {
        one(schema, place, &mut found);
        let members = schema
            .get("properties")
            .and_then(View::as_object)
            .into_iter()
            .flatten();
        for (name, _) in members {
            properties += 1;
            text += name.chars().count();
        }
        let listed: Vec<View<'_>> = schema
            .get("enum")
            .and_then(View::as_array)
            .into_iter()
            .flatten()
            .collect();
        values += listed.len();
        let here: usize = listed
            .iter()
            .filter_map(|value| value.as_str())
            .map(|one| one.chars().count())
            .sum();
        text += here;
        // "For a single enum property with string values ... 15,000 characters when there are more than 250 enum values".
        if listed.len() > 250 && here > 15_000 {
            found.push(format!("too long a list of values at {place}"));
        }
    });
    // "A schema may have up to 5000 object properties total, with up to 10 levels of nesting."
    if properties > 5_000 {
        found.push("more than 5000 properties".to_owned());
    }
    if nesting(root) > 10 {
        found.push("more than 10 levels".to_owned());
    }
    // "up to 1000 enum values across all enum properties"
    if values > 1_000 {
        found.push("more than 1000 enum values".to_owned());
    }
    // "cannot exceed 120,000 characters".
    if text > 120_000 {
        found.push("more than 120000 characters".to_owned());
    }
    found
}

fn one(schema: View<'_>, place: &str, found: &mut Vec<String>) {
    let members = schema.as_object().unwrap();
    for name in members.keys() {
        if !KEYWORDS.contains(&name) && !MORE_KEYWORDS.contains(&name) {
            found.push(format!("`{name}` at {place}"));
        }
    }
    let is_object = schema.get("type").is_some_and(|said| {
        said.as_str() == Some("object")
            || said
                .as_array()
                .into_iter()
                .flatten()
                .any(|one| one.as_str() == Some("object"))
    });
    if is_object {
        // "additionalProperties: false must always be set in objects".
        if schema.get("additionalProperties").and_then(View::as_bool) != Some(false) {
            found.push(format!("an open object at {place}"));
        }
        // "all fields or function parameters must be specified as required".
        let names: Vec<&str> = schema
            .get("properties")
            .and_then(View::as_object)
            .unwrap()
            .keys()
            .collect();
        let required = schema
            .get("required")
            .and_then(View::as_array)
            .into_iter()
            .flatten();
        let required: Vec<&str> = required.filter_map(View::as_str).collect();
        if names != required {
            found.push(format!("not every property is required at {place}"));
        }
    }
    // "schema must have a 'type' key", unless it refers or has alternatives.
    if !["type", "$ref", "anyOf"]
        .iter()
        .any(|name| schema.get(name).is_some())
    {
        found.push(format!("no type at {place}"));
    }
    // "$ref cannot have keywords {'description'}".
    if schema.get("$ref").is_some() && members.len() > 1 {
        found.push(format!("something beside $ref at {place}"));
    }
    if let Some(format) = schema.get("format").and_then(View::as_str)
        && !FORMATS.contains(&format)
    {
        found.push(format!("format `{format}` at {place}"));
    }
    if let Some(pattern) = schema.get("pattern").and_then(View::as_str)
        && matches(r"\(\?(=|!|<)|\\[1-9kpPu]", pattern)
    {
        found.push(format!("pattern `{pattern}` at {place}"));
    }
}

/// Objects and lists in objects and lists; a definition counts from where it stands.
fn nesting(schema: View<'_>) -> usize {
    let mut deepest = 0;
    let own = usize::from(schema.get("properties").is_some() || schema.get("items").is_some());
    for (name, value) in schema.as_object().into_iter().flatten() {
        let below = match name {
            "items" => nesting(value),
            "anyOf" => value
                .as_array()
                .into_iter()
                .flatten()
                .map(nesting)
                .max()
                .unwrap_or(0),
            "properties" => value
                .as_object()
                .into_iter()
                .flatten()
                .map(|(_, one)| nesting(one))
                .max()
                .unwrap_or(0),
            _ => 0,
        };
        deepest = deepest.max(below);
    }
    own + deepest
}
