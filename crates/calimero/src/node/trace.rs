//! Trace context: a call's own goes along to the node.

use toolmesh_json::View;
use toolmesh_tool::CallContext;

/// The `traceparent` of a call's `_meta` (W3C Trace Context), when it is a sound one.
pub(crate) fn traceparent(context: &CallContext) -> Option<String> {
    let meta = context.front().meta.as_ref()?;
    let text = meta.get("traceparent").and_then(View::as_str)?;
    is_sound(text).then(|| text.to_owned())
}

fn is_sound(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [version, trace, parent, flags] = parts.as_slice() else {
        return false;
    };
    let hex = |part: &str, length| {
        part.len() == length
            && part
                .bytes()
                .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    };
    let zero = |part: &str| part.bytes().all(|byte| byte == b'0');
    hex(version, 2)
        && *version != "ff"
        && hex(trace, 32)
        && !zero(trace)
        && hex(parent, 16)
        && !zero(parent)
        && hex(flags, 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_sound_trace_context_goes_along() {
        let trace = "0af7651916cd43dd8448eb211c80319c";
        let parent = "b7ad6b7169203331";
        assert!(is_sound(&format!("00-{trace}-{parent}-01")));
        for wrong in [
            format!("ff-{trace}-{parent}-01"),
            format!("00-{}-{parent}-01", "0".repeat(32)),
            format!("00-{trace}-{}-01", "0".repeat(16)),
            format!("00-{trace}-{parent}"),
            format!("00-{}-{parent}-01", trace.to_uppercase()),
            format!("00-{trace}-{parent}-01\r\nx: y"),
        ] {
            assert!(!is_sound(&wrong), "{wrong}");
        }
    }
}
