//! The open door: schemas derived by `schemars`, arguments and results bound by `serde`.

use std::{fmt, future::Future, marker::PhantomData, sync::Arc};

use futures_util::FutureExt;
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Serialize, de::DeserializeOwned};
use toolmesh_json::Value;
use toolmesh_schema::Profile;

use super::{
    TypedArguments,
    handler::{TypedHandler, open},
};
use crate::{
    CallContext, CallError, HandlerError, Outcome, ToolBuilder, ToolInput, ToolResult,
    tool::{GivenSchema, SchemaFault, SchemaSource},
};

/// A tool with an input of any `schemars` type: the closure says how the call ends.
pub struct SchemarsInput<A> {
    input: ToolInput,
    arguments: PhantomData<fn() -> A>,
}

/// A tool with an input and an output of any `schemars` types: the closure gives the output.
pub struct SchemarsOutput<A, O> {
    input: ToolInput,
    types: PhantomData<fn() -> (A, O)>,
}

impl<A: DeserializeOwned + JsonSchema + Send + 'static> SchemarsInput<A> {
    pub(crate) fn new(name: String) -> Self {
        Self {
            input: ToolInput {
                name,
                input: schema_of::<A>(),
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
        finish(self.input, move |context, arguments| {
            run(context, arguments).map(Into::into)
        })
    }
}

impl<A, O> SchemarsOutput<A, O>
where
    A: DeserializeOwned + JsonSchema + Send + 'static,
    O: Serialize + JsonSchema + Send + 'static,
{
    pub(crate) fn new(name: String) -> Self {
        Self {
            input: ToolInput {
                name,
                input: schema_of::<A>(),
                output: Some(schema_of::<O>()),
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
        finish(self.input, move |context, arguments: TypedArguments<A>| {
            run(context, arguments.converted).map(structured)
        })
    }
}

impl<A> fmt::Debug for SchemarsInput<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SchemarsInput")
            .field("input", &self.input)
            .finish()
    }
}

impl<A, O> fmt::Debug for SchemarsOutput<A, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SchemarsOutput")
            .field("input", &self.input)
            .finish()
    }
}

/// The 2020-12 schema of a type, as `schemars` derives it.
fn schema_of<T: JsonSchema>() -> SchemaSource {
    let schema = SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<T>();
    let document =
        Value::try_from(schema.to_value()).map_err(|error| SchemaFault::Schemars(error.to_string()))?;
    Ok(GivenSchema::Document(document, Profile::Draft2020_12))
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

fn finish<A, F, Fut>(input: ToolInput, run: F) -> ToolBuilder
where
    A: DeserializeOwned + Send + 'static,
    F: Fn(CallContext, TypedArguments<A>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Outcome> + Send + 'static,
{
    input.dyn_handler(Arc::new(TypedHandler::new(open::<A>, run)))
}
