//! Results in Anthropic's form: one message of the user's with a block for each call.

use toolmesh_json::Value;
use toolmesh_tool::{ContentBlock, MediaContent, ToolResult};

use crate::reply::{Reply, base64, text_of_block, text_of_structured};

/// Media types that an image block may have ("Vision").
const IMAGES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/// `{"role":"user","content":[{"type":"tool_result",...}]}`; nothing for no replies.
pub(crate) fn messages(replies: &[Reply]) -> Vec<Value> {
    if replies.is_empty() {
        return Vec::new();
    }
    let blocks: Value = replies.iter().map(block).collect();
    vec![Value::object().put("role", "user").put("content", blocks).build()]
}

fn block(reply: &Reply) -> Value {
    Value::object()
        .put("type", "tool_result")
        .put("tool_use_id", reply.call_id.as_deref().unwrap_or_default())
        .put("content", content(&reply.result))
        .put_opt("is_error", reply.result.is_error.then_some(true))
        .build()
}

fn content(result: &ToolResult) -> Value {
    let mut content = Value::array();
    for block in &result.content {
        match block {
            ContentBlock::Image(media) if IMAGES.contains(&media.mime_type.as_str()) => {
                content.add(image(media))
            }
            other => content.add(text(text_of_block(other))),
        }
    }
    if let Some(structured) = text_of_structured(result) {
        content.add(text(structured));
    }
    content.build()
}

fn text(text: String) -> Value {
    Value::object().put("type", "text").put("text", text).build()
}

fn image(media: &MediaContent) -> Value {
    let source = Value::object()
        .put("type", "base64")
        .put("media_type", media.mime_type.as_str())
        .put("data", base64(&media.data));
    Value::object().put("type", "image").put("source", source).build()
}
