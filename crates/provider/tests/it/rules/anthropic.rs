//! Anthropic: "Define tools", "Strict tool use" and "Structured outputs" (platform.claude.com/docs), and what the API answers
//! with status 400.

use toolmesh_json::View;

use super::{matches, walk};

pub(crate) fn tool(tool: View<'_>) -> Vec<String> {
    let mut found = Vec::new();
    // "Define tools": `^[a-zA-Z0-9_-]{1,64}$`.
    let name = tool.get("name").and_then(View::as_str).unwrap_or_default();
    if !matches("^[a-zA-Z0-9_-]{1,64}$", name) {
        found.push(format!("the name `{name}`"));
    }
    let Some(schema) = tool.get("input_schema") else {
        found.push("no input_schema".to_owned());
        return found;
    };
    // "tools.0.custom.input_schema.type: Field required", and "input_schema does not support oneOf, allOf, or anyOf at the
    // top level".
    if schema.get("type").and_then(View::as_str) != Some("object") {
        found.push("the root is no object".to_owned());
    }
    for name in ["oneOf", "anyOf", "allOf"] {
        if schema.get(name).is_some() {
            found.push(format!("`{name}` at the root"));
        }
    }
    // github.com/anthropics/claude-code/issues/79418: keys of the root's properties.
    for (key, _) in schema
        .get("properties")
        .and_then(View::as_object)
        .into_iter()
        .flatten()
    {
        if !matches("^[a-zA-Z0-9_.-]{1,64}$", key) {
            found.push(format!("the property `{key}`"));
        }
    }
    // "JSON schema is invalid. It must match JSON Schema draft 2020-12".
    if crate::support::compile(&schema.to_value()).is_none() {
        found.push("no JSON Schema of draft 2020-12".to_owned());
    }
    if tool.get("strict").and_then(View::as_bool) == Some(true) {
        strict(schema, &mut found);
    }
    found
}

/// "JSON Schema limitations": closed objects, no bounds of numbers, texts or lists (but `minItems` 0 and 1), no recursion,
/// scalars in lists of values.
fn strict(schema: View<'_>, found: &mut Vec<String>) {
    let refused = [
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "pattern",
        "maxItems",
        "uniqueItems",
        "oneOf",
        "not",
        "if",
        "patternProperties",
        "prefixItems",
        "minProperties",
    ];
    walk::schemas(schema, "", &mut |one, place| {
        for name in refused {
            if one.get(name).is_some() {
                found.push(format!("`{name}` at {place}"));
            }
        }
        if one.get("type").and_then(View::as_str) == Some("object")
            && one.get("additionalProperties").and_then(View::as_bool) != Some(false)
        {
            found.push(format!("an open object at {place}"));
        }
        if one.get("minItems").is_some_and(|count| count.as_u64() > Some(1)) {
            found.push(format!("minItems at {place}"));
        }
        let listed = one.get("enum").and_then(View::as_array).into_iter().flatten();
        if listed
            .into_iter()
            .any(|value| value.as_object().is_some() || value.as_array().is_some())
        {
            found.push(format!("no scalar in a list of values at {place}"));
        }
    });
}

/// "Strict tool use": 20 strict tools, 24 optional members and 16 members with alternatives in one request.
pub(crate) fn strict_counts(tools: &[View<'_>]) -> Vec<String> {
    let strict = |tool: &&View<'_>| tool.get("strict").and_then(View::as_bool) == Some(true);
    let (mut count, mut optional, mut unions) = (0, 0, 0);
    for tool in tools.iter().filter(strict) {
        count += 1;
        walk::schemas(tool.get("input_schema").unwrap(), "", &mut |one, _| {
            let all = one
                .get("properties")
                .and_then(View::as_object)
                .map_or(0, |all| all.len());
            let required = one
                .get("required")
                .and_then(View::as_array)
                .map_or(0, |all| all.len());
            optional += all - required;
            unions += usize::from(one.get("anyOf").is_some());
        });
    }
    let over = [
        ("strict tools", count, 20),
        ("optional members", optional, 24),
        ("alternatives", unions, 16),
    ];
    let over = over.into_iter().filter(|(_, found, limit)| found > limit);
    over.map(|(what, found, limit)| format!("{found} {what}, at most {limit}"))
        .collect()
}
