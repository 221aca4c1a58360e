//! Completing an argument: the steps of a call that apply to it.

use std::sync::Arc;

use super::{Operation, Shared};
use crate::{
    CallError, CompletionReference, CompletionRequest, CompletionValues, PromptHandler, ResourceReader,
};

/// What completes.
enum Completer {
    Prompt(Arc<dyn PromptHandler>),
    Template(Arc<dyn ResourceReader>),
}

impl Shared {
    pub(super) async fn complete(&self, request: CompletionRequest) -> Result<CompletionValues, CallError> {
        self.admit(&request.caller, Operation::Complete).await?;
        let completer = self
            .find_completer(&request)
            .ok_or(CallError::NotFound("completion target"))?;
        self.limit_request(&request.caller)?;
        Ok(match completer {
            Completer::Prompt(prompt) => prompt.complete(&request.argument, &request.value, &request.settled),
            Completer::Template(reader) => {
                reader.complete(&request.argument, &request.value, &request.settled)
            }
        })
    }

    fn find_completer(&self, request: &CompletionRequest) -> Option<Completer> {
        let catalogue = self.toolbox.snapshot();
        let see = self.visibility.as_ref();
        match &request.reference {
            CompletionReference::Prompt(name) => catalogue
                .prompt(name)
                .filter(|found| see.is_none_or(|see| see.prompt(&request.caller, found)))
                .map(|found| Completer::Prompt(Arc::clone(&found.handler))),
            CompletionReference::Template(text) => catalogue
                .templates()
                .iter()
                .find(|found| found.template.as_str() == text)
                .filter(|found| see.is_none_or(|see| see.template(&request.caller, found)))
                .map(|found| Completer::Template(Arc::clone(&found.reader))),
        }
    }
}
