//! Streamed calls of Gemini: each part holds a whole call.
//!
//! A request may ask for arguments in pieces (`streamFunctionCallArguments`); such a call is told as cut off, because its
//! pieces are no JSON text. Leave the option out.

use toolmesh_json::View;

use super::call::{find, read};
use crate::call::CallFault;
use crate::spec::ToolCallParseError;
use crate::stream::Collector;

/// Takes one chunk.
pub(crate) fn push(collector: &mut Collector, chunk: View<'_>) {
    let (pieces, whole): (Vec<View<'_>>, Vec<View<'_>>) = find(chunk)
        .unwrap_or_default()
        .into_iter()
        .partition(|call| is_piece(*call));
    collector.read(whole, read);
    // Only the first piece has the name.
    if pieces.iter().any(|piece| piece.get("name").is_some()) {
        collector.failed(CallFault::Truncated("arguments came in pieces".to_owned()));
    }
    for candidate in chunk
        .get("candidates")
        .and_then(View::as_array)
        .into_iter()
        .flatten()
    {
        let reason = candidate.get("finishReason").and_then(View::as_str);
        if let Some(reason @ ("MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL")) = reason {
            let fault = ToolCallParseError::InvalidArgumentsJson(format!(
                "the model's call was unreadable ({reason})"
            ));
            collector.failed(fault.into());
        }
    }
}

fn is_piece(call: View<'_>) -> bool {
    call.get("partialArgs").is_some() || call.get("willContinue").and_then(View::as_bool) == Some(true)
}
