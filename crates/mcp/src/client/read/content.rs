//! Content blocks.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use toolmesh_json::View;
use toolmesh_tool::{
    ContentBlock, EmbeddedResource, MediaContent, ResourceBody, ResourceContents, ResourceLink, TextContent,
};

use super::{icons, info::annotations};
use crate::client::{error::ClientError, peer::text, prefix::Prefixed};

const BROKEN: ClientError = ClientError::Protocol("a content block lacks what its type needs");

/// Reads one block. One of a type that is not known here becomes its JSON as text, so that nothing is lost.
pub(super) fn block(of: View<'_>, prefixed: &Prefixed) -> Result<ContentBlock, ClientError> {
    let meta = of.get("_meta").map(View::to_value);
    Ok(match of.get("type").and_then(View::as_str) {
        Some("text") => ContentBlock::Text(TextContent {
            text: text(of, "text").ok_or(BROKEN)?,
            annotations: annotations(of),
            meta,
        }),
        Some("image") => ContentBlock::Image(media(of)?),
        Some("audio") => ContentBlock::Audio(media(of)?),
        Some("resource_link") => ContentBlock::ResourceLink(link(of, prefixed)?),
        Some("resource") => ContentBlock::Resource(EmbeddedResource {
            resource: resource_contents(of.get("resource").ok_or(BROKEN)?, prefixed)?,
            annotations: annotations(of),
            meta,
        }),
        Some(_) => ContentBlock::Text(TextContent::new(of.to_text())),
        None => return Err(BROKEN),
    })
}

/// Reads a resource's contents, under the URI that callers know.
pub(super) fn resource_contents(of: View<'_>, prefixed: &Prefixed) -> Result<ResourceContents, ClientError> {
    let body = match (text(of, "text"), of.get("blob").and_then(View::as_str)) {
        (Some(text), _) => ResourceBody::Text(text),
        (None, Some(blob)) => ResourceBody::Blob(decode(blob)?),
        (None, None) => return Err(BROKEN),
    };
    Ok(ResourceContents {
        uri: prefixed.published(&text(of, "uri").ok_or(BROKEN)?),
        mime_type: text(of, "mimeType"),
        body,
        meta: of.get("_meta").map(View::to_value),
    })
}

fn media(of: View<'_>) -> Result<MediaContent, ClientError> {
    Ok(MediaContent {
        data: decode(of.get("data").and_then(View::as_str).ok_or(BROKEN)?)?,
        mime_type: text(of, "mimeType").ok_or(BROKEN)?,
        annotations: annotations(of),
        meta: of.get("_meta").map(View::to_value),
    })
}

fn link(of: View<'_>, prefixed: &Prefixed) -> Result<ResourceLink, ClientError> {
    Ok(ResourceLink {
        uri: prefixed.published(&text(of, "uri").ok_or(BROKEN)?),
        name: text(of, "name").ok_or(BROKEN)?,
        title: text(of, "title"),
        description: text(of, "description"),
        mime_type: text(of, "mimeType"),
        size: of.get("size").and_then(View::as_u64),
        icons: icons(of),
        annotations: annotations(of),
        meta: of.get("_meta").map(View::to_value),
    })
}

fn decode(base64: &str) -> Result<Vec<u8>, ClientError> {
    let decoded = STANDARD.decode(base64);
    decoded.map_err(|_| ClientError::Protocol("a content block's data is not base64"))
}
