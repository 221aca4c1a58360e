//! A call on its way through a handler of the program.

use std::{
    sync::{Mutex, PoisonError},
    time::Instant,
};

use tokio_util::sync::{CancellationToken, DropGuard};
use toolmesh::{
    json::{Limits, Value},
    tool::{CallContext, ToolEvent, Transport},
};

use crate::{Fault, FaultKind, HandlerFailure, handler::Sent, runtime, text::parse_with};

/// The code of the error event of a handler that says none.
const HANDLER_ERROR: &str = "handler_error";

/// A call that a handler has begun. It may be used from several threads at once; what comes after its end is refused.
pub struct Call {
    context: CallContext,
    arguments: String,
    events: Mutex<Option<Sent>>,
}

impl Call {
    pub(crate) fn new(context: CallContext, arguments: &Value, events: Sent) -> Self {
        Self {
            context,
            arguments: arguments.to_text(),
            events: Mutex::new(Some(events)),
        }
    }

    /// The arguments as JSON; they passed the tool's input schema.
    #[must_use]
    pub fn arguments(&self) -> &str {
        &self.arguments
    }

    /// Who asks, as JSON: `{"identity": text or null, "transport": "mesh" | "http" | "stdio" | "command_line" |
    /// "in_process", "on_behalf_of": [text]}`.
    #[must_use]
    pub fn caller(&self) -> String {
        let caller = self.context.caller();
        let identity = caller.identity.as_deref().map_or(Value::null(), Value::from);
        let gateways = caller.on_behalf_of.iter().map(|name| Value::from(name.as_str()));
        Value::object()
            .put("identity", identity)
            .put("transport", transport(caller.transport))
            .put("on_behalf_of", gateways.collect::<Value>())
            .build()
            .to_text()
    }

    /// How many milliseconds are left, when the call has a deadline; 0 when it has passed.
    #[must_use]
    pub fn deadline_ms(&self) -> Option<u64> {
        let deadline = self.context.deadline()?;
        let left = deadline.saturating_duration_since(Instant::now());
        Some(u64::try_from(left.as_millis()).unwrap_or(u64::MAX))
    }

    /// The headers that came with the call, names in lower case.
    #[must_use]
    pub fn headers(&self) -> &[(String, String)] {
        self.context.headers()
    }

    /// The key by which tries of one logical call know each other.
    #[must_use]
    pub fn idempotency_key(&self) -> &str {
        self.context.idempotency_key()
    }

    /// Whether the caller has given up, or the deadline has passed.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.context.cancellation().is_cancelled()
    }

    /// Ends when the caller gives up, or the deadline passes.
    pub fn cancelled(&self) -> impl Future<Output = ()> + Send + use<> {
        self.context.cancellation().clone().cancelled_owned()
    }

    /// Runs `told` once when the caller gives up or the deadline passes, on a thread of [`runtime`]; not if the watch is
    /// dropped before.
    ///
    /// # Errors
    /// As [`runtime`].
    pub fn on_cancel(&self, told: impl FnOnce() + Send + 'static) -> Result<CancelWatch, Fault> {
        let (watch, cancelled) = (CancellationToken::new(), self.cancelled());
        let dropped = watch.clone();
        runtime()?.spawn(async move {
            tokio::select! {
                biased;
                () = dropped.cancelled() => {}
                () = cancelled => told(),
            }
        });
        Ok(CancelWatch {
            _watch: watch.drop_guard(),
        })
    }

    /// Whether anything can be sent still.
    ///
    /// # Errors
    /// [`FaultKind::Closed`] when the call is over or its reader is gone.
    pub fn check_open(&self) -> Result<(), Fault> {
        if self.sender(false)?.is_closed() {
            return Err(over());
        }
        Ok(())
    }

    /// Sends an event, `progress` or `delta` for instance, as the JSON that other programs of the mesh know. It waits while
    /// the reader is behind. A terminal event ends the call.
    ///
    /// # Errors
    /// [`FaultKind::Json`] when it is no event; [`FaultKind::Closed`] when the call is over or its reader is gone.
    pub async fn event(&self, event: &str) -> Result<(), Fault> {
        let value = parse_with(event, &Limits::answer(), "the event is no JSON")?;
        let event = ToolEvent::from_value(value.view())
            .map_err(|reason| Fault::json("this is no tool event", &reason))?;
        let events = self.sender(event.is_terminal())?;
        events.send(event).await.map_err(|_| over())
    }

    /// Ends the call with a result, as JSON. It is checked against the tool's output schema behind this.
    ///
    /// # Errors
    /// [`FaultKind::Json`] when it is no JSON: the call goes on then; [`FaultKind::Closed`] when the call is over.
    pub async fn finish(&self, result: &str) -> Result<(), Fault> {
        let data = parse_with(result, &Limits::answer(), "the handler's result is no JSON")?;
        let events = self.sender(true)?;
        events.send(ToolEvent::Result { data }).await.map_err(|_| over())
    }

    /// Ends the call with a failure.
    ///
    /// # Errors
    /// [`FaultKind::Closed`] when the call is over.
    pub async fn fail(&self, failure: HandlerFailure) -> Result<(), Fault> {
        let events = self.sender(true)?;
        let error = ToolEvent::Error {
            code: failure.code.unwrap_or_else(|| HANDLER_ERROR.to_owned()),
            message: failure.message,
            details: None,
        };
        events.send(error).await.map_err(|_| over())
    }

    /// Lets the call go, as dropping it does, for languages that drop things when they like: a call that is not over fails
    /// then, and a stream gets the error event of every stream that ends without one.
    pub fn release(&self) {
        // There is nothing to tell whoever has ended the call already.
        drop(self.sender(true));
    }

    /// Where events go; with `last`, for the last time.
    fn sender(&self, last: bool) -> Result<Sent, Fault> {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = if last { events.take() } else { events.clone() };
        sender.ok_or_else(over)
    }
}

impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Arguments are the caller's.
        f.debug_struct("Call").finish_non_exhaustive()
    }
}

/// A watch on the end of a call; see [`Call::on_cancel`].
#[derive(Debug)]
#[must_use = "dropping the watch ends it"]
pub struct CancelWatch {
    _watch: DropGuard,
}

fn over() -> Fault {
    Fault::new(FaultKind::Closed, "the call is over")
}

fn transport(transport: Transport) -> &'static str {
    match transport {
        Transport::Stdio => "stdio",
        Transport::Http => "http",
        Transport::Mesh => "mesh",
        Transport::CommandLine => "command_line",
        _ => "in_process",
    }
}
