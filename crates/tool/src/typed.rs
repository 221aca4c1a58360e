//! Tools over Rust types: schemas derived by `schemars`, arguments and results bound by `serde`.

use std::{fmt, future::Future, marker::PhantomData};

use futures_util::{FutureExt, future::BoxFuture};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Serialize, de::DeserializeOwned};
use toolmesh_json::Value;
use toolmesh_schema::Profile;

use crate::{
    CallContext, CallError, HandlerError, Outcome, ToolBuilder, ToolHandler, ToolInput, ToolResult,
    dispatcher::arguments_mismatch, tool::SchemaSource,
};

/// Arguments bound to a type, beside the validated object they came from.
#[derive(Debug, Clone)]
pub struct TypedArguments<A> {
    /// The bound value.
    pub converted: A,
    /// The validated object.
    pub raw: Value,
}

/// A tool with a typed input: the closure says how the call ends.
pub struct TypedInput<A> {
    input: ToolInput,
    arguments: PhantomData<fn() -> A>,
}

/// A tool with a typed input and a typed output: the closure gives the output.
pub struct TypedOutput<A, O> {
    input: ToolInput,
    types: PhantomData<fn() -> (A, O)>,
}

impl<A: DeserializeOwned + JsonSchema + Send + 'static> TypedInput<A> {
    pub(crate) fn new(name: String) -> Self {
        Self {
            input: ToolInput {
                name,
                input: derive::<A>(),
                output: None,
            },
            arguments: PhantomData,
        }
    }

    /// Promises structured content by a schema; every result is checked against it.
    #[must_use]
    pub fn output_schema(mut self, document: Value, profile: Profile) -> Self {
        self.input = self.input.output_schema(document, profile);
        self
    }

    /// Runs a closure over the bound arguments.
    pub fn handler<F, Fut>(self, run: F) -> ToolBuilder
    where
        F: Fn(CallContext, A) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: Into<Outcome>,
    {
        self.handler_with_raw(move |context, arguments: TypedArguments<A>| run(context, arguments.converted))
    }

    /// Runs a closure over the bound arguments and the object they came from.
    pub fn handler_with_raw<F, Fut>(self, run: F) -> ToolBuilder
    where
        F: Fn(CallContext, TypedArguments<A>) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: Into<Outcome>,
    {
        self.input.typed_handler(run)
    }
}

impl<A, O> TypedOutput<A, O>
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    O: Serialize + JsonSchema + Send + 'static,
{
    pub(crate) fn new(name: String) -> Self {
        Self {
            input: ToolInput {
                name,
                input: derive::<A>(),
                output: Some(derive::<O>()),
            },
            types: PhantomData,
        }
    }

    /// Runs a closure from the bound arguments to the output, which becomes the structured content.
    pub fn handler<F, Fut, E>(self, run: F) -> ToolBuilder
    where
        F: Fn(CallContext, A) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<O, E>> + Send + 'static,
        E: Into<CallError> + Send + 'static,
    {
        self.input
            .typed_handler(move |context, arguments: TypedArguments<A>| {
                run(context, arguments.converted).map(structured)
            })
    }
}

impl<A> fmt::Debug for TypedInput<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedInput").field("input", &self.input).finish()
    }
}

impl<A, O> fmt::Debug for TypedOutput<A, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedOutput").field("input", &self.input).finish()
    }
}

/// The 2020-12 schema of a type, as `schemars` derives it.
fn derive<T: JsonSchema>() -> SchemaSource {
    let schema = SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<T>();
    let document = Value::try_from(schema.to_value()).map_err(|error| error.to_string())?;
    Ok((document, Profile::Draft2020_12))
}

fn structured<O: Serialize, E: Into<CallError>>(output: Result<O, E>) -> Outcome {
    match output {
        Err(error) => Outcome::Failed(error.into()),
        Ok(output) => match Value::from_serialize(&output) {
            Ok(value) => Outcome::Completed(ToolResult::structured(value)),
            Err(error) => Outcome::Failed(HandlerError::from_error(error).into()),
        },
    }
}

/// Binds arguments to a type and runs a closure.
pub(crate) struct TypedHandler<A, F, Fut> {
    run: F,
    types: PhantomData<fn() -> (A, Fut)>,
}

impl<A, F, Fut> TypedHandler<A, F, Fut> {
    pub(crate) fn new(run: F) -> Self {
        Self {
            run,
            types: PhantomData,
        }
    }
}

impl<A, F, Fut> ToolHandler for TypedHandler<A, F, Fut>
where
    A: DeserializeOwned + Send + 'static,
    F: Fn(CallContext, TypedArguments<A>) -> Fut + Send + Sync + 'static,
    Fut: Future + Send + 'static,
    Fut::Output: Into<Outcome>,
{
    fn call<'a>(&'a self, context: CallContext, arguments: Value) -> BoxFuture<'a, Outcome> {
        match arguments.deserialize::<A>() {
            Ok(converted) => (self.run)(
                context,
                TypedArguments {
                    converted,
                    raw: arguments,
                },
            )
            .map(Into::into)
            .boxed(),
            // The schema let it pass and the type does not: for the caller both are one and the same refusal.
            Err(_) => std::future::ready(Outcome::Failed(arguments_mismatch(None))).boxed(),
        }
    }
}
