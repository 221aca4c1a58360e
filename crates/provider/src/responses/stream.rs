//! Streamed calls of Responses: output items that are added, grow by deltas, and are done.

use toolmesh_json::View;

use super::call::is_call;
use crate::call::CallFault;
use crate::stream::{Collector, Key};

/// Takes one event.
pub(crate) fn push(collector: &mut Collector, event: View<'_>) {
    let text = |name| event.get(name).and_then(View::as_str);
    let key = Key(
        0,
        event
            .get("output_index")
            .and_then(View::as_u64)
            .unwrap_or_default(),
    );
    match text("type").unwrap_or_default() {
        "response.output_item.added" => added(collector, &key, event),
        "response.function_call_arguments.delta" => {
            collector.append(&key, text("delta").unwrap_or_default());
        }
        // The whole again, which is right whatever was lost before.
        "response.function_call_arguments.done" => {
            if let Some(whole) = text("arguments") {
                collector.replace(&key, whole);
            }
        }
        "response.output_item.done" => done(collector, &key, event),
        "response.completed" => collector.complete_all(),
        "response.incomplete" => collector.break_off(&CallFault::Truncated("response.incomplete".to_owned())),
        "response.failed" | "error" => {
            collector.break_off(&CallFault::Truncated("the response failed".to_owned()))
        }
        _ => {}
    }
}

fn added(collector: &mut Collector, key: &Key, event: View<'_>) {
    let Some(item) = event.get("item").filter(|item| is_call(*item)) else {
        return;
    };
    let text = |name| item.get(name).and_then(View::as_str).map(str::to_owned);
    collector.open(key, text("call_id"), text("name"));
    if let Some(begun) = text("arguments") {
        collector.append(key, &begun);
    }
}

fn done(collector: &mut Collector, key: &Key, event: View<'_>) {
    let Some(item) = event.get("item").filter(|item| is_call(*item)) else {
        return;
    };
    let text = |name| item.get(name).and_then(View::as_str).map(str::to_owned);
    if item.get("status").and_then(View::as_str) == Some("incomplete") {
        collector.fail(key, CallFault::Truncated("the item is incomplete".to_owned()));
        return;
    }
    collector.open(key, text("call_id"), text("name"));
    if let Some(whole) = text("arguments") {
        collector.replace(key, &whole);
    }
    collector.complete(key);
}
