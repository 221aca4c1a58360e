//! A call in the form of Responses.

use toolmesh_json::View;

use crate::call::{RawArguments, RawCall, optional_text, text};
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

/// The calls in a whole response, or in a list of items.
pub(crate) fn find<'a>(reply: View<'a>) -> Vec<View<'a>> {
    let items = reply
        .get("output")
        .unwrap_or(reply)
        .as_array()
        .into_iter()
        .flatten();
    items.filter(|item| is_call(*item)).collect()
}

pub(crate) fn is_call(item: View<'_>) -> bool {
    item.get("type").and_then(View::as_str) == Some("function_call")
}
