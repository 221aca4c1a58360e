//! Revision 2025-11-25: icons, and argument errors that the agent sees.

use super::{
    ArgumentFailure, Asking, Disconnect, Era, LinkIcons, Method, Projection, Revision, ServerForm,
    Structured, v2025_06_18::failures,
};
use crate::jsonrpc::UnreadableId;

pub(super) static REVISION: Revision = Revision {
    version: "2025-11-25",
    era: Era::Handshake,
    methods: &[
        ("tools/call", Method::CallTool),
        ("tools/list", Method::ListTools),
        ("ping", Method::Ping),
        ("initialize", Method::Initialize),
        ("resources/read", Method::ReadResource),
        ("resources/list", Method::ListResources),
        ("resources/templates/list", Method::ListResourceTemplates),
        ("prompts/get", Method::GetPrompt),
        ("prompts/list", Method::ListPrompts),
        ("completion/complete", Method::Complete),
        ("logging/setLevel", Method::SetLevel),
        ("resources/subscribe", Method::Subscribe),
        ("resources/unsubscribe", Method::Unsubscribe),
    ],
    projection: Projection {
        result_type: false,
        cache_hints: false,
        server_in_meta: false,
        icons: true,
        link_icons: LinkIcons::Kept,
        structured: Structured::ObjectOnly,
        asking: Asking::InLine,
        elicitation_modes: true,
        extensions: false,
        server: ServerForm::Full,
    },
    argument_failure: ArgumentFailure::ToolError,
    unreadable_id: UnreadableId::Omitted,
    disconnect: Disconnect::Detaches,
    names_unknown_resource: false,
    primes_streams: true,
    failures,
};
