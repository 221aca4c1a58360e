//! A call whose events are read while it runs.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use futures_core::Stream;
use futures_util::{FutureExt, StreamExt, future::BoxFuture};
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};
use toolmesh_json::Value;

use super::{
    Shared,
    request::{CallParts, Cancelling},
};
use crate::{CallError, Outcome, TOOL_ERROR, ToolEvent, ToolResult};

/// Events that wait for a slow reader; a handler that has more to say waits with them.
const EVENT_QUEUE: usize = 256;

/// One item of a running call.
#[derive(Debug)]
pub enum CallItem {
    /// Something happened; never a terminal event.
    Event(ToolEvent),
    /// The call ended; the last item.
    Ended(Outcome),
}

/// A call whose events are read while it runs: any number of [`CallItem::Event`], then one [`CallItem::Ended`].
/// It runs only while it is polled; dropping it before its end cancels the call.
pub struct CallStream {
    work: Option<BoxFuture<'static, Outcome>>,
    ended: Option<Outcome>,
    events: mpsc::Receiver<ToolEvent>,
    cancellation: CancellationToken,
    /// `None` when the call is over: it was not given up then.
    cancel_on_drop: Option<DropGuard>,
}

impl CallStream {
    pub(super) fn new(shared: Arc<Shared>, mut request: Box<CallParts>) -> Self {
        let (sender, events) = mpsc::channel(EVENT_QUEUE);
        let cancellation = request.token();
        request.cancelling = Cancelling::Own(cancellation.clone());
        let work = async move { shared.run(request, Some(sender)).await }.boxed();
        Self {
            work: Some(work),
            ended: None,
            events,
            cancel_on_drop: Some(cancellation.clone().drop_guard()),
            cancellation,
        }
    }

    /// Cancels the call; its end is still to be read.
    pub fn cancel(&self) {
        self.cancellation.cancel();
    }

    /// The call as events alone, ending in exactly one terminal event.
    pub fn into_events(self) -> impl Stream<Item = ToolEvent> + Send {
        self.map(|item| match item {
            CallItem::Event(event) => event,
            CallItem::Ended(outcome) => terminal_event(outcome),
        })
    }
}

impl Stream for CallStream {
    type Item = CallItem;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<CallItem>> {
        let this = &mut *self;
        // What is queued goes first: a handler that has much to say is asked for more when the queue is empty, and not once
        // an event.
        if let Ok(event) = this.events.try_recv() {
            return Poll::Ready(Some(CallItem::Event(event)));
        }
        if let Some(work) = &mut this.work
            && let Poll::Ready(outcome) = work.poll_unpin(context)
        {
            this.work = None;
            this.ended = Some(outcome);
            drop(this.cancel_on_drop.take().map(DropGuard::disarm));
            // What a handler left running elsewhere must not add events after the end.
            this.events.close();
        }
        match this.events.poll_recv(context) {
            Poll::Ready(Some(event)) => Poll::Ready(Some(CallItem::Event(event))),
            // The queue is drained: only now may the end be told. `Pending` is no end even when the work is done,
            // because the runtime also answers it when this task had its share of turns.
            Poll::Ready(None) if this.work.is_none() => Poll::Ready(this.ended.take().map(CallItem::Ended)),
            _ => Poll::Pending,
        }
    }
}

impl std::fmt::Debug for CallStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallStream")
            .field("running", &self.work.is_some())
            .finish_non_exhaustive()
    }
}

impl From<Outcome> for ToolEvent {
    /// The terminal event that tells of an outcome.
    fn from(outcome: Outcome) -> Self {
        terminal_event(outcome)
    }
}

impl From<&CallError> for ToolEvent {
    /// The terminal event that tells of a failure.
    fn from(error: &CallError) -> Self {
        error_event(error)
    }
}

fn terminal_event(outcome: Outcome) -> ToolEvent {
    match outcome {
        Outcome::Completed(result) if result.is_error => ToolEvent::Error {
            code: TOOL_ERROR.to_owned(),
            message: result.joined_text(),
            details: result.structured,
        },
        Outcome::Completed(result) => ToolEvent::Result {
            data: payload(result),
        },
        Outcome::TaskCreated(id) => ToolEvent::Result {
            data: Value::object().put("task_id", id.as_str()).build(),
        },
        // A stream of events has no way to ask.
        Outcome::InputRequired(_) => error_event(&CallError::InputUnavailable),
        Outcome::Failed(error) => error_event(&error),
    }
}

fn error_event(error: &CallError) -> ToolEvent {
    ToolEvent::Error {
        code: error.code().to_owned(),
        message: error.public_text(),
        details: None,
    }
}

/// The structured content, or the text when there is none.
fn payload(result: ToolResult) -> Value {
    match result.structured {
        Some(structured) => structured,
        None => Value::from(result.joined_text()),
    }
}
