//! Results in the form of Responses: an item for each call.

use toolmesh_json::Value;
use toolmesh_tool::{ContentBlock, ToolResult};

use crate::reply::{Reply, data_url, text_of};

/// `{"type":"function_call_output","call_id","output"}` for each; `output` is a text, or a list when there are images.
pub(crate) fn messages(replies: &[Reply]) -> Vec<Value> {
    let item = |reply: &Reply| {
        Value::object()
            .put("type", "function_call_output")
            .put("call_id", reply.call_id.as_deref().unwrap_or_default())
            .put("output", output(&reply.result))
            .build()
    };
    replies.iter().map(item).collect()
}

fn output(result: &ToolResult) -> Value {
    let text = text_of(result);
    let text = if result.is_error {
        format!("Error: {text}")
    } else {
        text
    };
    let images: Vec<Value> = result
        .content
        .iter()
        .filter_map(|block| match block {
            ContentBlock::Image(image) => Some(data_url(image)),
            _ => None,
        })
        .map(|url| {
            Value::object()
                .put("type", "input_image")
                .put("image_url", url)
                .build()
        })
        .collect();
    if images.is_empty() {
        return Value::from(text);
    }
    let mut parts = Value::array();
    if !text.is_empty() {
        parts.add(Value::object().put("type", "input_text").put("text", text));
    }
    parts.extend(images);
    parts.build()
}
