//! What a handler knows about the call it serves.

use std::{
    borrow::Cow,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolmesh_json::Value;

use crate::{
    CallError, Caller, ClientCapabilities, Link, LogLevel, LogMessage, TaskControl, TaskId, ToolEvent,
    TraceParent, Transport,
    dispatcher::{TaskCreation, Watch},
};

/// What the front knows of the request, exactly as its protocol said it; informational except the capabilities. Its texts are
/// held so that a front hands them on without copying them for each call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrontInfo {
    /// The exact protocol method, such as `tools/call`; empty when the front has none.
    pub method: Cow<'static, str>,
    /// The request's id as the protocol spelled it.
    pub request_id: Option<Value>,
    /// The protocol revision.
    pub revision: Option<Cow<'static, str>>,
    /// The client's own word for its name; never an identity.
    pub client_name: Option<Arc<str>>,
    /// The client's own word for its version.
    pub client_version: Option<Arc<str>>,
    /// What the client declared that it can do.
    pub capabilities: ClientCapabilities,
    /// The request's `_meta`, an object.
    pub meta: Option<Value>,
    /// The connection or session that the request came on, by a number that the front gave it: requests of one number are
    /// of one client. `None` where requests stand alone.
    pub session: Option<u64>,
}

/// Everything a handler may know of its call. Cheap to clone; clones share cancellation and progress.
#[derive(Debug, Clone)]
pub struct CallContext {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    call: CallContextBuilder,
    /// Bits of the last reported percentage, so that progress strictly increases; none where nobody reads it.
    reported: Option<Arc<AtomicU64>>,
}

/// Makes a [`CallContext`]; the dispatcher does this for every call, a test may do it by hand.
#[derive(Debug, Clone)]
pub struct CallContextBuilder {
    pub(crate) caller: Caller,
    pub(crate) cancellation: CancellationToken,
    pub(crate) deadline: Option<Instant>,
    pub(crate) events: Option<mpsc::Sender<ToolEvent>>,
    pub(crate) link: Link,
    pub(crate) watch: Watch,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) front: FrontInfo,
    pub(crate) raw_arguments: Value,
    pub(crate) input_responses: Option<Value>,
    pub(crate) state: Option<String>,
    pub(crate) idempotency_key: String,
    pub(crate) task: Option<TaskControl>,
    pub(crate) task_creation: Option<TaskCreation>,
}

impl CallContext {
    /// A context for `caller` with nothing else known.
    #[must_use]
    pub fn builder(caller: Caller) -> CallContextBuilder {
        CallContextBuilder {
            caller,
            cancellation: CancellationToken::new(),
            deadline: None,
            events: None,
            link: Link::default(),
            watch: Watch::default(),
            headers: Vec::new(),
            front: FrontInfo::default(),
            raw_arguments: Value::object().build(),
            input_responses: None,
            state: None,
            idempotency_key: String::new(),
            task: None,
            task_creation: None,
        }
    }

    /// A context of an anonymous in-process caller.
    #[must_use]
    pub fn in_process() -> Self {
        Self::builder(Caller::anonymous(Transport::InProcess)).build()
    }

    /// Who asks.
    #[must_use]
    pub fn caller(&self) -> &Caller {
        &self.inner.call.caller
    }

    /// Fires when the caller gave up or the deadline passed; a handler that waits should watch it.
    #[must_use]
    pub fn cancellation(&self) -> &CancellationToken {
        &self.inner.call.cancellation
    }

