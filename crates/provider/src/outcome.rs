//! What the dispatcher gives, as a result that a model can be told.

use toolmesh_tool::{CallError, Outcome, TOOL_ERROR, ToolEvent, ToolResult};

/// The result of a dispatched call. A call that asks for input or goes on as a task is told as an error, because a model
/// provider's call has no such end.
#[must_use]
pub fn result_of_outcome(outcome: Outcome) -> ToolResult {
    match outcome {
        Outcome::Completed(result) => result,
        Outcome::Failed(error) => result_of_error(&error),
        Outcome::InputRequired(_) => {
            ToolResult::error_text("The tool needs input that only a person can give.")
        }
        Outcome::TaskCreated(_) => {
            ToolResult::error_text("The call goes on in the background; its result is not known yet.")
        }
    }
}

/// The result of a call that failed: what the tool explains about its arguments, word for word, and otherwise a fixed
/// sentence that tells nothing of the inside.
#[must_use]
pub fn result_of_error(error: &CallError) -> ToolResult {
    match error {
        CallError::InvalidArguments(explained) => ToolResult {
            is_error: true,
            ..(**explained).clone()
        },
        other => ToolResult::error_text(other.public_text()),
    }
}

/// The result that a stream of events came to. Pieces of partial output are not repeated: the terminal event holds the whole.
///
/// A stream without a terminal event is an error with the sentence that hosts give it (`missing_terminal`).
#[must_use]
pub fn result_of_events(events: impl IntoIterator<Item = ToolEvent>) -> ToolResult {
    let terminal = events.into_iter().find(ToolEvent::is_terminal);
    match terminal {
        Some(ToolEvent::Result { data }) => match data.as_str() {
            Some(text) => ToolResult::text(text),
            None => ToolResult::text(data.to_text()).with_structured(data),
        },
        Some(ToolEvent::Error {
            code,
            message,
            details,
        }) => {
            let text = if code == TOOL_ERROR {
                message
            } else {
                format!("{code}: {message}")
            };
            let mut result = ToolResult::error_text(text);
            result.structured = details;
            result
        }
        _ => ToolResult::error_text(
            "missing_terminal: tool handler ended its stream without emitting a terminal Result or Error event",
        ),
    }
}
