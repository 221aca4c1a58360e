//! A tool in the flat form of Responses.

use toolmesh_json::Value;
use toolmesh_tool::ToolDescriptor;

use crate::openai::tool::function;
use crate::options::Options;
use crate::toolset::{Input, Sent};
use crate::warning::Report;

/// `{"type":"function","name","description","parameters","strict"}`
pub(crate) fn tool(
    descriptor: &ToolDescriptor,
    name: &str,
    input: Input,
    options: Options,
    report: &mut Report,
) -> Sent {
    let typed = Value::object().put("type", "function");
    let (tool, plan) = function(typed, descriptor, name, input, options, report);
    Sent { tool, plan }
}
