//! Binds arguments and runs a closure, whichever door the type came by.

use std::{future::Future, marker::PhantomData};

use futures_util::{FutureExt, future::BoxFuture};
use serde::de::DeserializeOwned;
use toolmesh_json::Value;

use super::{ToolType, TypedArguments, bind};
use crate::{CallContext, Outcome, ToolHandler, dispatcher::arguments_mismatch};

/// How validated arguments become a Rust value; `None` when they do not fit after all.
pub(super) type Binder<A> = fn(&Value) -> Option<A>;

/// The binder of the closed family.
pub(super) fn closed<A: ToolType>(arguments: &Value) -> Option<A> {
    bind(arguments.view())
        .inspect_err(
            |refusal| tracing::debug!(%refusal, "arguments passed the schema and do not fit the type"),
        )
        .ok()
}

/// The binder of the open door.
pub(super) fn open<A: DeserializeOwned>(arguments: &Value) -> Option<A> {
    arguments
        .deserialize()
        .inspect_err(
            |refusal| tracing::debug!(%refusal, "arguments passed the schema and do not fit the type"),
        )
        .ok()
}

/// Binds arguments to a type and runs a closure.
pub(super) struct TypedHandler<A, F, Fut> {
    binder: Binder<A>,
    run: F,
    future: PhantomData<fn() -> Fut>,
}

impl<A, F, Fut> TypedHandler<A, F, Fut> {
    pub(super) fn new(binder: Binder<A>, run: F) -> Self {
        Self {
            binder,
            run,
            future: PhantomData,
        }
    }
}

impl<A, F, Fut> ToolHandler for TypedHandler<A, F, Fut>
where
    A: Send + 'static,
    F: Fn(CallContext, TypedArguments<A>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Outcome> + Send + 'static,
{
    fn call<'a>(&'a self, context: CallContext, arguments: Value) -> BoxFuture<'a, Outcome> {
        match (self.binder)(&arguments) {
            Some(converted) => (self.run)(
                context,
                TypedArguments {
                    converted,
                    raw: arguments,
                },
            )
            .boxed(),
            // The schema let it pass and the type does not: for the caller both are one and the same refusal.
            None => std::future::ready(Outcome::Failed(arguments_mismatch(None))).boxed(),
        }
    }
}
