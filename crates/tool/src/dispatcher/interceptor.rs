//! Step 7: the embedding program's own step around the rest of a call.

use futures_util::future::BoxFuture;

use crate::{CallContext, CatalogueTool, Outcome};

/// Wraps the rest of a tool call: it may look, refuse, or run something before and after. It sees the call before the
/// arguments were checked. Without one, the call goes straight on.
pub trait Interceptor: Send + Sync + 'static {
    /// Handles the call, usually by [`Next::run`].
    fn intercept<'a>(
        &'a self,
        context: &'a CallContext,
        tool: &'a CatalogueTool,
        next: Next<'a>,
    ) -> BoxFuture<'a, Outcome>;
}

/// The rest of a call; usable once.
pub struct Next<'a> {
    rest: BoxFuture<'a, Outcome>,
}

impl<'a> Next<'a> {
    pub(super) fn new(rest: BoxFuture<'a, Outcome>) -> Self {
        Self { rest }
    }

    /// Goes on with the call.
    pub async fn run(self) -> Outcome {
        self.rest.await
    }
}

impl std::fmt::Debug for Next<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Next")
    }
}
