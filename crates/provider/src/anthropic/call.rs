//! A call in Anthropic's form.

use toolmesh_json::View;

use crate::call::{RawCall, optional_text, text, value};
use crate::spec::ToolCallParseError;

/// A block `{"type":"tool_use","id","name","input"}`.
pub(crate) fn read(block: View<'_>) -> Result<RawCall, ToolCallParseError> {
    Ok(RawCall {
        name: text(block, "name", "name")?.to_owned(),
        arguments: value(block, "input"),
        id: optional_text(block, "id"),
    })
}

/// The calls in a message, or in a list of blocks.
pub(crate) fn find<'a>(reply: View<'a>) -> Vec<View<'a>> {
    let blocks = reply
        .get("content")
        .unwrap_or(reply)
        .as_array()
        .into_iter()
        .flatten();
    blocks
        .filter(|block| block.get("type").and_then(View::as_str) == Some("tool_use"))
        .collect()
}
