//! The events of a call, one text after the other.

use futures_util::StreamExt;
use tokio::sync::Mutex;
use toolmesh::{
    mesh::{RpcStreamTyped, ToolEvent},
    tool::CancellationToken,
};

use crate::Fault;

/// The events of a call; the last is terminal. Dropping it cancels the call.
#[derive(Debug)]
pub struct Events {
    stream: Mutex<Option<RpcStreamTyped<ToolEvent>>>,
    token: CancellationToken,
}

impl Events {
    pub(crate) fn new(stream: RpcStreamTyped<ToolEvent>, token: CancellationToken) -> Self {
        Self {
            stream: Mutex::new(Some(stream)),
            token,
        }
    }

    /// The next event as JSON; `None` after the last. Readers at the same time take turns.
    ///
    /// # Errors
    /// When the host refuses the call; nothing follows then.
    pub async fn next(&self) -> Result<Option<String>, Fault> {
        let mut stream = self.stream.lock().await;
        let Some(events) = stream.as_mut() else {
            return Ok(None);
        };
        let Some(event) = events.next().await else {
            *stream = None;
            return Ok(None);
        };
        Ok(Some(event?.to_value().to_text()))
    }

    /// Cancels the call: its handler is told, and an error event `cancelled` is the last that comes, unless the last has
    /// come already.
    pub fn cancel(&self) {
        self.token.cancel();
    }
}
