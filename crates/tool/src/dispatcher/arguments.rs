//! Steps 9 and 10: the arguments in their published form, checked by the input schema.

use toolmesh_json::Value;
use toolmesh_schema::{Diagnostics, EvaluationOutcome};

use super::Watch;
use crate::{ArgumentCheck, ArgumentErrors, Budget, CallError, Tool, ToolResult};

/// The one fixed sentence about arguments that do not fit.
pub const ARGUMENTS_MISMATCH: &str = "Arguments do not match the tool's inputSchema.";

/// Most places that an explained error names; an agent repairs them one after the other anyway.
const MAX_EXPLAINED: usize = 10;

/// Which arguments do not fit and what was expected, a line each. It names places and never what stood there.
#[must_use]
pub fn explain_arguments(found: &Diagnostics) -> String {
    let places = found.iter().take(MAX_EXPLAINED).map(|found| {
        let place = found.instance().to_string();
        let place = if place.is_empty() { "the arguments" } else { &place };
        format!("{place}: expected {}", found.expected())
    });
    places.collect::<Vec<_>>().join("\n")
}

/// The error of arguments that do not fit, with an explanation where the tool gives one.
pub(crate) fn arguments_mismatch(explanation: Option<String>) -> CallError {
    let text = match explanation {
        None => ARGUMENTS_MISMATCH.to_owned(),
        Some(explanation) => format!("{ARGUMENTS_MISMATCH}\n{explanation}"),
    };
    CallError::InvalidArguments(Box::new(ToolResult::error_text(text)))
}

/// The arguments in their published form, if they fit.
pub(super) fn check(tool: &Tool, arguments: Value, watch: &Watch) -> Result<Value, CallError> {
    if tool.argument_check() == ArgumentCheck::Elsewhere {
        return Ok(arguments);
    }
    let explained = tool.argument_errors() == ArgumentErrors::Explained;
    let arguments = match tool.accept() {
        None => arguments,
        Some(accept) => accept
            .accept(arguments.view())
            .map_err(|error| arguments_mismatch(explained.then(|| error.to_string())))?,
    };
    match tool.input_schema().evaluate(&arguments).outcome() {
        EvaluationOutcome::Valid => Ok(arguments),
        EvaluationOutcome::Invalid(found) if explained => {
            Err(arguments_mismatch(Some(explain_arguments(found))))
        }
        EvaluationOutcome::LimitExceeded(_) => {
            watch.exhausted(Budget::InputSchema);
            let explanation = explained.then(|| "They are too large to be checked.".to_owned());
            Err(arguments_mismatch(explanation))
        }
        _ => Err(arguments_mismatch(None)),
    }
}
