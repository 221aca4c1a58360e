//! From the end of a call to its answer. The one place that spells which failure has which status.

use toolmesh_json::{Value, View};
use toolmesh_tool::{CallError, ContentBlock, Outcome, ToolEvent, ToolResult};

use super::way::refusal;
use crate::wire::{
    Headers, MAX_HEADER_VALUE_BYTES, NRPC_TYPED_BAD_REQUEST, NRPC_TYPED_HANDLER_ERROR, ReplyFrame, Status,
};

/// The member of a result's metadata that holds the code of a handler's own error event.
pub(crate) const CODE_META: &str = "toolmesh/code";

/// The header of an answer that carries that code.
pub(crate) const CODE_HEADER: &str = "toolmesh-error-code";

/// The one answer of a call.
pub(super) fn answer(outcome: Outcome) -> ReplyFrame {
    match outcome {
        Outcome::Failed(error) => refusal(status_of(&error), &error.public_text()),
        Outcome::Completed(result) if result.is_error => {
            let mut headers = Headers::new();
            if let Some(code) = code_of(&result).filter(|code| code.len() <= MAX_HEADER_VALUE_BYTES) {
                // The name is fixed and the value has room.
                let _ = headers.add(CODE_HEADER, &code);
            }
            let status = Status::Application(NRPC_TYPED_HANDLER_ERROR);
            let text = match headers.get(CODE_HEADER) {
                Some(_) => first_text(&result),
                None => result.joined_text(),
            };
            ReplyFrame {
                status,
                headers,
                body: text.into_bytes(),
            }
        }
        outcome => match terminal(outcome) {
            ToolEvent::Result { data } => told(data.to_text()),
            ToolEvent::Error { message, .. } => {
                refusal(Status::Application(NRPC_TYPED_HANDLER_ERROR), &message)
            }
            _ => refusal(Status::Internal, "The tool failed."),
        },
    }
}

/// A JSON text as an answer.
pub(super) fn told(text: String) -> ReplyFrame {
    ReplyFrame {
        status: Status::Ok,
        headers: Headers::new(),
        body: text.into_bytes(),
    }
}

/// The terminal event of a call; a handler's own code stands in it.
pub(super) fn terminal(outcome: Outcome) -> ToolEvent {
    let own = match &outcome {
        Outcome::Completed(result) => code_of(result).map(|code| (code, first_text(result))),
        _ => None,
    };
    match (ToolEvent::from(outcome), own) {
        (ToolEvent::Error { details, .. }, Some((code, message))) => ToolEvent::Error {
            code,
            message,
            details,
        },
        (event, _) => event,
    }
}

/// The first text of a result: a handler's own message, before what mirrors its details.
fn first_text(result: &ToolResult) -> String {
    match result.content.first() {
        Some(ContentBlock::Text(text)) => text.text.clone(),
        _ => result.joined_text(),
    }
}

fn code_of(result: &ToolResult) -> Option<String> {
    let meta: Option<&Value> = result.meta.as_ref().filter(|_| result.is_error);
    meta?.get(CODE_META).and_then(View::as_str).map(str::to_owned)
}

/// The status of a failure. Callers try again where it says that no handler has run ([`Status::is_not_run`]); a state that
/// cannot be protected is the end of a handler that has.
pub(super) fn status_of(error: &CallError) -> Status {
    match error {
        CallError::AdmissionRefused(refusal) if refusal.unauthenticated => Status::Unauthorized,
        CallError::AdmissionRefused(_) | CallError::PolicyRefused(_) => Status::AdmissionDenied,
        CallError::UnknownTool | CallError::NotFound(_) => Status::NotFound,
        CallError::FrontRefused(_) | CallError::InvalidArguments(_) | CallError::MissingCapability(_) => {
            Status::Application(NRPC_TYPED_BAD_REQUEST)
        }
        CallError::RateLimited { .. } | CallError::QueueFull => Status::Backpressure,
        CallError::DeadlineExceeded { .. } => Status::Timeout,
        CallError::Cancelled => Status::Cancelled,
        CallError::InputUnavailable => Status::Application(NRPC_TYPED_HANDLER_ERROR),
        _ => Status::Internal,
    }
}
