//! One turn of a request: it goes to the server, and comes back with the end or with a question for the caller.
//!
//! A server of the 2026 revision asks by its result, and is asked anew with the answer. One of the 2025 revisions asks while
//! the request is under way; that waits parked until the caller comes back.

use toolmesh_json::{Value, View};
use toolmesh_tool::{CallContext, CallError, InputRequest, InputRequired, check_form};

use super::{
    calling::{Asked, Calling, Note, Progress, Step},
    error::ClientError,
    link::Outgoing,
    parking::Returned,
    read::asked,
    shared::Shared,
};

/// The key of the one question that a 2025 server asks at a time.
const QUESTION: &str = "question";

/// How a turn ends.
pub(super) enum Turn {
    /// With what the server answered in the end.
    Ended(Result<Value, ClientError>),
    /// With a question.
    Asked(InputRequired),
}

impl Shared {
    /// Begins the request, or goes on with the one that the caller comes back for, until it ends or asks.
    ///
    /// # Errors
    /// [`CallError::RefusedState`] when what the caller comes back for is over, and what a connection fails with.
    pub(super) async fn turn(&self, context: &CallContext, request: Outgoing) -> Result<Turn, CallError> {
        let calling = match context.state().map(Returned::read) {
            Some(Some(Returned::Ticket(ticket))) => self.resume(context, ticket)?,
            Some(Some(Returned::Foreign(state))) => self.begin(context, request, Some(state)).await?,
            // The dispatcher sealed it, so it was ours: one of an earlier version.
            Some(None) => return Err(CallError::RefusedState),
            None => self.begin(context, request, None).await?,
        };
        self.attend(context, calling).await
    }

    async fn begin(
        &self,
        context: &CallContext,
        mut request: Outgoing,
        state: Option<&str>,
    ) -> Result<Calling, CallError> {
        request.params = request
            .params
            .put_opt("inputResponses", context.input_responses().cloned())
            .put_opt("requestState", state);
        let peer = self.peer().map_err(ClientError::into_call_error)?;
        let begun = peer.begin(request, context).await;
        begun.map_err(ClientError::into_call_error)
    }

    /// Goes on with the call that waited for an answer.
    fn resume(&self, context: &CallContext, ticket: &str) -> Result<Calling, CallError> {
        let answer = context
            .input_responses()
            .and_then(|answers| answers.get(QUESTION));
        let answer = answer.map(View::to_value).ok_or(CallError::RefusedState)?;
        self.parking.resume(ticket, answer).ok_or(CallError::RefusedState)
    }

    async fn attend(&self, context: &CallContext, mut calling: Calling) -> Result<Turn, CallError> {
        loop {
            match calling.next().await {
                Step::Note(Note::Progress(progress)) => report(context, progress).await,
                Step::Note(Note::Asked(asked)) if can_answer(context, asked.request()) => {
                    return self.park(context, calling, asked).map(Turn::Asked);
                }
                // A question that is dropped is refused.
                Step::Note(Note::Asked(_) | Note::Acknowledged(_)) => {}
                Step::Ended(ended) => return ended_turn(ended),
            }
        }
    }

    /// Parks the call and asks its caller.
    fn park(
        &self,
        context: &CallContext,
        calling: Calling,
        asked: Asked,
    ) -> Result<InputRequired, CallError> {
        let request = asked.request().clone();
        let parked = self.parking.park(calling, asked, context.cancellation().clone());
        let ticket = parked.ok_or(CallError::QueueFull)?;
        Ok(InputRequired::one(QUESTION, request).with_state(ticket))
    }
}

fn ended_turn(ended: Result<Value, ClientError>) -> Result<Turn, CallError> {
    Ok(match ended {
        Ok(result) => match asked(&result).map_err(ClientError::into_call_error)? {
            Some(input) => Turn::Asked(input),
            None => Turn::Ended(Ok(result)),
        },
        Err(error) => Turn::Ended(Err(error)),
    })
}

/// Whether the caller can be asked this: his client can, and a form is one.
fn can_answer(context: &CallContext, request: &InputRequest) -> bool {
    if let InputRequest::Elicitation { schema, .. } = request
        && let Err(error) = check_form(schema.view())
    {
        tracing::warn!(%error, "an upstream server asks with a form that is none");
        return false;
    }
    context.front().capabilities.has(&request.capability())
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