    /// When the call must be over.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.inner.call.deadline
    }

    /// Reports progress in percent (0 to 100) with an optional text. Progress strictly increases: a report that does
    /// not is dropped. Waits while the reader of events is behind; returns at once when nobody reads.
    pub async fn progress(&self, percent: f64, message: Option<String>) {
        if !percent.is_finite() || !self.advance(percent.clamp(0.0, 100.0)) {
            return;
        }
        self.emit(ToolEvent::Progress {
            pct: Some(percent.clamp(0.0, 100.0)),
            message,
        })
        .await;
    }

    /// Reports that the work goes on, without a measure, with a text. Waits as [`CallContext::progress`] does.
    pub async fn step(&self, message: impl Into<String>) {
        let message = Some(message.into());
        self.emit(ToolEvent::Progress { pct: None, message }).await;
    }

    /// Hands on a piece of partial output. Waits while the reader of events is behind.
    pub async fn delta(&self, data: impl Into<Value>) {
        self.emit(ToolEvent::Delta { data: data.into() }).await;
    }

    /// Hands on an event that the handler made itself: a further start with metadata of its own, for instance. Progress
    /// strictly increases here too: a percentage that does not is left out of its event. A terminal event does not pass:
    /// the end is the outcome's to tell. Waits as [`CallContext::progress`] does.
    pub async fn event(&self, event: ToolEvent) {
        let event = match event {
            ToolEvent::Progress {
                pct: Some(pct),
                message,
            } => {
                let percent = pct.clamp(0.0, 100.0);
                let rises = pct.is_finite() && self.advance(percent);
                ToolEvent::Progress {
                    pct: rises.then_some(percent),
                    message,
                }
            }
            event => event,
        };
        if !event.is_terminal() {
            self.emit(event).await;
        }
    }

    /// Whether anybody reads the events of this call.
    #[must_use]
    pub fn is_streamed(&self) -> bool {
        self.inner
            .call
            .events
            .as_ref()
            .is_some_and(|events| !events.is_closed())
    }

    /// Whether the client wants log messages of this level; asking saves making those that nobody reads.
    #[must_use]
    pub fn wants_log(&self, level: LogLevel) -> bool {
        self.inner.call.link.wants(level)
    }

    /// Logs something to the client, if it wants messages of this level. Waits while the client is behind.
    pub async fn log(&self, level: LogLevel, data: impl Into<Value>) {
        self.log_as(None, level, data).await;
    }

    /// As [`CallContext::log`], under a name of the handler's own.
    pub async fn log_as(&self, logger: Option<&str>, level: LogLevel, data: impl Into<Value>) {
        if self.wants_log(level) {
            let (logger, data) = (logger.map(str::to_owned), data.into());
            self.inner.call.link.log(LogMessage { level, logger, data }).await;
        }
    }

    /// Tells the front that the rest will take long: where its protocol lets a client come back for the answer, it lets
    /// go of the connection. Elsewhere nothing happens.
    pub fn release_connection(&self) {
        self.inner.call.link.release();
    }

    /// Who observes the call.
    pub(crate) fn watch(&self) -> &Watch {
        &self.inner.call.watch
    }

    /// The trace that the call belongs to, as whoever called tells it: of its headers, else of its `_meta`.
    #[must_use]
    pub fn trace_parent(&self) -> Option<TraceParent> {
        TraceParent::of(self.front(), self.headers())
    }

    /// Headers that came with the call (trace context, predicates), names in lower case.
    #[must_use]
    pub fn headers(&self) -> &[(String, String)] {
        &self.inner.call.headers
    }

    /// What the front knows of the request.
    #[must_use]
    pub fn front(&self) -> &FrontInfo {
        &self.inner.call.front
    }

    /// The arguments as they were submitted, before [`crate::Accept`] rewrote them.
    #[must_use]
    pub fn raw_arguments(&self) -> &Value {
        &self.inner.call.raw_arguments
    }

    /// The client's answers to an earlier [`crate::InputRequired`], an object by key.
    #[must_use]
    pub fn input_responses(&self) -> Option<&Value> {
        self.inner.call.input_responses.as_ref()
    }

    /// The verified state of an earlier [`crate::InputRequired`].
    #[must_use]
    pub fn state(&self) -> Option<&str> {
        self.inner.call.state.as_deref()
    }

    /// The same for every retry of one logical call; empty when the caller gave none.
    #[must_use]
    pub fn idempotency_key(&self) -> &str {
        &self.inner.call.idempotency_key
    }

    /// The task that this is the work of; `None` in a call that waits for its answer.
    #[must_use]
    pub fn task(&self) -> Option<&TaskControl> {
        self.inner.call.task.as_ref()
    }

    /// Whether the call may go on in a task: the tool allows it ([`crate::TaskMode::Allowed`]), and the client knows
    /// tasks.
    #[must_use]
    pub fn can_create_task(&self) -> bool {
        self.inner.call.task_creation.is_some()
    }

    /// Goes on in a task: the tool's resume handler gets the arguments and `checkpoint`, here or on another server.
    /// The task is durable when this returns; the handler then ends with [`crate::Outcome::TaskCreated`].
    ///
    /// # Errors
    /// [`CallError::Internal`] when the call may not become a task, or the store fails; [`CallError::QueueFull`] when
    /// the store is full.
    pub async fn create_task(&self, checkpoint: Option<String>) -> Result<TaskId, CallError> {
        match &self.inner.call.task_creation {
            Some(creation) => creation.create(checkpoint).await,
            None => Err(CallError::Internal("the call may not become a task".to_owned())),
        }
    }

    /// The same call with the state that was verified.
    pub(crate) fn with_state(&self, state: Option<String>) -> Self {
        self.changed(|call| call.state = state)
    }

    /// The same call, which may become a task.
    pub(crate) fn with_task_creation(&self, creation: TaskCreation) -> Self {
        self.changed(|call| call.task_creation = Some(creation))
    }

    fn changed(&self, change: impl FnOnce(&mut CallContextBuilder)) -> Self {
        let mut call = self.inner.call.clone();
        change(&mut call);
        Self {
            inner: Arc::new(Inner {
                call,
                reported: self.inner.reported.clone(),
            }),
        }
    }

    async fn emit(&self, event: ToolEvent) {
        if let Some(events) = &self.inner.call.events {
            self.inner.call.watch.event(&event);
            // A reader that went away is no failure of the tool; cancellation tells the handler separately.
            let _ = events.send(event).await;
        }
    }

    fn advance(&self, percent: f64) -> bool {
        let Some(reported) = &self.inner.reported else {
            return false;
        };
        let rise = |bits| {
            let last = f64::from_bits(bits);
            (last.is_nan() || percent > last).then_some(percent.to_bits())
        };
        reported
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, rise)
            .is_ok()
    }
}

