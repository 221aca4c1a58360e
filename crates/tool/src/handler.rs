//! What a tool runs.

use std::{future::Future, marker::PhantomData};

use futures_util::{FutureExt, future::BoxFuture};
use toolmesh_json::Value;

use crate::{CallContext, Outcome};

/// What a tool runs, after its arguments passed the input schema.
///
/// Implemented by sources that have one handler type for many tools; a closure becomes a handler through the builder
/// (see [`crate::ToolInput::handler`]).
pub trait ToolHandler: Send + Sync + 'static {
    /// Runs one call. A panic is caught by the dispatcher and becomes that call's error.
    fn call<'a>(&'a self, context: CallContext, arguments: Value) -> BoxFuture<'a, Outcome>;
}

/// A closure over the validated arguments object as a handler.
pub struct OutcomeHandler<F, Fut> {
    run: F,
    future: PhantomData<fn() -> Fut>,
}

impl<F, Fut> OutcomeHandler<F, Fut>
where
    F: Fn(CallContext, Value) -> Fut + Send + Sync + 'static,
    Fut: Future + Send + 'static,
    Fut::Output: Into<Outcome>,
{
    /// Wraps `run`.
    pub fn new(run: F) -> Self {
        Self {
            run,
            future: PhantomData,
        }
    }
}

impl<F, Fut> ToolHandler for OutcomeHandler<F, Fut>
where
    F: Fn(CallContext, Value) -> Fut + Send + Sync + 'static,
    Fut: Future + Send + 'static,
    Fut::Output: Into<Outcome>,
{
    fn call<'a>(&'a self, context: CallContext, arguments: Value) -> BoxFuture<'a, Outcome> {
        (self.run)(context, arguments).map(Into::into).boxed()
    }
}
