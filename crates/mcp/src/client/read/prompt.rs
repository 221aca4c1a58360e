//! Prompts and their messages.

use std::sync::Arc;

use toolmesh_json::{Value, View};
use toolmesh_tool::{Prompt, PromptArgument, PromptHandler, PromptMessage, PromptOutput, ToolName};

use super::{content::block, icons, info::role};
use crate::client::{error::ClientError, peer::text, prefix::Prefixed};

/// Reads a prompt's entry; `handler` is made of its name.
pub(in crate::client) fn read_prompt(
    entry: View<'_>,
    handler: impl FnOnce(&str) -> Arc<dyn PromptHandler>,
) -> Result<Prompt, String> {
    let name = text(entry, "name").ok_or("it has no `name`")?;
    let arguments = entry.get("arguments").and_then(View::as_array);
    let arguments = arguments.into_iter().flat_map(|arguments| arguments.iter());
    Ok(Prompt {
        title: text(entry, "title"),
        description: text(entry, "description"),
        icons: icons(entry),
        arguments: arguments.map(argument).collect::<Result<_, _>>()?,
        ..Prompt::new(
            ToolName::new(&name).map_err(|error| error.to_string())?,
            handler(&name),
        )
    })
}

fn argument(of: View<'_>) -> Result<PromptArgument, String> {
    Ok(PromptArgument {
        name: text(of, "name").ok_or("an argument has no `name`")?,
        title: text(of, "title"),
        description: text(of, "description"),
        required: of.get("required").and_then(View::as_bool).unwrap_or_default(),
    })
}

/// Reads the result of `prompts/get`.
pub(in crate::client) fn prompt_output(
    result: &Value,
    prefixed: &Prefixed,
) -> Result<PromptOutput, ClientError> {
    let messages = result.get("messages").and_then(View::as_array);
    let messages = messages.ok_or(ClientError::Protocol("a prompt came without messages"))?;
    let message = |message: View<'_>| {
        let (Some(role), Some(content)) = (message.get("role").and_then(role), message.get("content")) else {
            return Err(ClientError::Protocol(
                "a prompt's message lacks its role or content",
            ));
        };
        Ok(PromptMessage {
            role,
            content: block(content, prefixed)?,
        })
    };
    Ok(PromptOutput {
        description: text(result.view(), "description"),
        messages: messages.iter().map(message).collect::<Result<_, _>>()?,
    })
}
