//! OpenAI: API reference of `tools`, and what the API answers with status 400.

use toolmesh_json::View;

use super::{matches, openai_strict, walk};

pub(crate) fn tool(tool: View<'_>) -> Vec<String> {
    match tool.get("function") {
        Some(function) => function_rules(function),
        None => vec!["no `function`".to_owned()],
    }
}

pub(crate) fn flat_tool(tool: View<'_>) -> Vec<String> {
    let mut found = function_rules(tool);
    if tool.get("type").and_then(View::as_str) != Some("function") {
        found.push("no type `function`".to_owned());
    }
    found
}

fn function_rules(function: View<'_>) -> Vec<String> {
    let mut found = Vec::new();
    // API reference, `function.name`: a-z, A-Z, 0-9, underscores and dashes, at most 64.
    let name = function.get("name").and_then(View::as_str).unwrap_or_default();
    if !matches("^[a-zA-Z0-9_-]{1,64}$", name) {
        found.push(format!("the name `{name}`"));
    }
    // "string too long. Expected a string with maximum length 1024".
    let description = function
        .get("description")
        .and_then(View::as_str)
        .unwrap_or_default();
    if description.chars().count() > 1_024 {
        found.push("a description of more than 1024 characters".to_owned());
    }
    let Some(parameters) = function.get("parameters") else {
        found.push("no parameters".to_owned());
        return found;
    };
    // github.com/langchain-ai/langchainjs/issues/9804: "schema must have type 'object' and not have
    // 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level".
    if parameters.get("type").and_then(View::as_str) != Some("object") {
        found.push("the root is no object".to_owned());
    }
    // "object schema missing properties".
    if parameters.get("properties").is_none() {
        found.push("no properties at the root".to_owned());
    }
    for name in ["oneOf", "anyOf", "allOf", "enum", "not"] {
        if parameters.get(name).is_some() {
            found.push(format!("`{name}` at the root"));
        }
    }
    walk::schemas(parameters, "", &mut |schema, place| {
        // github.com/sigoden/aichat/pull/1049: "array schema missing items".
        let said = schema.get("type");
        let is_array = said.and_then(View::as_str) == Some("array")
            || said
                .and_then(View::as_array)
                .into_iter()
                .flatten()
                .any(|one| one.as_str() == Some("array"));
        if is_array && schema.get("items").is_none() {
            found.push(format!("a list without items at {place}"));
        }
        // Patterns are checked with Python's engine: "is not a 'regex'".
        if let Some(pattern) = schema.get("pattern").and_then(View::as_str)
            && matches(r"\\p|\\u\{|\(\?<[^=!]", pattern)
        {
            found.push(format!("the pattern `{pattern}` at {place}"));
        }
    });
    // The meta-schema of draft 2020-12, by our own compiler.
    if crate::support::compile(&parameters.to_value()).is_none() {
        found.push("no JSON Schema".to_owned());
    }
    if function.get("strict").and_then(View::as_bool) == Some(true) {
        found.extend(openai_strict::schema(parameters));
    }
    found
}
