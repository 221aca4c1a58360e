//! A call in the form of Responses.

use toolmesh_json::View;

use crate::call::{RawArguments, RawCall, all, optional_text, text, type_of};
use crate::spec::ToolCallParseError;

/// An item `{"type":"function_call","call_id","name","arguments"}`.
pub(crate) fn read(item: View<'_>) -> Result<RawCall, ToolCallParseError> {
    Ok(RawCall {
        name: text(item, "name", "name")?.to_owned(),
        arguments: RawArguments::Text(text(item, "arguments", "arguments")?.to_owned()),
        // `id` names the item, `call_id` the call.
        id: optional_text(item, "call_id"),
    })
}

/// The calls in a whole response, or in a list of items; `None` when it is neither.
pub(crate) fn find(reply: View<'_>) -> Option<Vec<View<'_>>> {
    let mut items = all(reply.get("output").unwrap_or(reply), is_item)?;
    items.retain(|item| is_call(*item));
    Some(items)
}

/// The provider may add items; those of others are known.
fn is_item(item: View<'_>) -> bool {
    type_of(item).is_some_and(|kind| !matches!(kind, "text" | "tool_use" | "thinking" | "function"))
}

pub(crate) fn is_call(item: View<'_>) -> bool {
    type_of(item) == Some("function_call")
}
