//! Step 1: may this caller ask anything at all?

use futures_util::future::BoxFuture;

use super::Shared;
use crate::{AdmissionRefusal, CallError, Caller};

/// What a caller asks for, before anything was looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation<'a> {
    /// Calls this tool.
    CallTool(&'a str),
    /// Reads this URI.
    ReadResource(&'a str),
    /// Gets this prompt.
    GetPrompt(&'a str),
    /// Completes an argument.
    Complete,
    /// Lists tools, or searches among them.
    ListTools,
    /// Lists resources.
    ListResources,
    /// Lists resource templates.
    ListTemplates,
    /// Lists prompts.
    ListPrompts,
    /// Works on a task that a call of this tool became; never asked of admission.
    RunTask(&'a str),
    /// Reads this task.
    GetTask(&'a str),
    /// Hands answers to this task.
    AnswerTask(&'a str),
    /// Stops this task.
    CancelTask(&'a str),
}

impl Operation<'_> {
    /// The protocol-neutral name of the operation.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::CallTool(_) => "tools/call",
            Self::ReadResource(_) => "resources/read",
            Self::GetPrompt(_) => "prompts/get",
            Self::Complete => "completion/complete",
            Self::ListTools => "tools/list",
            Self::ListResources => "resources/list",
            Self::ListTemplates => "resources/templates/list",
            Self::ListPrompts => "prompts/list",
            Self::RunTask(_) => "tasks/run",
            Self::GetTask(_) => "tasks/get",
            Self::AnswerTask(_) => "tasks/update",
            Self::CancelTask(_) => "tasks/cancel",
        }
    }
}

/// Decides whether a caller may ask; without one, everybody may.
pub trait Admission: Send + Sync + 'static {
    /// Admits or refuses.
    ///
    /// # Errors
    /// The refusal, with what a front may tell.
    fn admit<'a>(
        &'a self,
        caller: &'a Caller,
        operation: Operation<'a>,
    ) -> BoxFuture<'a, Result<(), AdmissionRefusal>>;
}

impl Shared {
    pub(super) async fn admit(&self, caller: &Caller, operation: Operation<'_>) -> Result<(), CallError> {
        match &self.admission {
            None => Ok(()),
            Some(admission) => admission
                .admit(caller, operation)
                .await
                .map_err(CallError::AdmissionRefused),
        }
    }
}
