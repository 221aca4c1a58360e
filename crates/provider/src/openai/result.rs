//! Results in OpenAI's form: a message for each call, in a row, and one message of the user's for what such a message cannot
//! hold.

use toolmesh_json::{ArrayBuilder, Value};
use toolmesh_tool::ContentBlock;

use crate::reply::{Reply, data_url, text_of};

/// `{"role":"tool","tool_call_id","content"}` for each, then the images.
///
/// A tool message holds only text (API reference, "Tool message"), and nothing may stand between a turn's tool messages.
pub(crate) fn messages(replies: &[Reply]) -> Vec<Value> {
    let mut messages: Vec<Value> = replies.iter().map(message).collect();
    let mut images = Value::array();
    for reply in replies {
        add_images(reply, &mut images);
    }
    if !images.is_empty() {
        messages.push(Value::object().put("role", "user").put("content", images).build());
    }
    messages
}

fn message(reply: &Reply) -> Value {
    let text = text_of(&reply.result);
    Value::object()
        .put("role", "tool")
        .put("tool_call_id", reply.call_id.as_deref().unwrap_or_default())
        .put(
            "content",
            if reply.result.is_error {
                format!("Error: {text}")
            } else {
                text
            },
        )
        .build()
}

fn add_images(reply: &Reply, into: &mut ArrayBuilder) {
    for block in &reply.result.content {
        if let ContentBlock::Image(image) = block {
            let call = reply.call_id.as_deref().unwrap_or(&reply.name);
            into.add(
                Value::object()
                    .put("type", "text")
                    .put("text", format!("Image from tool call {call}:")),
            );
            into.add(
                Value::object()
                    .put("type", "image_url")
                    .put("image_url", Value::object().put("url", data_url(image))),
            );
        }
    }
}
