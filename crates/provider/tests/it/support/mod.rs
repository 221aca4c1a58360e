//! What several tests need.

pub(crate) mod instance;
pub(crate) mod schemas;

use toolmesh_json::{Value, View};
use toolmesh_provider::{Options, Provider, Toolset};
use toolmesh_schema::{Profile, Schema};
use toolmesh_tool::ToolDescriptor;

/// JSON out of a text.
#[track_caller]
pub(crate) fn json(text: &str) -> Value {
    toolmesh_json::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A tool with this input schema.
pub(crate) fn tool(name: &str, schema: &str) -> ToolDescriptor {
    let mut descriptor = ToolDescriptor::new(name);
    descriptor.description = Some(format!("Does {name}."));
    descriptor.input_schema = Some(schema.to_owned());
    descriptor
}

/// One tool `t`, translated.
pub(crate) fn translate(provider: Provider, schema: &str) -> Toolset {
    Toolset::translate(provider, [tool("t", schema)], &Options::default())
}

/// The input schema of a translated tool, by its provider's member; absent where Gemini's tool has no arguments.
pub(crate) fn sent_schema(provider: Provider, tool: View<'_>) -> Option<View<'_>> {
    match provider {
        Provider::OpenAi => tool.get("function")?.get("parameters"),
        Provider::OpenAiResponses => tool.get("parameters"),
        Provider::Anthropic => tool.get("input_schema"),
        Provider::Gemini => tool
            .get("parameters")
            .or_else(|| tool.get("parametersJsonSchema")),
        Provider::Mcp => tool.get("inputSchema"),
    }
}

/// The translated tools one by one.
pub(crate) fn sent_tools(toolset: &Toolset) -> Vec<View<'_>> {
    let tools = toolset.tools().as_array().unwrap();
    match toolset.provider() {
        Provider::Gemini => tools
            .iter()
            .flat_map(|one| one.get("functionDeclarations").unwrap().as_array().unwrap())
            .collect(),
        _ => tools.iter().collect(),
    }
}

/// A call as the provider's model would make it.
pub(crate) fn call(provider: Provider, name: &str, arguments: &Value) -> Value {
    let named = Value::object().put("name", name);
    match provider {
        Provider::OpenAi => Value::object()
            .put("id", "c1")
            .put("type", "function")
            .put("function", named.put("arguments", arguments.to_text()))
            .build(),
        Provider::OpenAiResponses => named
            .put("type", "function_call")
            .put("call_id", "c1")
            .put("arguments", arguments.to_text())
            .build(),
        Provider::Anthropic => named
            .put("type", "tool_use")
            .put("id", "c1")
            .put("input", arguments)
            .build(),
        Provider::Gemini => named.put("args", arguments).build(),
        Provider::Mcp => named.put("arguments", arguments).build(),
    }
}

/// What the tool `t` gets when the model sends `arguments`.
#[track_caller]
pub(crate) fn lowered(toolset: &Toolset, arguments: &Value) -> Value {
    let sent_as = toolset.names().sent("t").expect("the tool is there");
    let spec = toolset
        .lower(call(toolset.provider(), sent_as, arguments).view())
        .expect("the call can be read");
    assert_eq!(spec.name, "t");
    json(&spec.arguments_json)
}

/// A schema to judge values by; `None` when this is none.
pub(crate) fn compile(document: &Value) -> Option<Schema> {
    Schema::compile(document.clone(), Profile::Draft2020_12).ok()
}

/// Gemini's `parameters` as JSON Schema: `nullable` means null too, and only named members can be sent.
pub(crate) fn as_json_schema(schema: View<'_>) -> Value {
    let mut plain = Value::object();
    for (name, value) in schema.as_object().unwrap() {
        match name {
            "nullable" => {}
            "properties" => {
                let members = value.as_object().unwrap().iter();
                let members: toolmesh_json::ObjectBuilder = members
                    .map(|(name, member)| (name, as_json_schema(member)))
                    .collect();
                plain.insert(name, members);
                plain.insert("additionalProperties", false);
            }
            "items" => plain.insert(name, as_json_schema(value)),
            "anyOf" => {
                let branches = value.as_array().unwrap().iter();
                plain.insert(name, branches.map(as_json_schema).collect::<Vec<_>>());
            }
            _ => plain.insert(name, value),
        }
    }
    if schema.get("nullable").and_then(View::as_bool) == Some(true) {
        let null = Value::object().put("type", "null");
        let either = Value::array().push(plain).push(null);
        return Value::object().put("anyOf", either).build();
    }
    plain.build()
}

/// What the provider's schema takes, as JSON Schema.
pub(crate) fn provider_schema(provider: Provider, tool: View<'_>) -> Value {
    match sent_schema(provider, tool) {
        None => json(r#"{"type":"object","properties":{},"additionalProperties":false}"#),
        Some(schema) if provider == Provider::Gemini && tool.get("parameters").is_some() => {
            as_json_schema(schema)
        }
        Some(schema) => schema.to_value(),
    }
}

/// The value without members that are null, at every depth: what a strict schema cannot tell from absent ones.
pub(crate) fn without_nulls(value: View<'_>) -> Value {
    if let Some(members) = value.as_object() {
        let kept = members.iter().filter(|(_, member)| !member.is_null());
        return kept
            .map(|(name, member)| (name, without_nulls(member)))
            .collect::<toolmesh_json::ObjectBuilder>()
            .build();
    }
    match value.as_array() {
        Some(items) => items.iter().map(without_nulls).collect(),
        None => value.to_value(),
    }
}
