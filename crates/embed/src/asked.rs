//! What was asked of a tool, for what is to be said when that fails.

use toolmesh::{
    json::{Limits, Value},
    mesh::{self, Mesh, RpcError},
    schema::{EvaluationOutcome, Profile, Schema},
    tool::{ToolEvent, dispatcher::explain_arguments},
};

use crate::{Fault, FaultKind, text::parse_with};

/// The code of the event that refuses arguments.
const INVALID_ARGUMENTS: &str = "invalid_arguments";

/// A call that was made.
pub(crate) struct Asked {
    pub(crate) mesh: Mesh,
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    pub(crate) options: mesh::CallOptions,
}

impl Asked {
    pub(crate) fn of(
        mesh: Mesh,
        tool: &str,
        arguments: &str,
        options: mesh::CallOptions,
    ) -> Result<Self, Fault> {
        Ok(Self {
            mesh,
            tool: tool.to_owned(),
            arguments: parse_with(arguments, &Limits::answer(), "the arguments are no JSON")?,
            options,
        })
    }

    /// The fault of a refusal. A host never says which arguments do not fit, since strangers ask it too; but whoever called has
    /// both the arguments and the published schema, and so can be told here.
    pub(crate) async fn fault(&self, error: RpcError) -> Fault {
        let mut fault = Fault::from(error);
        if fault.kind == FaultKind::InvalidArguments
            && let Some(explanation) = self.explanation().await
        {
            fault.message = format!("{}\n{explanation}", fault.message);
        }
        fault
    }

    /// The event of a stream: a refusal of the arguments comes as one, and is explained likewise.
    pub(crate) async fn event(&self, mut event: ToolEvent) -> ToolEvent {
        if let ToolEvent::Error { code, message, .. } = &mut event
            && code == INVALID_ARGUMENTS
            && let Some(explanation) = self.explanation().await
        {
            *message = format!("{message}\n{explanation}");
        }
        event
    }

    /// Which arguments do not fit the published schema; `None` when it cannot be had, or they do.
    async fn explanation(&self) -> Option<String> {
        let described = self.mesh.describe_tool(&self.tool, &self.options).await.ok()?;
        let schema = toolmesh::json::parse(described.input_schema?.as_bytes()).ok()?;
        let schema = Schema::compile_tool_input(schema, Profile::Draft2020_12).ok()?;
        match schema.evaluate(&self.arguments).outcome() {
            EvaluationOutcome::Invalid(found) => Some(explain_arguments(found)),
            _ => None,
        }
    }
}

impl std::fmt::Debug for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Arguments are the caller's.
        f.debug_struct("Asked")
            .field("tool", &self.tool)
            .finish_non_exhaustive()
    }
}
