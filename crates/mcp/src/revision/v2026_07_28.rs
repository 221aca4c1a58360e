//! Revision 2026-07-28: stateless, every request self-describing.

use super::{
    ArgumentFailure, Asking, Declared, Disconnect, Era, Failure, LinkIcons, Method, Projection, Revision,
    ServerForm, Structured, failure::declared,
};
use crate::jsonrpc::UnreadableId;

pub(super) static REVISION: Revision = Revision {
    version: "2026-07-28",
    era: Era::Stateless,
    methods: &[
        ("tools/call", Method::CallTool),
        ("tools/list", Method::ListTools),
        ("server/discover", Method::Discover),
        ("resources/read", Method::ReadResource),
        ("resources/list", Method::ListResources),
        ("resources/templates/list", Method::ListResourceTemplates),
        ("prompts/get", Method::GetPrompt),
        ("prompts/list", Method::ListPrompts),
        ("completion/complete", Method::Complete),
        ("subscriptions/listen", Method::Listen),
        ("tasks/get", Method::GetTask),
        ("tasks/update", Method::UpdateTask),
        ("tasks/cancel", Method::CancelTask),
    ],
    projection: Projection {
        result_type: true,
        cache_hints: true,
        server_in_meta: true,
        icons: true,
        link_icons: LinkIcons::Kept,
        structured: Structured::Any,
        asking: Asking::InResult,
        elicitation_modes: true,
        extensions: true,
        server: ServerForm::Full,
    },
    argument_failure: ArgumentFailure::ToolError,
    unreadable_id: UnreadableId::Omitted,
    disconnect: Disconnect::Cancels,
    names_unknown_resource: true,
    primes_streams: false,
    failures,
};

/// Code, HTTP status and text of every failure.
const fn failures(failure: Failure) -> Declared {
    match failure {
        Failure::Parse => declared(-32700, 400, "Parse error"),
        Failure::InvalidRequest => declared(-32600, 400, "Invalid request"),
        Failure::HeaderMismatch => declared(-32020, 400, "Header mismatch"),
        Failure::MissingCapability => declared(-32021, 400, "The client lacks a required capability"),
        Failure::UnsupportedVersion => declared(-32022, 400, "Unsupported protocol version"),
        Failure::UnknownMethod => declared(-32601, 404, "Method not found"),
        Failure::InvalidParams => declared(-32602, 400, "Invalid params"),
        Failure::InvalidCursor => declared(-32602, 400, "Invalid cursor"),
        Failure::InvalidArguments => declared(-32602, 400, "Invalid arguments"),
        Failure::UnknownTool => declared(-32602, 400, "Unknown tool"),
        Failure::UnknownPrompt => declared(-32602, 400, "Unknown prompt"),
        Failure::UnknownResource => declared(-32602, 400, "Resource not found"),
        Failure::UnknownTask => declared(-32602, 400, "Task not found"),
        Failure::UnknownSession => declared(-32600, 404, "Session not found"),
        Failure::UnknownParameterHeader => declared(-31998, 400, "Unknown parameter header"),
        Failure::UnusableOutput => declared(-32603, 200, "The operation's output cannot be sent"),
        Failure::InputUnavailable => declared(
            -32603,
            200,
            "The operation needs input that this client cannot be asked for",
        ),
        Failure::OperationFailed => declared(-32603, 200, "The operation failed"),
        Failure::Internal => declared(-32603, 500, "Internal error"),
        Failure::PolicyRefused => declared(-31997, 403, "Refused by policy"),
        Failure::Unauthenticated => declared(-31996, 401, "Authentication required"),
        Failure::Forbidden => declared(-31996, 403, "Access denied"),
        Failure::RateLimited => declared(-31999, 429, "Rate limited"),
        Failure::QueueFull => declared(-32603, 503, "The server is busy"),
        Failure::DeadlineWaiting => declared(
            -32603,
            503,
            "The deadline passed before the operation could start",
        ),
        Failure::DeadlineRunning => declared(-32603, 504, "The deadline passed while the operation ran"),
        Failure::StateUnavailable => declared(-32603, 503, "The server is busy"),
        Failure::Cancelled => declared(-32603, 503, "The operation was cancelled"),
    }
}
