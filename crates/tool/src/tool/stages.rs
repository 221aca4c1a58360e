//! The stages of making a tool: its name, what it takes, what it gives, what it runs.

use std::{future::Future, sync::Arc};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use toolmesh_json::Value;
use toolmesh_schema::{CompileError, Profile, Schema};

use super::{ToolBuildError, ToolBuilder, settings::Settings};
use crate::{
    CallContext, Outcome, OutcomeHandler, ToolArguments, ToolHandler, ToolOutput,
    typed::{SchemarsInput, SchemarsOutput, TypeRefusal, TypedInput, TypedOutput},
};

/// A tool that has a name: what it takes comes next.
#[derive(Debug)]
pub struct ToolNamed {
    pub(super) name: String,
}

impl ToolNamed {
    /// Takes arguments by an authored schema; its root must be of type `object`. The handler gets the validated
    /// object.
    #[must_use]
    pub fn input_schema(self, document: Value, profile: Profile) -> ToolInput {
        ToolInput {
            name: self.name,
            input: Ok(GivenSchema::Document(document, profile)),
            output: None,
        }
    }

    /// Takes arguments by a schema that is compiled already, so that tools with equal arguments share it. One that was
    /// not compiled as a tool's input is compiled again, as one.
    #[must_use]
    pub fn compiled_input_schema(self, schema: Schema) -> ToolInput {
        ToolInput {
            name: self.name,
            input: Ok(GivenSchema::Compiled(schema)),
            output: None,
        }
    }

    /// Takes any object (`{"type":"object"}`). The handler gets it as it came.
    #[must_use]
    pub fn json_object_arguments(self) -> ToolInput {
        let document = Value::object().put("type", "object").build();
        self.input_schema(document, Profile::Profile1)
    }

    /// Takes arguments of a type of the closed family: Profile 1 schema, exact ranges, budgeted binding. What the handler
    /// returns decides whether there is an output schema; see [`crate::ToolReturn`].
    #[must_use]
    pub fn arguments<A: ToolArguments>(self) -> TypedInput<A> {
        TypedInput::new(self.name)
    }

    /// Takes arguments of one type of the closed family and completes with another, both by derived schemas.
    #[must_use]
    pub fn arguments_and_output<A: ToolArguments, O: ToolOutput>(self) -> TypedOutput<A, O> {
        TypedOutput::new(self.name)
    }

    /// The open door: takes arguments of any type of `schemars` and `serde`, over the 2020-12 profile.
    ///
    /// Arguments are still checked by the schema in metered time, and bound within budgets. What this door does not
    /// promise, and the closed family does: the schema and the binder are made by two derives, which attributes can drive
    /// apart; ranges of integers beyond 32 bits are whatever `schemars` says (`"format": "int64"`, no bounds); `null`,
    /// defaults and unknown members are the type's own affair; a number may be rounded on its way into the type; the
    /// published document may hold references, and words that a client does not know.
    #[must_use]
    pub fn schemars_arguments<A>(self) -> SchemarsInput<A>
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
    {
        SchemarsInput::new(self.name)
    }

    /// The open door both ways: arguments and output of any types of `schemars` and `serde`. Guarantees as
    /// [`ToolNamed::schemars_arguments`]; the result is checked by the derived schema before it leaves.
    #[must_use]
    pub fn schemars_arguments_and_output<A, O>(self) -> SchemarsOutput<A, O>
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        O: Serialize + JsonSchema + Send + 'static,
    {
        SchemarsOutput::new(self.name)
    }
}

/// A schema, or why a type has none.
pub(crate) type SchemaSource = Result<GivenSchema, SchemaFault>;

/// A schema as it was given.
#[derive(Debug)]
pub(crate) enum GivenSchema {
    /// To be compiled.
    Document(Value, Profile),
    /// Compiled already.
    Compiled(Schema),
}

impl GivenSchema {
    pub(super) fn into_input(self) -> Result<Schema, CompileError> {
        match self {
            Self::Document(document, profile) => Schema::compile_tool_input(document, profile),
            Self::Compiled(schema) if schema.is_tool_input() => Ok(schema),
            Self::Compiled(schema) => Schema::compile_tool_input(schema.document().clone(), schema.profile()),
        }
    }

    pub(super) fn into_output(self) -> Result<Schema, CompileError> {
        match self {
            Self::Document(document, profile) => Schema::compile(document, profile),
            Self::Compiled(schema) => Ok(schema),
        }
    }
}

/// Why a type has no schema.
#[derive(Debug)]
pub(crate) enum SchemaFault {
    /// `schemars` gave no JSON that this library accepts.
    Schemars(String),
    /// The type is not of the closed family after all.
    Type(TypeRefusal),
}

impl SchemaFault {
    pub(super) fn of_tool(self, name: &str, side: &'static str) -> ToolBuildError {
        let name = name.to_owned();
        match self {
            Self::Schemars(reason) => ToolBuildError::DerivedSchema { name, reason },
            Self::Type(source) => ToolBuildError::Type { name, side, source },
        }
    }
}

/// A tool that has a name and an input: what it runs comes next.
#[derive(Debug)]
pub struct ToolInput {
    pub(crate) name: String,
    pub(crate) input: SchemaSource,
    pub(crate) output: Option<SchemaSource>,
}

impl ToolInput {
    /// Promises structured content by a schema; every result is checked against it.
    #[must_use]
    pub fn output_schema(mut self, document: Value, profile: Profile) -> Self {
        self.output = Some(Ok(GivenSchema::Document(document, profile)));
        self
    }

    /// The same by a schema that is compiled already, so that tools with equal results share it.
    #[must_use]
    pub fn compiled_output_schema(mut self, schema: Schema) -> Self {
        self.output = Some(Ok(GivenSchema::Compiled(schema)));
        self
    }

    /// Runs a closure over the validated arguments object.
    pub fn handler<F, Fut>(self, run: F) -> ToolBuilder
    where
        F: Fn(CallContext, Value) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: Into<Outcome>,
    {
        self.dyn_handler(Arc::new(OutcomeHandler::new(run)))
    }

    /// Runs a handler of the source's own.
    #[must_use]
    pub fn dyn_handler(self, handler: Arc<dyn ToolHandler>) -> ToolBuilder {
        ToolBuilder {
            input: self,
            handler,
            settings: Settings::default(),
        }
    }
}
