//! Results in the protocol's form.

use toolmesh_json::{ObjectBuilder, Value};
use toolmesh_tool::{ContentBlock, MediaContent, ResourceBody, ResourceContents, ResourceLink, ToolResult};

use crate::reply::{Reply, base64};

/// A `CallToolResult` for each reply.
pub(crate) fn messages(replies: &[Reply]) -> Vec<Value> {
    replies.iter().map(|reply| result(&reply.result)).collect()
}

fn result(result: &ToolResult) -> Value {
    Value::object()
        .put_opt("_meta", result.meta.clone())
        .put("content", result.content.iter().map(block).collect::<Value>())
        .put_opt("structuredContent", result.structured.clone())
        .put_opt("isError", result.is_error.then_some(true))
        .build()
}

fn block(block: &ContentBlock) -> Value {
    match block {
        ContentBlock::Text(text) => typed("text").put("text", text.text.as_str()),
        ContentBlock::Image(media) => media_of(typed("image"), media),
        ContentBlock::Audio(media) => media_of(typed("audio"), media),
        ContentBlock::ResourceLink(link) => link_of(link),
        ContentBlock::Resource(embedded) => typed("resource").put("resource", contents(&embedded.resource)),
        _ => typed("text").put("text", "(content of an unknown kind)"),
    }
    .build()
}

fn typed(kind: &str) -> ObjectBuilder {
    Value::object().put("type", kind)
}

fn media_of(into: ObjectBuilder, media: &MediaContent) -> ObjectBuilder {
    into.put("data", base64(&media.data))
        .put("mimeType", media.mime_type.as_str())
}

fn link_of(link: &ResourceLink) -> ObjectBuilder {
    typed("resource_link")
        .put("uri", link.uri.as_str())
        .put("name", link.name.as_str())
        .put_opt("title", link.title.as_deref())
        .put_opt("description", link.description.as_deref())
        .put_opt("mimeType", link.mime_type.as_deref())
        .put_opt("size", link.size)
}

fn contents(contents: &ResourceContents) -> ObjectBuilder {
    let object = Value::object()
        .put("uri", contents.uri.as_str())
        .put_opt("mimeType", contents.mime_type.as_deref());
    match &contents.body {
        ResourceBody::Text(text) => object.put("text", text.as_str()),
        ResourceBody::Blob(bytes) => object.put("blob", base64(bytes)),
    }
}
