//! Streamed calls of Chat Completions: `choices[].delta.tool_calls[]`, told apart by `index`.

use toolmesh_json::View;

use crate::call::CallFault;
use crate::stream::{Collector, Key};

/// Takes one chunk.
pub(crate) fn push(collector: &mut Collector, chunk: View<'_>) {
    for (place, choice) in chunk
        .get("choices")
        .and_then(View::as_array)
        .into_iter()
        .flatten()
        .enumerate()
    {
        let choice_index = choice
            .get("index")
            .and_then(View::as_u64)
            .unwrap_or_else(|| number(place));
        let fragments = choice.get("delta").and_then(|delta| delta.get("tool_calls"));
        for (place, fragment) in fragments
            .and_then(View::as_array)
            .into_iter()
            .flatten()
            .enumerate()
        {
            // Some services leave the index out when there is one call.
            let index = fragment
                .get("index")
                .and_then(View::as_u64)
                .unwrap_or_else(|| number(place));
            take(collector, Key(choice_index, index), fragment);
        }
        match choice.get("finish_reason").and_then(View::as_str) {
            Some("length") => collector.break_off(&CallFault::Truncated("finish_reason length".to_owned())),
            Some(_) => collector.complete_all(),
            None => {}
        }
    }
}

fn take(collector: &mut Collector, key: Key, fragment: View<'_>) {
    let function = fragment.get("function");
    let text = |holder: Option<View<'_>>, name| {
        let found = holder.and_then(|holder| holder.get(name)).and_then(View::as_str);
        found.map(str::to_owned)
    };
    collector.open(&key, text(Some(fragment), "id"), text(function, "name"));
    if let Some(piece) = text(function, "arguments") {
        collector.append(&key, &piece);
    }
}

fn number(place: usize) -> u64 {
    u64::try_from(place).unwrap_or(u64::MAX)
}
