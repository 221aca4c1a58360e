//! How a call of another node ends, in the words of this program's dispatcher.

use toolmesh_json::Value;
use toolmesh_tool::{CallError, HandlerError, Outcome, TOOL_ERROR, ToolResult};

use crate::{
    RpcError,
    host::{CODE_HEADER, CODE_META},
    wire::{NRPC_TYPED_BAD_REQUEST, NRPC_TYPED_HANDLER_ERROR, Status},
};

/// A result. A host without structured content answers with its text.
pub(super) fn completed(data: Value, has_output_schema: bool) -> Outcome {
    match data.as_str() {
        Some(text) if !has_output_schema => ToolResult::text(text).into(),
        _ => ToolResult::structured(data).into(),
    }
}

/// An error event: what the host's own dispatcher says keeps its kind, everything else is the tool's own.
pub(super) fn of_event(code: &str, message: String, details: Option<Value>) -> Outcome {
    let failed: CallError = match code {
        "invalid_arguments" => CallError::InvalidArguments(Box::new(ToolResult::error_text(message))),
        "deadline_exceeded" => CallError::DeadlineExceeded { running: true },
        "cancelled" => CallError::Cancelled,
        "unreachable" => CallError::Unreachable(message),
        "host_lost" => CallError::HostLost(message),
        "internal" | "invalid_output" | "handler_error" => HandlerError::new(message).into(),
        TOOL_ERROR => return tool_error(None, message, details),
        own => return tool_error(Some(own), message, details),
    };
    failed.into()
}

/// A call without a result.
pub(super) fn failed(error: RpcError) -> Outcome {
    let failed: CallError = match error {
        RpcError::Timeout { .. } => CallError::DeadlineExceeded { running: true },
        RpcError::Cancelled => CallError::Cancelled,
        RpcError::CapabilityDenied { .. } => CallError::PolicyRefused(error.to_string()),
        RpcError::ServerError {
            status: NRPC_TYPED_HANDLER_ERROR,
            message,
            headers,
        } => {
            let code = headers.iter().find(|(name, _)| name == CODE_HEADER);
            return tool_error(code.map(|(_, code)| code.as_str()), message, None);
        }
        RpcError::ServerError {
            status: NRPC_TYPED_BAD_REQUEST,
            message,
            ..
        } => CallError::InvalidArguments(Box::new(ToolResult::error_text(message))),
        RpcError::ServerError { status, .. } if Status::from_code(status) == Status::Backpressure => {
            CallError::QueueFull
        }
        RpcError::ServerError { status, .. } if Status::from_code(status) == Status::AdmissionDenied => {
            CallError::PolicyRefused(error.to_string())
        }
        RpcError::NoRoute { .. } | RpcError::Transport(_) => CallError::Unreachable(error.to_string()),
        RpcError::HostLost { .. } => CallError::HostLost(error.to_string()),
        error => HandlerError::from_error(error).into(),
    };
    failed.into()
}

fn tool_error(code: Option<&str>, message: String, details: Option<Value>) -> Outcome {
    let mut result = ToolResult::error_text(message);
    result.structured = details;
    result.meta = code.map(|code| Value::object().put(CODE_META, code).build());
    result.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(outcome: Outcome) -> &'static str {
        match outcome {
            Outcome::Failed(error) => error.code(),
            Outcome::Completed(result) if result.is_error => TOOL_ERROR,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_end_keeps_its_kind() {
        let server = |status| RpcError::ServerError {
            status,
            message: "m".into(),
            headers: Vec::new(),
        };
        let no_route = RpcError::NoRoute {
            target: 1,
            reason: "r".into(),
        };
        let lost = RpcError::HostLost {
            target: 1,
            answering: false,
        };
        for (error, expected) in [
            (RpcError::Timeout { elapsed_ms: 1 }, "deadline_exceeded"),
            (RpcError::Cancelled, "cancelled"),
            (server(0x8000), "invalid_arguments"),
            (server(0x8001), TOOL_ERROR),
            (server(4), "queue_full"),
            (server(9), "policy_refused"),
            (server(6), "handler_error"),
            (RpcError::Transport("t".into()), "unreachable"),
            (no_route, "unreachable"),
            (lost, "host_lost"),
        ] {
            assert_eq!(code(failed(error.clone())), expected, "{error}");
        }
        for (event, expected) in [
            ("invalid_arguments", "invalid_arguments"),
            ("deadline_exceeded", "deadline_exceeded"),
            ("invalid_output", "handler_error"),
            ("unreachable", "unreachable"),
            ("host_lost", "host_lost"),
            ("missing_terminal", TOOL_ERROR),
            ("tool_error", TOOL_ERROR),
            ("upstream_timeout", TOOL_ERROR),
        ] {
            assert_eq!(code(of_event(event, "m".into(), None)), expected, "{event}");
        }
    }
}
