//! Prompts.

use std::sync::Arc;

use toolmesh_tool::{
    BoxFuture, CallContext, CallError, CompletionValues, ContentBlock, IndexMap, InputRequired, NameError,
    Prompt, PromptArgument, PromptHandler, PromptMessage, PromptOutput, Role, Round, TextContent, ToolName,
};

use super::{
    asking::form,
    content::{embedded, image},
    rounds::field,
};

const CONTEXT_FORM: &str =
    r#"{"type":"object","properties":{"context":{"type":"string"}},"required":["context"]}"#;

pub(crate) fn prompts() -> Result<Vec<Prompt>, NameError> {
    let picture = vec![image(), text("Please analyze the image above.")];
    let simple = vec![text("This is a simple prompt for testing.")];
    Ok(vec![
        prompt("test_simple_prompt", "Says a text", Fixed(simple), &[])?,
        prompt(
            "test_prompt_with_arguments",
            "Repeats its arguments",
            Repeating,
            &["arg1", "arg2"],
        )?,
        prompt(
            "test_prompt_with_embedded_resource",
            "Holds a resource",
            Embedding,
            &["resourceUri"],
        )?,
        prompt("test_prompt_with_image", "Holds an image", Fixed(picture), &[])?,
        prompt(
            "test_input_required_result_prompt",
            "Asks before it answers",
            Asking,
            &[],
        )?,
    ])
}

fn prompt(
    name: &str,
    description: &str,
    handler: impl PromptHandler,
    arguments: &[&str],
) -> Result<Prompt, NameError> {
    let arguments = arguments.iter().map(|name| PromptArgument {
        name: (*name).to_owned(),
        description: Some(format!("The {name}")),
        required: true,
        ..PromptArgument::default()
    });
    Ok(Prompt {
        description: Some(description.to_owned()),
        arguments: arguments.collect(),
        ..Prompt::new(ToolName::new(name)?, Arc::new(handler))
    })
}

fn text(text: impl Into<String>) -> ContentBlock {
    ContentBlock::Text(TextContent::new(text))
}

fn output(blocks: Vec<ContentBlock>) -> PromptOutput {
    let role = Role::User;
    let messages = blocks.into_iter().map(|content| PromptMessage { role, content });
    PromptOutput {
        description: None,
        messages: messages.collect(),
    }
}

type Got<'a> = BoxFuture<'a, Result<PromptOutput, CallError>>;
type Arguments = IndexMap<String, String>;

fn ready<'a>(blocks: Vec<ContentBlock>) -> Got<'a> {
    Box::pin(std::future::ready(Ok(output(blocks))))
}

fn argument(arguments: &Arguments, name: &str) -> String {
    arguments.get(name).cloned().unwrap_or_default()
}

/// Always the same blocks.
pub(crate) struct Fixed(pub(crate) Vec<ContentBlock>);

impl PromptHandler for Fixed {
    fn get<'a>(&'a self, _: CallContext, _: Arguments) -> Got<'a> {
        ready(self.0.clone())
    }
}

/// Repeats its arguments, and completes them.
struct Repeating;

impl PromptHandler for Repeating {
    fn get<'a>(&'a self, _: CallContext, arguments: Arguments) -> Got<'a> {
        let (one, two) = (argument(&arguments, "arg1"), argument(&arguments, "arg2"));
        ready(vec![text(format!(
            "Prompt with arguments: arg1='{one}', arg2='{two}'"
        ))])
    }

    fn complete(&self, _: &str, typed: &str, _: &Arguments) -> CompletionValues {
        let known = ["paris", "park", "party"].map(str::to_owned);
        CompletionValues::new(known.into_iter().filter(|value| value.starts_with(typed)))
    }
}

/// Embeds the resource that its argument names.
struct Embedding;

impl PromptHandler for Embedding {
    fn get<'a>(&'a self, _: CallContext, arguments: Arguments) -> Got<'a> {
        let uri = argument(&arguments, "resourceUri");
        ready(vec![
            embedded(&uri, "text/plain", "Embedded resource content for testing."),
            text("Please process the embedded resource above."),
        ])
    }
}

/// Asks the client first.
struct Asking;

impl PromptHandler for Asking {
    fn get<'a>(&'a self, _: CallContext, _: Arguments) -> Got<'a> {
        Box::pin(std::future::ready(Err(CallError::InputUnavailable)))
    }

    fn round<'a>(
        &'a self,
        context: CallContext,
        _: Arguments,
    ) -> BoxFuture<'a, Result<Round<PromptOutput>, CallError>> {
        let round = match field(&context, "user_context", "context") {
            Some(said) => Round::Done(output(vec![text(format!("Prompt with context: {said}"))])),
            None => {
                let question = form("What context should the prompt use?", CONTEXT_FORM);
                InputRequired::one("user_context", question).into()
            }
        };
        Box::pin(std::future::ready(Ok(round)))
    }
}
