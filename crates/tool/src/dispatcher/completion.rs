//! Completing an argument: the steps of a call that apply to it.

use std::sync::Arc;

use tracing::Instrument;

use super::{Operation, Shared, guard::guard, observe, observe::Asked};
use crate::{
    CallContext, CallError, CompletionReference, CompletionRequest, CompletionValues, PromptHandler,
    ResourceReader, toolbox::Sight as _,
};

/// What completes.
enum Completer {
    Prompt(Arc<dyn PromptHandler>),
    Template(Arc<dyn ResourceReader>),
}

impl Completer {
    async fn suggest(
        &self,
        context: CallContext,
        request: &CompletionRequest,
    ) -> Result<CompletionValues, CallError> {
        let (argument, typed, settled) = (&request.argument, &request.value, &request.settled);
        match self {
            Self::Prompt(prompt) => prompt.suggest(context, argument, typed, settled).await,
            Self::Template(reader) => reader.suggest(context, argument, typed, settled).await,
        }
    }
}

impl Shared {
    pub(super) async fn complete(&self, request: CompletionRequest) -> Result<CompletionValues, CallError> {
        let asked = Asked::now(&request.caller, Operation::Complete, &request.front).with(&request.headers);
        let completer = match self.completer(&request).await {
            Ok(completer) => completer,
            Err(error) => {
                self.refused(&asked, &error);
                return Err(error);
            }
        };
        let watch = self.observe(&asked, "");
        watch.admitted();
        let span = asked.span("");
        let values = self
            .suggested(&request, &completer, &watch)
            .instrument(span)
            .await;
        watch.read_ended(&values);
        values
    }

    async fn suggested(
        &self,
        request: &CompletionRequest,
        completer: &Completer,
        watch: &observe::Watch,
    ) -> Result<CompletionValues, CallError> {
        let cancellation = request.cancellation.child_token();
        let pass = self.gate.enter(None, &cancellation).await?;
        let context = CallContext::builder(request.caller.clone())
            .cancellation(cancellation.clone())
            .deadline(Some(pass.deadline))
            .headers(request.headers.clone())
            .front(request.front.clone())
            .build();
        watch.started();
        guard(completer.suggest(context, request), pass.deadline, &cancellation).await?
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
        let eyes = self.eyes(&request.caller, request.front.revision.as_deref());
        match &request.reference {
            CompletionReference::Prompt(name) => catalogue
                .prompt(name)
                .filter(|found| eyes.prompt(found))
                .map(|found| Completer::Prompt(Arc::clone(&found.handler))),
            CompletionReference::Template(text) => catalogue
                .templates()
                .iter()
                .find(|found| found.template.as_str() == text)
                .filter(|found| eyes.template(found))
                .map(|found| Completer::Template(Arc::clone(&found.reader))),
        }
    }
}
