//! A call in Gemini's form.

use toolmesh_json::View;

use crate::call::{RawCall, optional_text, text, value};
use crate::spec::ToolCallParseError;

/// A `functionCall`: `{"id","name","args"}`; id and args may be absent.
pub(crate) fn read(call: View<'_>) -> Result<RawCall, ToolCallParseError> {
    Ok(RawCall {
        name: text(call, "name", "name")?.to_owned(),
        arguments: value(call, "args"),
        id: optional_text(call, "id"),
    })
}

/// The calls in a whole response, in a content, or in a list of parts.
pub(crate) fn find<'a>(reply: View<'a>) -> Vec<View<'a>> {
    let candidates = reply
        .get("candidates")
        .and_then(View::as_array)
        .into_iter()
        .flatten();
    let contents: Vec<View<'a>> = candidates
        .filter_map(|candidate| candidate.get("content"))
        .chain(reply.get("content"))
        .chain([reply])
        .collect();
    let parts = contents
        .into_iter()
        .find_map(|content| content.get("parts"))
        .unwrap_or(reply);
    let parts = parts.as_array().into_iter().flatten();
    parts
        .filter_map(|part| part.get("functionCall").or_else(|| part.get("function_call")))
        .collect()
}
