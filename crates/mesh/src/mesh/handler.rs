//! Closures over Rust types as tool handlers.

use std::{future::Future, marker::PhantomData, pin::pin};

use futures_core::Stream;
use futures_util::{FutureExt, StreamExt};
use serde::{Serialize, de::DeserializeOwned};
use toolmesh_json::Value;
use toolmesh_tool::{
    BoxFuture, CallContext, CallError, HandlerError, Outcome, ToolEvent, ToolHandler, ToolResult,
};

use crate::{MISSING_TERMINAL, MISSING_TERMINAL_MESSAGE, host::CODE_META};

/// A closure from one value to one value. Its error is a text that the caller is to read.
pub(super) struct Unary<Req, F> {
    run: F,
    request: PhantomData<fn(Req)>,
}

/// A closure from one value to a stream of events.
pub(super) struct Streaming<Req, F> {
    run: F,
    request: PhantomData<fn(Req)>,
}

impl<Req, F> Unary<Req, F> {
    pub(super) fn new(run: F) -> Self {
        Self {
            run,
            request: PhantomData,
        }
    }
}

impl<Req, F> Streaming<Req, F> {
    pub(super) fn new(run: F) -> Self {
        Self {
            run,
            request: PhantomData,
        }
    }
}

impl<Req, Resp, F, Fut> ToolHandler for Unary<Req, F>
where
    Req: DeserializeOwned + Send + 'static,
    Resp: Serialize + Send + 'static,
    F: Fn(CallContext, Req) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Resp, String>> + Send + 'static,
{
    fn call<'a>(&'a self, context: CallContext, arguments: Value) -> BoxFuture<'a, Outcome> {
        let request = match bind::<Req>(&arguments) {
            Ok(request) => request,
            Err(error) => return std::future::ready(Outcome::Failed(error)).boxed(),
        };
        let running = (self.run)(context, request);
        async move {
            match running.await {
                Ok(response) => match Value::from_serialize(&response) {
                    Ok(value) => ToolResult::structured(value).into(),
                    Err(error) => CallError::from(HandlerError::from_error(error)).into(),
                },
                Err(text) => ToolResult::error_text(text).into(),
            }
        }
        .boxed()
    }
}

impl<Req, F, Fut, S> ToolHandler for Streaming<Req, F>
where
    Req: DeserializeOwned + Send + 'static,
    F: Fn(CallContext, Req) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = S> + Send + 'static,
    S: Stream<Item = ToolEvent> + Send + 'static,
{
    fn call<'a>(&'a self, context: CallContext, arguments: Value) -> BoxFuture<'a, Outcome> {
        let request = match bind::<Req>(&arguments) {
            Ok(request) => request,
            Err(error) => return std::future::ready(Outcome::Failed(error)).boxed(),
        };
        let opening = (self.run)(context.clone(), request);
        async move {
            let mut events = pin!(opening.await);
            while let Some(event) = events.next().await {
                match event {
                    ToolEvent::Result { data } => return ToolResult::structured(data).into(),
                    ToolEvent::Error {
                        code,
                        message,
                        details,
                    } => return error(&code, message, details),
                    event => context.event(event).await,
                }
            }
            error(MISSING_TERMINAL, MISSING_TERMINAL_MESSAGE.to_owned(), None)
        }
        .boxed()
    }
}

fn error(code: &str, message: String, details: Option<Value>) -> Outcome {
    let mut result = ToolResult::error_text(message);
    result.structured = details;
    result.meta = Some(Value::object().put(CODE_META, code).build());
    result.into()
}

/// The schema let the arguments pass, and the type does not take them: for the caller both are one refusal.
fn bind<Req: DeserializeOwned>(arguments: &Value) -> Result<Req, CallError> {
    arguments.deserialize().map_err(|refusal| {
        tracing::debug!(%refusal, "arguments passed the schema and do not fit the type");
        let result = ToolResult::error_text(toolmesh_tool::dispatcher::ARGUMENTS_MISMATCH);
        CallError::InvalidArguments(Box::new(result))
    })
}
