//! Completing an argument: the steps of a call that apply to it.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use super::{Operation, Shared, observe::Asked};
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
        let asked = Asked::now(&request.caller, Operation::Complete, &request.front);
        let completer = match self.completer(&request).await {
            Ok(completer) => completer,
            Err(error) => {
                self.refused(&asked, &error);
                return Err(error);
            }
        };
        let watch = self.observe(&asked, "");
        watch.admitted();
        let values = catch_unwind(AssertUnwindSafe(|| match completer {
            Completer::Prompt(prompt) => prompt.complete(&request.argument, &request.value, &request.settled),
            Completer::Template(reader) => {
                reader.complete(&request.argument, &request.value, &request.settled)
            }
        }));
        let values = values.map_err(|_| CallError::Internal("a completer panicked".to_owned()));
        watch.read_ended(&values);
        values
    }

    /// The steps before the completing itself.
    async fn completer(&self, request: &CompletionRequest) -> Result<Completer, CallError> {
        self.admit(&request.caller, Operation::Complete).await?;
        let completer = self
            .find_completer(request)
            .ok_or(CallError::NotFound("completion target"))?;
        self.limit_request(&request.caller)?;
        Ok(completer)
    }

    fn find_completer(&self, request: &CompletionRequest) -> Option<Completer> {
        let catalogue = self.toolbox.snapshot();
        let see = self.visibility.as_ref();
        let revision = request.front.revision.as_deref();
        match &request.reference {
            CompletionReference::Prompt(name) => catalogue
                .prompt(name)
                .filter(|found| found.revisions.has(revision))
                .filter(|found| see.is_none_or(|see| see.prompt(&request.caller, found)))
                .map(|found| Completer::Prompt(Arc::clone(&found.handler))),
            CompletionReference::Template(text) => catalogue
                .templates()
                .iter()
                .find(|found| found.template.as_str() == text)
                .filter(|found| found.info.revisions.has(revision))
                .filter(|found| see.is_none_or(|see| see.template(&request.caller, found)))
                .map(|found| Completer::Template(Arc::clone(&found.reader))),
        }
    }
}
