//! How a call ends.

use crate::{CallError, InputRequired, TaskId, ToolResult};

/// How a handler, and with it a call, ends.
#[derive(Debug)]
pub enum Outcome {
    /// It is done; also when the tool itself says no (`is_error`).
    Completed(ToolResult),
    /// The client is asked first; the call is then made again with the answers.
    InputRequired(InputRequired),
    /// The work goes on in a task.
    TaskCreated(TaskId),
    /// It failed.
    Failed(CallError),
}

impl Outcome {
    /// The result, when the call completed.
    #[must_use]
    pub fn completed(self) -> Option<ToolResult> {
        match self {
            Self::Completed(result) => Some(result),
            _ => None,
        }
    }
}

impl From<ToolResult> for Outcome {
    fn from(result: ToolResult) -> Self {
        Self::Completed(result)
    }
}

impl From<CallError> for Outcome {
    fn from(error: CallError) -> Self {
        Self::Failed(error)
    }
}

impl From<InputRequired> for Outcome {
    fn from(input: InputRequired) -> Self {
        Self::InputRequired(input)
    }
}

impl<T: Into<Self>, E: Into<CallError>> From<Result<T, E>> for Outcome {
    fn from(result: Result<T, E>) -> Self {
        match result {
            Ok(outcome) => outcome.into(),
            Err(error) => Self::Failed(error.into()),
        }
    }
}
