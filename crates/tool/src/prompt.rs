//! Prompts: prepared messages that a person picks.

use std::{fmt, sync::Arc};

use futures_util::future::BoxFuture;
use indexmap::IndexMap;

use crate::{CallContext, CallError, CompletionValues, ContentBlock, Icon, Revisions, Role, Round, ToolName};

/// An argument of a prompt; its value is always text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PromptArgument {
    /// Its name.
    pub name: String,
    /// A title for people.
    pub title: Option<String>,
    /// What it means.
    pub description: Option<String>,
    /// Whether it must be given.
    pub required: bool,
}

/// One message of a prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptMessage {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: ContentBlock,
}

/// What getting a prompt gives.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PromptOutput {
    /// What the prompt is for.
    pub description: Option<String>,
    /// The messages in order.
    pub messages: Vec<PromptMessage>,
}

/// Makes a prompt's messages, and completes its arguments.
pub trait PromptHandler: Send + Sync + 'static {
    /// The messages for these arguments; required ones are present.
    ///
    /// # Errors
    /// A [`CallError`] of the handler's choice.
    fn get<'a>(
        &'a self,
        context: CallContext,
        arguments: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<PromptOutput, CallError>>;

    /// As [`PromptHandler::get`], for a prompt that may ask the client for something first and is called again with the
    /// answers ([`CallContext::input_responses`]). One that never asks need not write this.
    ///
    /// # Errors
    /// As [`PromptHandler::get`].
    fn round<'a>(
        &'a self,
        context: CallContext,
        arguments: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<Round<PromptOutput>, CallError>> {
        Box::pin(async move { self.get(context, arguments).await.map(Round::Done) })
    }

    /// Values for an argument that starts with what was typed; none by default.
    fn complete(&self, argument: &str, typed: &str, settled: &IndexMap<String, String>) -> CompletionValues {
        let _ = (argument, typed, settled);
        CompletionValues::default()
    }

    /// As [`PromptHandler::complete`], for a source that has to ask somebody for the values. One that has them at hand
    /// need not write this.
    ///
    /// # Errors
    /// A [`CallError`] of the handler's choice.
    fn suggest<'a>(
        &'a self,
        context: CallContext,
        argument: &'a str,
        typed: &'a str,
        settled: &'a IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<CompletionValues, CallError>> {
        let _ = context;
        Box::pin(async move { Ok(self.complete(argument, typed, settled)) })
    }
}

/// A prompt in the catalogue.
#[derive(Clone)]
pub struct Prompt {
    /// Its name.
    pub name: ToolName,
    /// A title for people.
    pub title: Option<String>,
    /// What it is for.
    pub description: Option<String>,
    /// Icons.
    pub icons: Vec<Icon>,
    /// Its arguments in order.
    pub arguments: Vec<PromptArgument>,
    /// In which protocol revisions it is there.
    pub revisions: Revisions,
    /// What makes it.
    pub handler: Arc<dyn PromptHandler>,
}

impl Prompt {
    /// A prompt `name` made by `handler`, with nothing else set.
    pub fn new(name: ToolName, handler: Arc<dyn PromptHandler>) -> Self {
        Self {
            name,
            title: None,
            description: None,
            icons: Vec::new(),
            arguments: Vec::new(),
            revisions: Revisions::all(),
            handler,
        }
    }

    /// The required arguments that `given` lacks.
    pub(crate) fn lacks_required(&self, given: &IndexMap<String, String>) -> bool {
        self.arguments
            .iter()
            .any(|argument| argument.required && !given.contains_key(&argument.name))
    }
}

impl fmt::Debug for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prompt")
            .field("name", &self.name)
            .field("arguments", &self.arguments)
            .finish_non_exhaustive()
    }
}
