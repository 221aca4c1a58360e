//! A call in the protocol's form.

use toolmesh_json::View;

use crate::call::{RawCall, text, value};
use crate::spec::ToolCallParseError;

/// The params of `tools/call`: `{"name","arguments"}`. The request's id belongs to JSON-RPC, not to the call.
pub(crate) fn read(params: View<'_>) -> Result<RawCall, ToolCallParseError> {
    Ok(RawCall {
        name: text(params, "name", "name")?.to_owned(),
        arguments: value(params, "arguments"),
        id: None,
    })
}

/// The params in a request, or params alone; `None` when it is neither.
pub(crate) fn find(request: View<'_>) -> Option<Vec<View<'_>>> {
    match request.get("method").and_then(View::as_str) {
        Some("tools/call") => Some(request.get("params").into_iter().collect()),
        Some(_) => Some(Vec::new()),
        None => request.get("name").and_then(View::as_str).map(|_| vec![request]),
    }
}
