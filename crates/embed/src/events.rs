//! The events of a call, one text after the other.

use futures_util::{FutureExt, StreamExt};
use tokio::sync::Mutex;
use toolmesh::{
    mesh::{RpcError, RpcStreamTyped, ToolEvent},
    tool::CancellationToken,
};

use crate::Fault;

/// The events of a call; the last is terminal. Dropping it cancels the call.
#[derive(Debug)]
pub struct Events {
    reading: Mutex<Reading>,
    token: CancellationToken,
}

#[derive(Debug)]
struct Reading {
    stream: Option<RpcStreamTyped<ToolEvent>>,
    /// What came when the call was cancelled, until it is read.
    held: Option<Result<ToolEvent, RpcError>>,
}

impl Events {
    pub(crate) fn new(stream: RpcStreamTyped<ToolEvent>, token: CancellationToken) -> Self {
        let reading = Reading {
            stream: Some(stream),
            held: None,
        };
        Self {
            reading: Mutex::new(reading),
            token,
        }
    }

    /// The next event as JSON; `None` after the last. Readers at the same time take turns.
    ///
    /// # Errors
    /// When the host refuses the call; nothing follows then.
    pub async fn next(&self) -> Result<Option<String>, Fault> {
        let event = self.reading.lock().await.next().await;
        Ok(event.transpose()?.map(|event| event.to_value().to_text()))
    }

    /// Cancels the call: its handler is told, and an error event `cancelled` is the last that comes, unless the last has
    /// come already.
    pub fn cancel(&self) {
        self.token.cancel();
        // A stream tells its host when it is read, and who cancels may never read again. Whoever reads now is woken.
        if let Ok(mut reading) = self.reading.try_lock()
            && reading.held.is_none()
            && let Some(event) = reading.next().now_or_never()
        {
            reading.held = event;
        }
    }
}

impl Reading {
    async fn next(&mut self) -> Option<Result<ToolEvent, RpcError>> {
        if let Some(held) = self.held.take() {
            return Some(held);
        }
        let event = self.stream.as_mut()?.next().await;
        if event.is_none() {
            self.stream = None;
        }
        event
    }
}
