//! Streamed calls of Messages: content blocks that start, grow by `input_json_delta`, and stop.

use toolmesh_json::View;

use crate::call::CallFault;
use crate::stream::{Collector, Key};

/// Takes one event.
pub(crate) fn push(collector: &mut Collector, event: View<'_>) {
    let key = Key(0, event.get("index").and_then(View::as_u64).unwrap_or_default());
    match event.get("type").and_then(View::as_str).unwrap_or_default() {
        "content_block_start" => start(collector, key, event),
        "content_block_delta" => {
            let piece = event.get("delta").and_then(|delta| delta.get("partial_json"));
            collector.append(&key, piece.and_then(View::as_str).unwrap_or_default());
        }
        "content_block_stop" => collector.complete(&key),
        "message_delta" => {
            let reason = event
                .get("delta")
                .and_then(|delta| delta.get("stop_reason"))
                .and_then(View::as_str);
            if let Some(reason @ ("max_tokens" | "refusal" | "model_context_window_exceeded")) = reason {
                collector.break_off(&CallFault::Truncated(format!("stop_reason {reason}")));
            }
        }
        "error" => collector.break_off(&CallFault::Truncated("the stream reported an error".to_owned())),
        _ => {}
    }
}

fn start(collector: &mut Collector, key: Key, event: View<'_>) {
    let block = event
        .get("content_block")
        .filter(|block| block.get("type").and_then(View::as_str) == Some("tool_use"));
    let Some(block) = block else {
        return;
    };
    let text = |name| block.get(name).and_then(View::as_str).map(str::to_owned);
    collector.open(&key, text("id"), text("name"));
    // The block begins with an empty input; an input that is there already is whole.
    if let Some(input) = block
        .get("input")
        .filter(|input| input.as_object().is_some_and(|all| !all.is_empty()))
    {
        collector.append(&key, &input.to_text());
    }
}
