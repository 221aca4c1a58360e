//! What a program serves: handlers that are begun, and finish when they like.

use std::sync::Arc;

use futures_util::{Stream, stream};
use tokio::sync::mpsc;
use toolmesh::{
    json::Value,
    tool::{CallContext, ToolEvent},
};

use crate::Call;

/// What the caller of a unary tool reads when its handler lets the call go. A stream gets the error event of every stream
/// that ends without one.
const GONE: &str = "the tool's handler ended without an answer";

/// A tool of the program.
pub trait Handler: Send + Sync + 'static {
    /// Begins a call, and returns at once: the work goes on in the program's own way, and ends with [`Call::finish`] or
    /// [`Call::fail`] from whatever thread. A call that is let go without either fails.
    fn begin(&self, call: Call);
}

impl<F: Fn(Call) + Send + Sync + 'static> Handler for F {
    fn begin(&self, call: Call) {
        self(call);
    }
}

/// Why a handler has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandlerFailure {
    /// For programs: the `code` of the error event of a streaming tool. A unary call tells only the message.
    pub code: Option<String>,
    /// For the caller to read.
    pub message: String,
}

impl HandlerFailure {
    /// A failure with a text alone.
    #[must_use]
    pub fn text(message: impl Into<String>) -> Self {
        Self {
            code: None,
            message: message.into(),
        }
    }
}

/// What a call sends while it runs; the last is `Result` or `Error`.
pub(crate) type Sent = mpsc::Sender<ToolEvent>;

/// One event is under way at a time: a handler that sends faster than its reader reads waits.
const AHEAD: usize = 1;

/// Runs a call to its end; events on the way are the caller's progress.
pub(crate) async fn unary(
    handler: Arc<dyn Handler>,
    context: CallContext,
    arguments: Value,
) -> Result<Value, String> {
    let mut events = begin(&*handler, context.clone(), &arguments);
    while let Some(event) = events.recv().await {
        match event {
            ToolEvent::Result { data } => return Ok(data),
            ToolEvent::Error { message, .. } => return Err(message),
            event => context.event(event).await,
        }
    }
    Err(GONE.to_owned())
}

/// Runs a call as the stream of its events.
pub(crate) fn streaming(
    handler: &dyn Handler,
    context: CallContext,
    arguments: &Value,
) -> impl Stream<Item = ToolEvent> + use<> {
    let events = begin(handler, context, arguments);
    stream::unfold(events, |mut events| async {
        events.recv().await.map(|event| (event, events))
    })
}

fn begin(handler: &dyn Handler, context: CallContext, arguments: &Value) -> mpsc::Receiver<ToolEvent> {
    let (sender, events) = mpsc::channel(AHEAD);
    handler.begin(Call::new(context, arguments, sender));
    events
}
