//! The plain translators that other programs of the tool mesh know, to the letter: one tool, one call, nothing checked,
//! nothing repaired.
//!
//! Their output is pinned by shared vectors across languages, and real providers refuse some of it; [`crate::Toolset`] is the
//! one to use where nobody compares. A schema that is missing or is no JSON is `{"type":"object","properties":{}}`, a missing
//! description is empty, and the name is the tool's identifier.

use toolmesh_json::{Value, View};
use toolmesh_tool::ToolDescriptor;

use crate::spec::{ToolCallParseError, ToolCallSpec};
use crate::{anthropic, gemini, mcp, openai};

/// `{"type":"function","function":{"name","description","parameters","strict"}}`; strict whenever there is a schema.
#[must_use]
pub fn to_openai_tool(descriptor: &ToolDescriptor) -> Value {
    let function = named(descriptor)
        .put("parameters", input_schema(descriptor))
        .put("strict", descriptor.input_schema.is_some());
    Value::object()
        .put("type", "function")
        .put("function", function)
        .build()
}

/// Reads an entry of OpenAI's `tool_calls`; the arguments stay the text that they are.
///
/// # Errors
/// [`ToolCallParseError`] when `function`, its `name` or its `arguments` are missing, of another kind, or no JSON.
pub fn lower_openai_tool_call(call: View<'_>) -> Result<ToolCallSpec, ToolCallParseError> {
    openai::call::read(call)?.into_spec()
}

/// `{"name","description","input_schema"}`
#[must_use]
pub fn to_anthropic_tool(descriptor: &ToolDescriptor) -> Value {
    named(descriptor)
        .put("input_schema", input_schema(descriptor))
        .build()
}

/// Reads an Anthropic block `tool_use`.
///
/// # Errors
/// [`ToolCallParseError`] when `name` or `input` is missing.
pub fn lower_anthropic_tool_use(block: View<'_>) -> Result<ToolCallSpec, ToolCallParseError> {
    anthropic::call::read(block)?.into_spec()
}

/// `{"name","description","inputSchema"}`
#[must_use]
pub fn to_mcp_tool(descriptor: &ToolDescriptor) -> Value {
    named(descriptor)
        .put("inputSchema", input_schema(descriptor))
        .build()
}

/// Reads the params of MCP's `tools/call`.
///
/// # Errors
/// [`ToolCallParseError`] when `name` or `arguments` is missing.
pub fn lower_mcp_tools_call(params: View<'_>) -> Result<ToolCallSpec, ToolCallParseError> {
    mcp::call::read(params)?.into_spec()
}

/// `{"name","description","parameters"}`, to be put into `tools[0].function_declarations`.
#[must_use]
pub fn to_gemini_function_declaration(descriptor: &ToolDescriptor) -> Value {
    named(descriptor)
        .put("parameters", input_schema(descriptor))
        .build()
}

/// Reads a Gemini `functionCall`; the plain form knows no id.
///
/// # Errors
/// [`ToolCallParseError`] when `name` or `args` is missing.
pub fn lower_gemini_function_call(call: View<'_>) -> Result<ToolCallSpec, ToolCallParseError> {
    let mut spec = gemini::call::read(call)?.into_spec()?;
    spec.provider_call_id = None;
    Ok(spec)
}

fn named(descriptor: &ToolDescriptor) -> toolmesh_json::ObjectBuilder {
    Value::object().put("name", descriptor.tool_id.as_str()).put(
        "description",
        descriptor.description.as_deref().unwrap_or_default(),
    )
}

fn input_schema(descriptor: &ToolDescriptor) -> Value {
    let text = descriptor.input_schema.as_deref();
    text.and_then(|text| toolmesh_json::parse(text.as_bytes()).ok())
        .unwrap_or_else(|| {
            Value::object()
                .put("type", "object")
                .put("properties", Value::object())
                .build()
        })
}
