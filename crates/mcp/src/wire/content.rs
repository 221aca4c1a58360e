//! Content blocks.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use toolmesh_json::Value;
use toolmesh_tool::{
    ContentAnnotations, ContentBlock, MediaContent, ResourceBody, ResourceContents, ResourceLink, Role,
};

use super::{Inexpressible, ObjectWriter, icon::write_kept_icons};
use crate::revision::{LinkIcons, Projection};

/// Where a block stands: a revision may differ in what it allows there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In a tool's result.
    ToolResult,
    /// In a prompt's message.
    PromptMessage,
}

/// Writes one block.
///
/// # Errors
/// [`Inexpressible`] when the revision cannot express the block.
pub(super) fn write_block(
    out: &mut Vec<u8>,
    block: &ContentBlock,
    place: Place,
    projection: &Projection,
) -> Result<(), Inexpressible> {
    let mut object = ObjectWriter::open(out);
    match block {
        ContentBlock::Text(text) => {
            object.text("type", "text");
            object.text("text", &text.text);
            write_hints(&mut object, text.annotations.as_ref(), text.meta.as_ref());
        }
        ContentBlock::Image(media) => write_media(&mut object, "image", media),
        ContentBlock::Audio(media) => write_media(&mut object, "audio", media),
        ContentBlock::ResourceLink(link) => write_link(&mut object, link, place, projection)?,
        ContentBlock::Resource(embedded) => {
            object.text("type", "resource");
            write_resource_contents(object.member("resource"), &embedded.resource);
            write_hints(&mut object, embedded.annotations.as_ref(), embedded.meta.as_ref());
        }
        _ => return Err(Inexpressible::Content),
    }
    object.close();
    Ok(())
}

/// Writes a resource's contents.
pub(super) fn write_resource_contents(out: &mut Vec<u8>, contents: &ResourceContents) {
    let mut object = ObjectWriter::open(out);
    object.text("uri", &contents.uri);
    object.text_opt("mimeType", contents.mime_type.as_deref());
    match &contents.body {
        ResourceBody::Text(text) => object.text("text", text),
        ResourceBody::Blob(bytes) => write_base64(&mut object, "blob", bytes),
    }
    write_meta(&mut object, contents.meta.as_ref());
    object.close();
}

/// Writes the `annotations` member when there is one.
pub(super) fn write_annotations(object: &mut ObjectWriter<'_>, annotations: Option<&ContentAnnotations>) {
    let Some(annotations) = annotations else { return };
    object.object("annotations", |object| {
        if !annotations.audience.is_empty() {
            object.array("audience", |array| {
                for role in &annotations.audience {
                    array.text(role_name(*role));
                }
            });
        }
        if let Some(priority) = annotations.priority {
            object.float("priority", priority);
        }
        object.text_opt("lastModified", annotations.last_modified.as_deref());
    });
}

/// Writes the `_meta` member when there is one.
pub(super) fn write_meta(object: &mut ObjectWriter<'_>, meta: Option<&Value>) {
    if let Some(meta) = meta {
        object.value("_meta", meta.view());
    }
}

/// The role as the wire spells it.
pub(super) fn role_name(role: Role) -> &'static str {
    match role {
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}

fn write_media(object: &mut ObjectWriter<'_>, kind: &str, media: &MediaContent) {
    object.text("type", kind);
    write_base64(object, "data", &media.data);
    object.text("mimeType", &media.mime_type);
    write_hints(object, media.annotations.as_ref(), media.meta.as_ref());
}

fn write_link(
    object: &mut ObjectWriter<'_>,
    link: &ResourceLink,
    place: Place,
    projection: &Projection,
) -> Result<(), Inexpressible> {
    object.text("type", "resource_link");
    object.text("uri", &link.uri);
    object.text("name", &link.name);
    object.text_opt("title", link.title.as_deref());
    object.text_opt("description", link.description.as_deref());
    object.text_opt("mimeType", link.mime_type.as_deref());
    if let Some(size) = link.size {
        object.integer("size", size);
    }
    match (projection.link_icons, place) {
        (LinkIcons::Kept, _) => write_kept_icons(object, &link.icons),
        (LinkIcons::Unknown, Place::PromptMessage) if !link.icons.is_empty() => {
            return Err(Inexpressible::LinkIcons);
        }
        (LinkIcons::Unknown, _) => {}
    }
    write_hints(object, link.annotations.as_ref(), link.meta.as_ref());
    Ok(())
}

fn write_hints(
    object: &mut ObjectWriter<'_>,
    annotations: Option<&ContentAnnotations>,
    meta: Option<&Value>,
) {
    write_annotations(object, annotations);
    write_meta(object, meta);
}

fn write_base64(object: &mut ObjectWriter<'_>, name: &'static str, bytes: &[u8]) {
    object.text(name, &STANDARD.encode(bytes));
}
