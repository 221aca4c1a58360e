//! Getting a prompt: the steps of a call that apply to it.

use std::sync::Arc;

use indexmap::IndexMap;
use tokio_util::sync::CancellationToken;
use toolmesh_json::Value;
use tracing::Instrument;

use super::{Operation, Shared, arguments_mismatch, guard::guard, observe, observe::Asked};
use crate::{
    CallContext, CallError, Caller, FrontInfo, Link, Prompt, PromptOutput, Round, toolbox::Sight as _,
};

/// A question for a prompt's messages.
#[derive(Debug)]
pub struct PromptRequest {
    /// The prompt's name.
    pub name: String,
    /// Its arguments.
    pub arguments: IndexMap<String, String>,
    /// Who asks.
    pub caller: Caller,
    /// What the front knows.
    pub front: FrontInfo,
    /// Cancels the work.
    pub cancellation: CancellationToken,
    /// The client's answers to an earlier round, an object by key.
    pub input_responses: Option<Value>,
    /// The state of an earlier round, exactly as it went out.
    pub state: Option<String>,
    /// The handler's way back to the client.
    pub link: Link,
    /// Headers that came with the question (trace context), names in lower case.
    pub headers: Vec<(String, String)>,
}

impl PromptRequest {
    /// Asks for the prompt `name` for `caller`.
    pub fn new(name: impl Into<String>, arguments: IndexMap<String, String>, caller: Caller) -> Self {
        Self {
            name: name.into(),
            arguments,
            caller,
            front: FrontInfo::default(),
            cancellation: CancellationToken::new(),
            input_responses: None,
            state: None,
            link: Link::default(),
            headers: Vec::new(),
        }
    }
}

impl Shared {
    pub(super) async fn get_prompt(&self, request: PromptRequest) -> Result<Round<PromptOutput>, CallError> {
        let operation = Operation::GetPrompt(&request.name);
        let asked = Asked::now(&request.caller, operation, &request.front).with(&request.headers);
        let found = match self.admit(&request.caller, operation).await {
            Err(error) => Err(error),
            Ok(()) => self.find_prompt(&request),
        };
        let prompt = match found {
            Ok(prompt) => prompt,
            Err(error) => {
                self.refused(&asked, &error);
                return Err(error);
            }
        };
        let watch = self.observe(&asked, prompt.name.as_str());
        watch.admitted();
        let span = asked.span(prompt.name.as_str());
        let output = self.make_prompt(&request, &prompt, &watch).instrument(span).await;
        watch.round_ended(&output);
        output
    }

    fn find_prompt(&self, request: &PromptRequest) -> Result<Arc<Prompt>, CallError> {
        let eyes = self.eyes(&request.caller, request.front.revision.as_deref());
        self.toolbox
            .snapshot()
            .prompt(&request.name)
            .filter(|found| eyes.prompt(found))
            .map(Arc::clone)
            .ok_or(CallError::NotFound("prompt"))
    }

    async fn make_prompt(
        &self,
        request: &PromptRequest,
        prompt: &Prompt,
        watch: &observe::Watch,
    ) -> Result<Round<PromptOutput>, CallError> {
        self.limit_request(&request.caller)?;
        let cancellation = request.cancellation.child_token();
        let pass = self.gate.enter(None, &cancellation).await?;
        if prompt.lacks_required(&request.arguments) {
            return Err(arguments_mismatch(None));
        }
        let context = CallContext::builder(request.caller.clone())
            .cancellation(cancellation.clone())
            .deadline(Some(pass.deadline))
            .headers(request.headers.clone())
            .front(request.front.clone())
            .link(request.link.clone())
            .input_responses(request.input_responses.clone())
            .build();
        watch.started();
        let handler = &prompt.handler;
        let round = self.round(
            context,
            request.state.as_deref(),
            parameters(request),
            |context| handler.round(context, request.arguments.clone()),
        );
        let round = guard(round, pass.deadline, &cancellation).await??;
        if let Round::Done(done) = &round {
            self.output_limits.check_prompt(done)?;
        }
        Ok(round)
    }
}

/// What the state of a round is bound to.
fn parameters(request: &PromptRequest) -> Value {
    let mut arguments = Value::object();
    let given = request.arguments.iter();
    given.for_each(|(name, value)| arguments.insert(name.as_str(), value.as_str()));
    Value::object()
        .put("name", request.name.as_str())
        .put("arguments", arguments)
        .put_opt("_meta", request.front.meta.clone())
        .build()
}
