//! A call in OpenAI's form.

use toolmesh_json::View;

use crate::call::{RawArguments, RawCall, all, member, object, optional_text, text, type_of};
use crate::spec::ToolCallParseError;

/// An entry of `tool_calls`: `{"id","type":"function","function":{"name","arguments"}}`.
pub(crate) fn read(call: View<'_>) -> Result<RawCall, ToolCallParseError> {
    let function = object(call, "function")?;
    let name = text(function, "name", "function.name")?;
    let arguments = text(function, "arguments", "function.arguments")?;
    Ok(RawCall {
        name: name.to_owned(),
        arguments: RawArguments::Text(arguments.to_owned()),
        id: optional_text(call, "id"),
    })
}

/// The calls in a whole response, in a message, or in a list of calls; `None` when it is none of them.
pub(crate) fn find(reply: View<'_>) -> Option<Vec<View<'_>>> {
    if let Some(choices) = member(reply, "choices") {
        let is_choice = |choice: View<'_>| choice.get("message").and_then(View::as_object).is_some();
        let choices = all(choices, is_choice)?;
        let first = choices
            .into_iter()
            .filter_map(|choice| member(choice.get("message")?, "tool_calls"));
        return calls_of(first.into_iter().next());
    }
    let message = member(reply, "message").unwrap_or(reply);
    if is_message(message) {
        return calls_of(member(message, "tool_calls"));
    }
    all(reply, |call| {
        call.get("function").is_some() || type_of(call) == Some("custom")
    })
}

fn calls_of(list: Option<View<'_>>) -> Option<Vec<View<'_>>> {
    match list {
        None => Some(Vec::new()),
        Some(list) => all(list, |_| true),
    }
}

/// Whether this is a message of an assistant. Those of other providers have a type, or blocks and parts in place of a text.
fn is_message(message: View<'_>) -> bool {
    let is_text = match member(message, "content") {
        None => true,
        Some(content) => {
            let is_part = |part| matches!(type_of(part), Some("text" | "refusal"));
            content.as_str().is_some() || all(content, is_part).is_some()
        }
    };
    let names_itself = message.get("role").is_some() || message.get("tool_calls").is_some();
    names_itself && is_text && type_of(message).is_none() && message.get("parts").is_none()
}