impl CallContextBuilder {
    /// Sets the token that cancels the call.
    #[must_use]
    pub fn cancellation(mut self, token: CancellationToken) -> Self {
        self.cancellation = token;
        self
    }

    /// Sets when the call must be over.
    #[must_use]
    pub fn deadline(mut self, deadline: Option<Instant>) -> Self {
        self.deadline = deadline;
        self
    }

    /// Sets where progress and deltas go.
    #[must_use]
    pub fn events(mut self, events: Option<mpsc::Sender<ToolEvent>>) -> Self {
        self.events = events;
        self
    }

    /// Sets the way back to the client.
    #[must_use]
    pub fn link(mut self, link: Link) -> Self {
        self.link = link;
        self
    }

    /// Sets who observes the events.
    #[must_use]
    pub(crate) fn watch(mut self, watch: Watch) -> Self {
        self.watch = watch;
        self
    }

    /// Sets the headers; names in lower case.
    #[must_use]
    pub fn headers(mut self, headers: Vec<(String, String)>) -> Self {
        self.headers = headers;
        self
    }

    /// Sets what the front knows.
    #[must_use]
    pub fn front(mut self, front: FrontInfo) -> Self {
        self.front = front;
        self
    }

    /// Sets the submitted arguments.
    #[must_use]
    pub fn raw_arguments(mut self, arguments: Value) -> Self {
        self.raw_arguments = arguments;
        self
    }

    /// Sets the client's answers to an earlier request for input.
    #[must_use]
    pub fn input_responses(mut self, responses: Option<Value>) -> Self {
        self.input_responses = responses;
        self
    }

    /// Sets the verified state of an earlier request for input.
    #[must_use]
    pub fn state(mut self, state: Option<String>) -> Self {
        self.state = state;
        self
    }

    /// Sets the idempotency key.
    #[must_use]
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.idempotency_key = key.into();
        self
    }

    /// Sets the task that this is the work of.
    #[must_use]
    pub(crate) fn task(mut self, task: TaskControl) -> Self {
        self.task = Some(task);
        self
    }

    /// The context.
    #[must_use]
    pub fn build(self) -> CallContext {
        let unmeasured = || Arc::new(AtomicU64::new(f64::NAN.to_bits()));
        let reported = self.events.is_some().then(unmeasured);
        CallContext {
            inner: Arc::new(Inner { call: self, reported }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn progress_strictly_increases_and_stays_within_a_hundred() {
        let (sender, mut receiver) = mpsc::channel(8);
        let context = CallContext::builder(Caller::anonymous(Transport::InProcess))
            .events(Some(sender))
            .build();
        for percent in [0.0, 50.0, 50.0, 40.0, f64::NAN, 250.0] {
            context.progress(percent, None).await;
        }
        drop(context);
        let mut seen = Vec::new();
        while let Some(ToolEvent::Progress { pct: Some(pct), .. }) = receiver.recv().await {
            seen.push(pct);
        }
        assert_eq!(seen, [0.0, 50.0, 100.0]);
    }

    #[tokio::test]
    async fn an_event_of_the_handlers_own_passes_unless_it_would_end_the_stream() {
        let (sender, mut receiver) = mpsc::channel(8);
        let context = CallContext::builder(Caller::anonymous(Transport::InProcess))
            .events(Some(sender))
            .build();
        let progress = |pct| ToolEvent::Progress {
            pct,
            message: Some("m".into()),
        };
        context.event(progress(Some(50.0))).await;
        context.event(progress(Some(40.0))).await;
        context.event(ToolEvent::Result { data: Value::null() }).await;
        drop(context);
        assert_eq!(receiver.recv().await, Some(progress(Some(50.0))));
        assert_eq!(receiver.recv().await, Some(progress(None)));
        assert_eq!(receiver.recv().await, None);
    }

    #[tokio::test]
    async fn a_call_that_nobody_streams_reports_into_nothing() {
        let context = CallContext::in_process();
        assert!(!context.is_streamed());
        context.delta("x").await;
    }
}
