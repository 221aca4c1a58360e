//! Tool results as JSON, whole: what a client gets to see of them is decided when they are read.

use base64::{Engine, engine::general_purpose::STANDARD};
use toolmesh_json::{Number, Value, View};

use super::codec::{owned, read_texts};
use crate::{
    ContentAnnotations, ContentBlock, EmbeddedResource, Icon, IconTheme, MediaContent, ResourceBody,
    ResourceContents, ResourceLink, Role, TextContent, ToolResult,
};

pub(super) fn write_result(result: &ToolResult) -> Value {
    let content = result.content.iter().map(write_block).collect::<Vec<_>>();
    Value::object()
        .put("content", content)
        .put_opt("structured", result.structured.clone())
        .put("isError", result.is_error)
        .put_opt("meta", result.meta.clone())
        .build()
}

pub(super) fn read_result(value: View<'_>) -> Option<ToolResult> {
    let content = value.get("content")?.as_array()?;
    Some(ToolResult {
        content: content.iter().map(read_block).collect::<Option<_>>()?,
        structured: value.get("structured").map(View::detach),
        is_error: value.get("isError")?.as_bool()?,
        meta: value.get("meta").map(View::detach),
    })
}

fn write_block(block: &ContentBlock) -> Value {
    match block {
        ContentBlock::Text(text) => Value::object()
            .put("type", "text")
            .put("text", text.text.as_str())
            .put_opt("annotations", text.annotations.as_ref().map(write_annotations))
            .put_opt("meta", text.meta.clone())
            .build(),
        ContentBlock::Image(media) => write_media("image", media),
        ContentBlock::Audio(media) => write_media("audio", media),
        ContentBlock::ResourceLink(link) => write_link(link),
        ContentBlock::Resource(embedded) => Value::object()
            .put("type", "resource")
            .put("resource", write_contents(&embedded.resource))
            .put_opt(
                "annotations",
                embedded.annotations.as_ref().map(write_annotations),
            )
            .put_opt("meta", embedded.meta.clone())
            .build(),
    }
}

fn read_block(value: View<'_>) -> Option<ContentBlock> {
    Some(match value.get("type")?.as_str()? {
        "text" => ContentBlock::Text(TextContent {
            text: owned(value, "text")?,
            annotations: read_annotations(value),
            meta: value.get("meta").map(View::detach),
        }),
        "image" => ContentBlock::Image(read_media(value)?),
        "audio" => ContentBlock::Audio(read_media(value)?),
        "resource_link" => ContentBlock::ResourceLink(read_link(value)?),
        "resource" => ContentBlock::Resource(EmbeddedResource {
            resource: read_contents(value.get("resource")?)?,
            annotations: read_annotations(value),
            meta: value.get("meta").map(View::detach),
        }),
        _ => return None,
    })
}

fn write_media(kind: &str, media: &MediaContent) -> Value {
    Value::object()
        .put("type", kind)
        .put("data", STANDARD.encode(&media.data))
        .put("mimeType", media.mime_type.as_str())
        .put_opt("annotations", media.annotations.as_ref().map(write_annotations))
        .put_opt("meta", media.meta.clone())
        .build()
}

fn read_media(value: View<'_>) -> Option<MediaContent> {
    Some(MediaContent {
        data: STANDARD.decode(value.get("data")?.as_str()?).ok()?,
        mime_type: owned(value, "mimeType")?,
        annotations: read_annotations(value),
        meta: value.get("meta").map(View::detach),
    })
}

fn write_link(link: &ResourceLink) -> Value {
    let icons = link.icons.iter().map(Icon::to_value).collect::<Vec<_>>();
    Value::object()
        .put("type", "resource_link")
        .put("uri", link.uri.as_str())
        .put("name", link.name.as_str())
        .put_opt("title", link.title.as_deref())
        .put_opt("description", link.description.as_deref())
        .put_opt("mimeType", link.mime_type.as_deref())
        .put_opt("size", link.size)
        .put("icons", icons)
        .put_opt("annotations", link.annotations.as_ref().map(write_annotations))
        .put_opt("meta", link.meta.clone())
        .build()
}

fn read_link(value: View<'_>) -> Option<ResourceLink> {
    let icons = value.get("icons")?.as_array()?;
    Some(ResourceLink {
        uri: owned(value, "uri")?,
        name: owned(value, "name")?,
        title: owned(value, "title"),
        description: owned(value, "description"),
        mime_type: owned(value, "mimeType"),
        size: value.get("size").and_then(View::as_u64),
        icons: icons.iter().map(read_icon).collect::<Option<_>>()?,
        annotations: read_annotations(value),
        meta: value.get("meta").map(View::detach),
    })
}

