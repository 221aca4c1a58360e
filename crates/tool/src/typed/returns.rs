//! What a typed handler may return.

use toolmesh_json::Value;

use super::{ToolOutput, TypeRefusal, derive, publish};
use crate::{CallError, InputRequired, Outcome, ToolResult};

/// What a handler of a typed tool may return: an output of the closed family, which becomes structured content and has a
/// schema; or words of the protocol (`ToolResult`, `InputRequired`, `Outcome`), which have none; or a `Result` of either
/// whose error becomes a [`CallError`].
#[diagnostic::on_unimplemented(
    message = "a typed tool cannot return `{Self}`",
    label = "not a tool's return",
    note = "return a struct with `#[derive(ToolType)]` or another output of the closed family, `ToolResult`, `Outcome`, or a `Result` of one of these",
    note = "a bare String is refused: return `ToolResult::text(..)`, or a struct with a String field"
)]
pub trait ToolReturn {
    /// The schema of the structured content, when the type has one.
    ///
    /// # Errors
    /// As [`super::ToolType::schema`].
    fn output_schema() -> Result<Option<Value>, TypeRefusal> {
        Ok(None)
    }

    /// How the call ends.
    fn into_outcome(self) -> Outcome;
}

impl<O: ToolOutput> ToolReturn for O {
    fn output_schema() -> Result<Option<Value>, TypeRefusal> {
        derive::<O>().map(Some)
    }

    fn into_outcome(self) -> Outcome {
        match publish(&self) {
            Ok(value) => ToolResult::structured(value).into(),
            Err(refusal) => CallError::InvalidOutput(refusal.to_string()).into(),
        }
    }
}

impl<T: ToolReturn, E: Into<CallError>> ToolReturn for Result<T, E> {
    fn output_schema() -> Result<Option<Value>, TypeRefusal> {
        T::output_schema()
    }

    fn into_outcome(self) -> Outcome {
        match self {
            Ok(value) => value.into_outcome(),
            Err(error) => Outcome::Failed(error.into()),
        }
    }
}

macro_rules! words_of_the_protocol {
    ($($word:ty),*) => {$(
        impl ToolReturn for $word {
            fn into_outcome(self) -> Outcome {
                self.into()
            }
        }
    )*};
}

words_of_the_protocol!(ToolResult, InputRequired, CallError, Outcome);
