//! How a tool goes on with a task whose worker died.

use std::{future::Future, marker::PhantomData};

use futures_util::{FutureExt, future::BoxFuture};
use toolmesh_json::Value;

use crate::{CallContext, Outcome};

/// What is known of a task that goes on.
#[derive(Debug, Clone, PartialEq)]
pub struct Resumption {
    /// The validated arguments of the call.
    pub arguments: Value,
    /// The last checkpoint; `None` when there was none.
    pub checkpoint: Option<String>,
}

/// Goes on with a task: after its worker died, or from where the call that created it left off. What was done since
/// the checkpoint may be done again: between a checkpoint and the work after it, a worker can die unseen.
pub trait ResumeHandler: Send + Sync + 'static {
    /// Goes on; [`CallContext::task`] is there.
    fn resume<'a>(&'a self, context: CallContext, resumption: Resumption) -> BoxFuture<'a, Outcome>;
}

/// A closure as a [`ResumeHandler`].
pub(crate) struct ResumeClosure<F, Fut> {
    run: F,
    future: PhantomData<fn() -> Fut>,
}

impl<F, Fut> ResumeClosure<F, Fut> {
    pub(crate) fn new(run: F) -> Self {
        Self {
            run,
            future: PhantomData,
        }
    }
}

impl<F, Fut> ResumeHandler for ResumeClosure<F, Fut>
where
    F: Fn(CallContext, Resumption) -> Fut + Send + Sync + 'static,
    Fut: Future + Send + 'static,
    Fut::Output: Into<Outcome>,
{
    fn resume<'a>(&'a self, context: CallContext, resumption: Resumption) -> BoxFuture<'a, Outcome> {
        (self.run)(context, resumption).map(Into::into).boxed()
    }
}