fn read_icon(value: View<'_>) -> Option<Icon> {
    Some(Icon {
        source: owned(value, "src")?,
        mime_type: owned(value, "mimeType"),
        sizes: read_texts(value.get("sizes")),
        theme: match value.get("theme").and_then(View::as_str) {
            Some("light") => Some(IconTheme::Light),
            Some("dark") => Some(IconTheme::Dark),
            _ => None,
        },
    })
}

fn write_contents(contents: &ResourceContents) -> Value {
    let object = Value::object()
        .put("uri", contents.uri.as_str())
        .put_opt("mimeType", contents.mime_type.as_deref())
        .put_opt("meta", contents.meta.clone());
    match &contents.body {
        ResourceBody::Text(text) => object.put("text", text.as_str()),
        ResourceBody::Blob(bytes) => object.put("blob", STANDARD.encode(bytes)),
    }
    .build()
}

fn read_contents(value: View<'_>) -> Option<ResourceContents> {
    let body = match value.get("text") {
        Some(text) => ResourceBody::Text(text.as_str()?.to_owned()),
        None => ResourceBody::Blob(STANDARD.decode(value.get("blob")?.as_str()?).ok()?),
    };
    Some(ResourceContents {
        uri: owned(value, "uri")?,
        mime_type: owned(value, "mimeType"),
        body,
        meta: value.get("meta").map(View::detach),
    })
}

fn write_annotations(annotations: &ContentAnnotations) -> Value {
    let audience: Vec<Value> = annotations
        .audience
        .iter()
        .map(|role| match role {
            Role::User => Value::from("user"),
            Role::Assistant => Value::from("assistant"),
        })
        .collect();
    Value::object()
        .put("audience", audience)
        .put_opt("priority", annotations.priority.and_then(Number::from_f64))
        .put_opt("lastModified", annotations.last_modified.as_deref())
        .build()
}

fn read_annotations(block: View<'_>) -> Option<ContentAnnotations> {
    let value = block.get("annotations")?;
    let audience = read_texts(value.get("audience"));
    Some(ContentAnnotations {
        audience: audience
            .iter()
            .filter_map(|role| match role.as_str() {
                "user" => Some(Role::User),
                "assistant" => Some(Role::Assistant),
                _ => None,
            })
            .collect(),
        priority: value
            .get("priority")
            .and_then(View::as_number)
            .map(Number::to_f64),
        last_modified: owned(value, "lastModified"),
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A result with every kind of block and every member set.
    pub(in crate::task) fn every_block() -> ToolResult {
        let annotations = Some(ContentAnnotations {
            audience: vec![Role::User, Role::Assistant],
            priority: Some(0.1),
            last_modified: Some("2026-01-01T00:00:00Z".into()),
        });
        let meta = Some(Value::object().put("m", 1).build());
        let media = MediaContent {
            data: vec![0, 255, 7],
            mime_type: "image/png".into(),
            annotations: annotations.clone(),
            meta: meta.clone(),
        };
        let contents = |body| ResourceContents {
            uri: "test://r".into(),
            mime_type: Some("text/plain".into()),
            body,
            meta: meta.clone(),
        };
        let embedded = |body| {
            ContentBlock::Resource(EmbeddedResource {
                resource: contents(body),
                annotations: annotations.clone(),
                meta: meta.clone(),
            })
        };
        ToolResult {
            content: vec![
                ContentBlock::Text(TextContent {
                    text: "t\u{0}".into(),
                    annotations: annotations.clone(),
                    meta: meta.clone(),
                }),
                ContentBlock::Image(media.clone()),
                ContentBlock::Audio(media),
                ContentBlock::ResourceLink(ResourceLink {
                    uri: "test://l".into(),
                    name: "l".into(),
                    title: Some("L".into()),
                    description: Some("d".into()),
                    mime_type: Some("text/plain".into()),
                    size: Some(u64::MAX),
                    icons: vec![Icon {
                        source: "https://example.com/i.png".into(),
                        mime_type: Some("image/png".into()),
                        sizes: vec!["48x48".into(), "any".into()],
                        theme: Some(IconTheme::Dark),
                    }],
                    annotations: annotations.clone(),
                    meta: meta.clone(),
                }),
                embedded(ResourceBody::Text("body".into())),
                embedded(ResourceBody::Blob(vec![1, 2, 3])),
            ],
            structured: Some(Value::null()),
            is_error: true,
            meta,
        }
    }

    #[test]
    fn structured_null_is_not_the_same_as_none() {
        let mut result = every_block();
        assert_eq!(read_result(write_result(&result).view()), Some(result.clone()));
        result.structured = None;
        assert_eq!(read_result(write_result(&result).view()), Some(result));
    }
}
