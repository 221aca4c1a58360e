//! The builder stages of tools over the closed family.

use std::{fmt, future::Future, marker::PhantomData, sync::Arc};

use futures_util::FutureExt;
use toolmesh_schema::Profile;

use super::{
    ToolArguments, ToolOutput, ToolReturn, ToolType, TypedArguments, derive,
    handler::{TypedHandler, closed},
};
use crate::{
    CallContext, CallError, Outcome, ToolBuilder, ToolInput,
    tool::{GivenSchema, SchemaFault, SchemaSource},
};

/// A tool with a typed input: what it returns comes with the closure.
pub struct TypedInput<A> {
    input: ToolInput,
    arguments: PhantomData<fn() -> A>,
}

/// A tool with a typed input and a typed output.
pub struct TypedOutput<A, O> {
    input: ToolInput,
    types: PhantomData<fn() -> (A, O)>,
}

impl<A: ToolArguments> TypedInput<A> {
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

    /// Runs a closure over the bound arguments. When it returns an output of the closed family, that output's schema is
    /// published with the tool.
    pub fn handler<F, Fut>(self, run: F) -> ToolBuilder
    where
        F: Fn(CallContext, A) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: ToolReturn,
    {
        self.handler_with_raw(move |context, arguments| run(context, arguments.converted))
    }

    /// Runs a closure over the bound arguments and the object they came from; otherwise as [`TypedInput::handler`].
    pub fn handler_with_raw<F, Fut>(mut self, run: F) -> ToolBuilder
    where
        F: Fn(CallContext, TypedArguments<A>) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: ToolReturn,
    {
        self.input.output = match Fut::Output::output_schema() {
            Ok(None) => None,
            Ok(Some(document)) => Some(Ok(GivenSchema::Document(document, Profile::Profile1))),
            Err(refusal) => Some(Err(SchemaFault::Type(refusal))),
        };
        finish(self.input, move |context, arguments| {
            run(context, arguments).map(ToolReturn::into_outcome)
        })
    }
}

impl<A: ToolArguments, O: ToolOutput> TypedOutput<A, O> {
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
        E: Into<CallError> + 'static,
    {
        finish(self.input, move |context, arguments: TypedArguments<A>| {
            run(context, arguments.converted).map(ToolReturn::into_outcome)
        })
    }

    /// Runs a closure that says itself how the call ends: by asking for input, by a task, or by a result whose structured
    /// content has the output's schema; the dispatcher checks it. The closure gets the raw object too.
    pub fn outcome_handler<F, Fut>(self, run: F) -> ToolBuilder
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

fn schema_of<T: ToolType>() -> SchemaSource {
    match derive::<T>() {
        Ok(document) => Ok(GivenSchema::Document(document, Profile::Profile1)),
        Err(refusal) => Err(SchemaFault::Type(refusal)),
    }
}

fn finish<A, F, Fut>(input: ToolInput, run: F) -> ToolBuilder
where
    A: ToolArguments,
    F: Fn(CallContext, TypedArguments<A>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Outcome> + Send + 'static,
{
    input.dyn_handler(Arc::new(TypedHandler::new(closed::<A>, run)))
}
