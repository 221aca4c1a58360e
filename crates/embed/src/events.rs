//! The events of a call, one text after the other.

use std::sync::Arc;

use futures_util::{StreamExt, stream::BoxStream};
use toolmesh::{
    mesh::{RpcError, RpcStreamTyped, ToolEvent},
    tool::CancellationToken,
};

use crate::{Fault, asked::Asked, reading::Reading};

/// The events of a call; the last is terminal. Dropping it cancels the call.
#[derive(Debug)]
pub struct Events {
    reading: Reading<BoxStream<'static, Result<String, Fault>>>,
    token: CancellationToken,
}

impl Events {
    pub(crate) fn new(stream: RpcStreamTyped<ToolEvent>, asked: Asked, token: CancellationToken) -> Self {
        let asked = Arc::new(asked);
        let told = stream.then(move |event| told(Arc::clone(&asked), event));
        Self {
            reading: Reading::new(told.boxed()),
            token,
        }
    }

    /// The next event as JSON; `None` after the last. Readers at the same time take turns.
    ///
    /// # Errors
    /// When the host refuses the call; nothing follows then.
    pub async fn next(&self) -> Result<Option<String>, Fault> {
        self.reading.next().await.transpose()
    }

    /// Ends when there is something for [`Events::take`]. Whoever stops waiting loses nothing, also where the end of the wait
    /// and the event cross on their way.
    pub async fn ready(&self) {
        self.reading.ready().await;
    }

    /// What [`Events::next`] gives, when it is there: without waiting.
    pub fn take(&self) -> Option<Result<Option<String>, Fault>> {
        self.reading.take().map(Option::transpose)
    }

    /// Cancels the call: its handler is told, and an error event `cancelled` is the last that comes, unless the last has
    /// come already.
    pub fn cancel(&self) {
        self.token.cancel();
        // A stream tells its host when it is read, and who cancels may never read again. Whoever reads now is woken.
        self.reading.nudge();
    }
}

async fn told(asked: Arc<Asked>, event: Result<ToolEvent, RpcError>) -> Result<String, Fault> {
    match event {
        Ok(event) => Ok(asked.event(event).await.to_value().to_text()),
        Err(error) => Err(asked.fault(error).await),
    }
}
