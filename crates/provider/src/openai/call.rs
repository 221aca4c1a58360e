//! A call in OpenAI's form.

use toolmesh_json::View;

use crate::call::{RawArguments, RawCall, object, optional_text, text};
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

/// The calls in a whole response, in a message, or in a list of calls.
pub(crate) fn find<'a>(reply: View<'a>) -> Vec<View<'a>> {
    let choices = reply
        .get("choices")
        .and_then(View::as_array)
        .into_iter()
        .flatten();
    let messages: Vec<View<'a>> = choices
        .filter_map(|choice| choice.get("message"))
        .chain(reply.get("message"))
        .chain([reply])
        .collect();
    let calls = messages.into_iter().find_map(|message| message.get("tool_calls"));
    calls
        .or(Some(reply))
        .and_then(View::as_array)
        .into_iter()
        .flatten()
        .collect()
}
