//! Results in Gemini's form: one content of the user's with a part for each call.

use toolmesh_json::{ArrayBuilder, Value};
use toolmesh_tool::{ContentBlock, ToolResult};

use crate::reply::{Reply, base64, text_of};

/// `{"role":"user","parts":[{"functionResponse":{"id","name","response"}}]}`, then images as data; nothing for no replies.
pub(crate) fn messages(replies: &[Reply], sent: impl Fn(&str) -> String) -> Vec<Value> {
    if replies.is_empty() {
        return Vec::new();
    }
    let mut parts = Value::array();
    for reply in replies {
        let response = Value::object()
            .put_opt("id", reply.call_id.as_deref())
            .put("name", sent(&reply.name))
            .put("response", response(&reply.result));
        parts.add(Value::object().put("functionResponse", response));
    }
    for reply in replies {
        add_images(&reply.result, &mut parts);
    }
    vec![Value::object().put("role", "user").put("parts", parts).build()]
}

/// `FunctionResponse.response` is an object: `output` for what the function gave, `error` for what went wrong.
fn response(result: &ToolResult) -> Value {
    let response = Value::object();
    if result.is_error {
        return response.put("error", text_of(result)).build();
    }
    match &result.structured {
        Some(structured) => response.put("output", structured),
        None => response.put("output", text_of(result)),
    }
    .build()
}

fn add_images(result: &ToolResult, parts: &mut ArrayBuilder) {
    for block in &result.content {
        if let ContentBlock::Image(image) = block {
            let data = Value::object()
                .put("mimeType", image.mime_type.as_str())
                .put("data", base64(&image.data));
            parts.add(Value::object().put("inlineData", data));
        }
    }
}
