//! A call in Gemini's form.

use toolmesh_json::View;

use crate::call::{RawCall, all, member, optional_text, text, value};
use crate::spec::ToolCallParseError;

/// A `functionCall`: `{"id","name","args"}`; id and args may be absent.
pub(crate) fn read(call: View<'_>) -> Result<RawCall, ToolCallParseError> {
    Ok(RawCall {
        name: text(call, "name", "name")?.to_owned(),
        arguments: value(call, "args"),
        id: optional_text(call, "id"),
    })
}

/// The calls in a whole response, in a content, or in a list of parts; `None` when it is none of them.
pub(crate) fn find(reply: View<'_>) -> Option<Vec<View<'_>>> {
    let is_blocked = ["promptFeedback", "prompt_feedback"]
        .iter()
        .any(|name| member(reply, name).is_some());
    let content = match member(reply, "candidates") {
        // A candidate that was cut off early has no content.
        Some(candidates) => {
            let candidates = all(candidates, |candidate| candidate.as_object().is_some())?;
            let mut contents = candidates
                .into_iter()
                .map(|candidate| member(candidate, "content"));
            match contents.find(|content| content.is_some_and(|content| member(content, "parts").is_some())) {
                Some(content) => content,
                None => return Some(Vec::new()),
            }
        }
        None if is_blocked => return Some(Vec::new()),
        None => member(reply, "content"),
    };
    let content = content.unwrap_or(reply);
    let parts = all(member(content, "parts").unwrap_or(content), is_part)?;
    let calls = parts.into_iter();
    Some(
        calls
            .filter_map(|part| member(part, "functionCall").or_else(|| member(part, "function_call")))
            .collect(),
    )
}

/// A part is told by its members, and what other providers put in a list by its type.
fn is_part(part: View<'_>) -> bool {
    part.as_object().is_some() && part.get("type").is_none() && part.get("function").is_none()
}
