//! Content blocks: what results and prompt messages are made of.

mod check;
mod moment;

use toolmesh_json::Value;

pub use check::ContentError;
pub(crate) use check::check_meta;

use crate::Icon;

/// Who a piece of content is for, or who speaks in a prompt message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
}

/// Hints for a client about a piece of content (MCP `Annotations`).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContentAnnotations {
    /// Who it is meant for; empty means nobody in particular.
    pub audience: Vec<Role>,
    /// Importance from 0 (optional) to 1 (required).
    pub priority: Option<f64>,
    /// When it last changed, ISO 8601.
    pub last_modified: Option<String>,
}

/// One block of content.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ContentBlock {
    /// Text.
    Text(TextContent),
    /// An image.
    Image(MediaContent),
    /// Sound.
    Audio(MediaContent),
    /// A pointer to a resource.
    ResourceLink(ResourceLink),
    /// A resource's contents, inline.
    Resource(EmbeddedResource),
}

/// A block of text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TextContent {
    /// The text, exact.
    pub text: String,
    /// Hints for the client.
    pub annotations: Option<ContentAnnotations>,
    /// Extension metadata, an object.
    pub meta: Option<Value>,
}

impl TextContent {
    /// A text without hints.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }
}

/// Binary content: an image or sound.
#[derive(Debug, Clone, PartialEq)]
pub struct MediaContent {
    /// The raw bytes; base64 on the wire.
    pub data: Vec<u8>,
    /// The media type, `type/subtype`.
    pub mime_type: String,
    /// Hints for the client.
    pub annotations: Option<ContentAnnotations>,
    /// Extension metadata, an object.
    pub meta: Option<Value>,
}

/// A pointer to a resource that the client may read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ResourceLink {
    /// The resource's URI.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// A title for people.
    pub title: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Its media type.
    pub mime_type: Option<String>,
    /// Its size in bytes.
    pub size: Option<u64>,
    /// Icons; a revision without icons omits them.
    pub icons: Vec<Icon>,
    /// Hints for the client.
    pub annotations: Option<ContentAnnotations>,
    /// Extension metadata, an object.
    pub meta: Option<Value>,
}

/// A resource's contents inside a result.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddedResource {
    /// The contents.
    pub resource: ResourceContents,
    /// Hints for the client.
    pub annotations: Option<ContentAnnotations>,
    /// Extension metadata, an object.
    pub meta: Option<Value>,
}

/// What reading a resource gives: one item.
#[derive(Debug, Clone, PartialEq)]
pub struct ResourceContents {
    /// The URI that was read.
    pub uri: String,
    /// The media type.
    pub mime_type: Option<String>,
    /// The body.
    pub body: ResourceBody,
    /// Extension metadata, an object.
    pub meta: Option<Value>,
}

/// A resource's body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResourceBody {
    /// Text.
    Text(String),
    /// Bytes; base64 on the wire.
    Blob(Vec<u8>),
}
