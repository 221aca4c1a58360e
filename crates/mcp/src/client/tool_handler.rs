//! Calling a tool of an upstream server.

use std::sync::Arc;

use toolmesh_json::{Value, View};
use toolmesh_tool::{
    BoxFuture, CallContext, CallError, InputRequest, InputRequired, Outcome, ToolHandler, ToolResult,
    check_form,
    schema::{MirroredHeader, MirroredType},
};

use super::{
    calling::{Asked, Calling, Note, Progress, Step},
    error::{ClientError, INVALID_PARAMS},
    limits::shortened,
    link::Outgoing,
    parking::Returned,
    read::{Read, tool_result},
    shared::Shared,
};

/// The key of the one question that a 2025 server asks at a time.
const QUESTION: &str = "question";

/// Calls one tool.
pub(super) struct ToolCaller {
    pub(super) shared: Arc<Shared>,
    /// The name that the server knows.
    pub(super) name: String,
    /// Arguments that are repeated in headers.
    pub(super) mirrored: Vec<MirroredHeader>,
}

impl ToolHandler for ToolCaller {
    fn call<'a>(&'a self, context: CallContext, arguments: Value) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            match self.run(&context, arguments).await {
                Ok(outcome) => outcome,
                Err(error) => error.into(),
            }
        })
    }
}

impl ToolCaller {
    async fn run(&self, context: &CallContext, arguments: Value) -> Result<Outcome, CallError> {
        let calling = match context.state().map(Returned::read) {
            Some(Some(Returned::Ticket(ticket))) => self.resume(context, ticket)?,
            Some(Some(Returned::Foreign(state))) => self.begin(context, arguments, Some(state)).await?,
            // The dispatcher sealed it, so it was ours: one of an earlier version.
            Some(None) => return Err(CallError::RefusedState),
            None => self.begin(context, arguments, None).await?,
        };
        self.follow(context, calling).await
    }

    async fn begin(
        &self,
        context: &CallContext,
        arguments: Value,
        state: Option<&str>,
    ) -> Result<Calling, CallError> {
        let mut request = Outgoing::new("tools/call", Value::object().put("name", self.name.as_str()));
        request.mirrored = self
            .mirrored
            .iter()
            .filter_map(|header| mirror(header, arguments.view()))
            .collect();
        request.params = request
            .params
            .put("arguments", arguments)
            .put_opt("inputResponses", context.input_responses().cloned())
            .put_opt("requestState", state);
        request.name = Some(self.name.clone());
        request.interactive = true;
        let peer = self.shared.peer().map_err(ClientError::into_call_error)?;
        let begun = peer.begin(request, context).await;
        begun.map_err(ClientError::into_call_error)
    }

    /// Goes on with the call that waited for an answer.
    fn resume(&self, context: &CallContext, ticket: &str) -> Result<Calling, CallError> {
        let answer = context
            .input_responses()
            .and_then(|answers| answers.get(QUESTION));
        let answer = answer.map(View::to_value).ok_or(CallError::RefusedState)?;
        self.shared
            .parking
            .resume(ticket, answer)
            .ok_or(CallError::RefusedState)
    }

    async fn follow(&self, context: &CallContext, mut calling: Calling) -> Result<Outcome, CallError> {
        loop {
            match calling.next().await {
                Step::Note(Note::Progress(progress)) => report(context, progress).await,
                Step::Note(Note::Asked(asked)) if can_answer(context, &asked) => {
                    return Ok(self.ask(calling, asked));
                }
                Step::Note(Note::Asked(asked)) => asked.cancel(),
                Step::Ended(ended) => return self.ended(ended),
            }
        }
    }

    /// Parks the call and asks its caller.
    fn ask(&self, calling: Calling, asked: Asked) -> Outcome {
        let request = asked.request.clone();
        match self.shared.parking.park(calling, asked) {
            Some(ticket) => InputRequired::one(QUESTION, request).with_state(ticket).into(),
            None => CallError::QueueFull.into(),
        }
    }

    fn ended(&self, ended: Result<Value, ClientError>) -> Result<Outcome, CallError> {
        let read = ended.and_then(|result| tool_result(&result, &self.shared.prefixed));
        match read {
            Ok(Read::Complete(result)) => Ok(result.into()),
            Ok(Read::InputRequired(input)) => Ok(input.into()),
            // A server tells its caller so what to repair, and a tool error is how an agent learns of it.
            Err(ClientError::Answered(error)) if error.code == INVALID_PARAMS => {
                Ok(ToolResult::error_text(shortened(&error.message)).into())
            }
            Err(error) => Err(error.into_call_error()),
        }
    }
}

/// Whether the caller can be asked this: his client can, and a form is one.
fn can_answer(context: &CallContext, asked: &Asked) -> bool {
    if let InputRequest::Elicitation { schema, .. } = &asked.request
        && let Err(error) = check_form(schema.view())
    {
        tracing::warn!(%error, "an upstream server asks with a form that is none");
        return false;
    }
    context.front().capabilities.has(&asked.request.capability())
}

/// Tells how far the server is: in percent where it says of how much, else only that it goes on.
async fn report(context: &CallContext, progress: Progress) {
    match progress.total.filter(|total| *total > 0.0) {
        Some(total) => {
            context
                .progress(100.0 * progress.done / total, progress.message)
                .await
        }
        None => context.step(progress.message.unwrap_or_default()).await,
    }
}

/// The argument's value as its header repeats it; `None` when the header must be absent.
fn mirror(header: &MirroredHeader, arguments: View<'_>) -> Option<(String, String)> {
    let mut value = arguments;
    for name in header.path() {
        value = value.get(name)?;
    }
    let text = match header.value_type() {
        MirroredType::String => value.as_str()?.to_owned(),
        MirroredType::Boolean => value.as_bool()?.to_string(),
        MirroredType::Integer => value.as_number()?.to_integer_text(MAX_INTEGER_CHARS)?,
    };
    Some((header.suffix().to_owned(), text))
}

/// Most characters of a repeated integer: 17, those of -9007199254740991; servers refuse others.
const MAX_INTEGER_CHARS: usize = 17;
