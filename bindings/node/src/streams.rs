//! Events of a call, and changes of the list of tools.

use std::sync::Arc;

use napi_derive::napi;
use tokio::sync::OnceCell;
use toolmesh_embed::{CallOptions, CancellationToken, Fault};

use crate::telling::{Pending, Told, ToldIfRunning, start};

/// The events of a call, which is opened when its first event is asked for.
#[napi]
pub struct Events(Arc<Opening>);

struct Opening {
    node: Arc<toolmesh_embed::Node>,
    tool: String,
    arguments: String,
    options: CallOptions,
    token: CancellationToken,
    events: OnceCell<toolmesh_embed::Events>,
}

impl Events {
    pub(crate) fn of(
        node: &Arc<toolmesh_embed::Node>,
        tool: String,
        arguments: String,
        options: CallOptions,
    ) -> Self {
        Self(Arc::new(Opening {
            node: Arc::clone(node),
            tool,
            arguments,
            options,
            token: CancellationToken::new(),
            events: OnceCell::new(),
        }))
    }
}

impl Opening {
    async fn opened(&self) -> Result<&toolmesh_embed::Events, Fault> {
        let open = || {
            let token = self.token.clone();
            self.node
                .call_streaming(&self.tool, &self.arguments, &self.options, token)
        };
        self.events.get_or_try_init(open).await
    }
}

#[napi]
impl Events {
    /// Opens the call when it is not open yet.
    #[napi]
    pub fn open(&self, told: Told) -> napi::Result<Pending> {
        let opening = Arc::clone(&self.0);
        start(async move { opening.opened().await.map(|_| None) }, told)
    }

    /// The next event.
    #[napi]
    pub fn next(&self, told: Told) -> napi::Result<Pending> {
        let opening = Arc::clone(&self.0);
        start(async move { opening.opened().await?.next().await }, told)
    }

    /// Cancels the call.
    #[napi]
    pub fn cancel(&self) {
        match self.0.events.get() {
            Some(events) => events.cancel(),
            None => self.0.token.cancel(),
        }
    }
}

/// The changes of the list of tools.
#[napi]
pub struct Changes(Arc<toolmesh_embed::Changes>);

impl Changes {
    pub(crate) fn of(changes: toolmesh_embed::Changes) -> Self {
        Self(Arc::new(changes))
    }

    fn read(&self) -> impl Future<Output = Result<Option<String>, Fault>> + Send + use<> {
        let changes = Arc::clone(&self.0);
        async move { Ok(changes.next().await) }
    }
}

#[napi]
impl Changes {
    /// The next change.
    #[napi]
    pub fn next(&self, told: Told) -> napi::Result<Pending> {
        start(self.read(), told)
    }

    /// The next change, for which nobody waits.
    #[napi]
    pub fn next_in_background(&self, told: ToldIfRunning) -> napi::Result<Pending> {
        start(self.read(), told)
    }

    /// Ends the watch.
    #[napi]
    pub fn cancel(&self) {
        self.0.cancel();
    }
}
