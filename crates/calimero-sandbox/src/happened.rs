//! What a call left behind it, as those are told who watch its context.

use toolmesh_calimero::{Manifest, emitted, typed_events};
use toolmesh_json::Value;

use crate::engine::Ran;
use crate::limits::MAX_LOG_BYTES;

/// The entries that a call adds to what happened in its context, kind and data of each: events of a call that ended
/// well, what it logged in any case, and the calls that it asked for and nobody makes.
pub(crate) fn happened(manifest: &Manifest, method: &str, ran: &Ran) -> Vec<(&'static str, Value)> {
    let ended_well = ran.returned.is_ok();
    let of_method = |data: Value| Value::object().put("method", method).put("data", data);
    let mut entries = Vec::new();
    if ended_well && !ran.events.is_empty() {
        entries.push(("StateMutation", events(manifest, &ran.events)));
    }
    if !ran.logs.is_empty() {
        let (lines, left_out) = logged(&ran.logs);
        let left_out = u64::try_from(left_out).ok().filter(|count| *count > 0);
        entries.push(("Log", of_method(lines).put_opt("left_out", left_out).build()));
    }
    if ended_well && !ran.cross_calls.is_empty() {
        tracing::warn!(
            method,
            "the application asked for calls in other contexts, which are not made here"
        );
        let wanted = ran.cross_calls.iter().map(|method| Value::from(method.as_str()));
        entries.push(("XCall", of_method(wanted.collect()).build()));
    }
    entries
}

/// What was emitted, with the types that the interface gives it.
fn events(manifest: &Manifest, events: &[(String, Vec<u8>)]) -> Value {
    let events: Value = events
        .iter()
        .map(|(name, payload)| emitted(name, payload))
        .collect();
    typed_events(manifest, events.view())
}

/// The lines that fit into [`MAX_LOG_BYTES`], and how many do not.
fn logged(lines: &[String]) -> (Value, usize) {
    let mut bytes = 0_usize;
    let fitting = lines.iter().take_while(|line| {
        bytes = bytes.saturating_add(line.len());
        bytes <= MAX_LOG_BYTES
    });
    let told: Vec<Value> = fitting.map(|line| Value::from(line.as_str())).collect();
    let left_out = lines.len().saturating_sub(told.len());
    (told.into_iter().collect(), left_out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_is_logged_as_many_lines_are_told_as_fit() {
        let line = |bytes: usize| "x".repeat(bytes);
        let told = |lines: &[String]| {
            let (told, left_out) = logged(lines);
            (told.as_array().map(|lines| lines.len()), left_out)
        };
        assert_eq!(told(&[line(MAX_LOG_BYTES - 1), line(1)]), (Some(2), 0));
        assert_eq!(told(&[line(MAX_LOG_BYTES - 1), line(2), line(1)]), (Some(1), 2));
    }
}
