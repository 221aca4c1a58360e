//! A call in Anthropic's form.

use toolmesh_json::View;

use crate::call::{RawCall, all, optional_text, text, type_of, value};
use crate::spec::ToolCallParseError;

/// A block `{"type":"tool_use","id","name","input"}`.
pub(crate) fn read(block: View<'_>) -> Result<RawCall, ToolCallParseError> {
    Ok(RawCall {
        name: text(block, "name", "name")?.to_owned(),
        arguments: value(block, "input"),
        id: optional_text(block, "id"),
    })
}

/// The calls in a message, or in a list of blocks; `None` when it is neither.
pub(crate) fn find(reply: View<'_>) -> Option<Vec<View<'_>>> {
    let is_message = matches!(type_of(reply), None | Some("message")) && reply.get("tool_calls").is_none();
    let blocks = match reply.get("content") {
        Some(blocks) if is_message => blocks,
        _ => reply,
    };
    let mut blocks = all(blocks, is_block)?;
    blocks.retain(|block| type_of(*block) == Some("tool_use"));
    Some(blocks)
}

/// Providers may add blocks; those of others are known.
fn is_block(block: View<'_>) -> bool {
    type_of(block)
        .is_some_and(|kind| !matches!(kind, "function" | "function_call" | "message" | "output_text"))
}
