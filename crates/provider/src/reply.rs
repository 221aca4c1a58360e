//! A result on its way back to the model.

use ::base64::Engine as _;
use ::base64::engine::general_purpose::STANDARD;
use toolmesh_json::Value;
use toolmesh_tool::{ContentBlock, MediaContent, ResourceBody, ToolResult};

use crate::call::FailedCall;
use crate::spec::ToolCallSpec;

/// What one call came to; all replies of a turn go back together, through [`crate::Toolset::messages`].
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The tool's own identifier.
    pub name: String,
    /// The provider's id of the call.
    pub call_id: Option<String>,
    /// The result; with `is_error` when the call failed.
    pub result: ToolResult,
}

impl Reply {
    /// The reply to a call.
    #[must_use]
    pub fn to(call: &ToolCallSpec, result: ToolResult) -> Self {
        Self {
            name: call.name.clone(),
            call_id: call.provider_call_id.clone(),
            result,
        }
    }

    /// The reply to a call that could not be made, in words that the model may act on.
    #[must_use]
    pub fn to_failed(call: &FailedCall) -> Self {
        Self {
            name: call.name.clone(),
            call_id: call.provider_call_id.clone(),
            result: ToolResult::error_text(call.fault.to_string()),
        }
    }
}

/// A result as text: its blocks line by line, or its structured content where it has no text of its own.
pub(crate) fn text_of(result: &ToolResult) -> String {
    let shown = result
        .content
        .iter()
        .filter(|block| !matches!(block, ContentBlock::Image(_)));
    let mut lines: Vec<String> = shown.map(text_of_block).collect();
    lines.extend(text_of_structured(result));
    lines.join("\n")
}

/// The structured content as text, unless a text block says it already (the dispatcher mirrors it).
pub(crate) fn text_of_structured(result: &ToolResult) -> Option<String> {
    let has_text = result
        .content
        .iter()
        .any(|block| matches!(block, ContentBlock::Text(_)));
    let structured = result.structured.as_ref().filter(|_| !has_text)?;
    Some(structured.to_text())
}

/// A block in words, for where the provider takes only text.
pub(crate) fn text_of_block(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(media) => format!("(an image, {}, {} bytes)", media.mime_type, media.data.len()),
        ContentBlock::Audio(media) => format!("(sound, {}, {} bytes)", media.mime_type, media.data.len()),
        ContentBlock::ResourceLink(link) => format!("{}: {}", link.name, link.uri),
        ContentBlock::Resource(embedded) => match &embedded.resource.body {
            ResourceBody::Text(text) => text.clone(),
            ResourceBody::Blob(bytes) => {
                format!("(the resource {}, {} bytes)", embedded.resource.uri, bytes.len())
            }
        },
        _ => "(content of an unknown kind)".to_owned(),
    }
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

pub(crate) fn data_url(media: &MediaContent) -> Value {
    Value::from(format!("data:{};base64,{}", media.mime_type, base64(&media.data)))
}
