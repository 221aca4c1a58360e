//! What a completed tool call gives back.

use toolmesh_json::Value;

use crate::content::{ContentBlock, TextContent};

/// The result of a completed call: ordered content, optional structured content, and whether the tool said no.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolResult {
    /// Content blocks in order; may be empty.
    pub content: Vec<ContentBlock>,
    /// Structured content; checked against the tool's output schema when it has one.
    pub structured: Option<Value>,
    /// The tool itself failed, in a way that the agent may read and repair.
    pub is_error: bool,
    /// Extension metadata, an object (`_meta`).
    pub meta: Option<Value>,
}

impl ToolResult {
    /// A result of one text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            content: vec![ContentBlock::Text(TextContent::new(text))],
            ..Self::default()
        }
    }

    /// A result of structured content alone; the dispatcher mirrors it as text unless the tool opted out.
    pub fn structured(value: impl Into<Value>) -> Self {
        Self {
            structured: Some(value.into()),
            ..Self::default()
        }
    }

    /// A tool error: one text block that tells the agent what to repair.
    pub fn error_text(text: impl Into<String>) -> Self {
        Self {
            is_error: true,
            ..Self::text(text)
        }
    }

    /// Adds structured content.
    #[must_use]
    pub fn with_structured(mut self, value: impl Into<Value>) -> Self {
        self.structured = Some(value.into());
        self
    }

    /// Appends a content block.
    #[must_use]
    pub fn with_content(mut self, block: ContentBlock) -> Self {
        self.content.push(block);
        self
    }

    /// The text blocks joined by line ends; empty when there are none.
    #[must_use]
    pub fn joined_text(&self) -> String {
        let texts: Vec<&str> = self
            .content
            .iter()
            .filter_map(|block| match block {
                ContentBlock::Text(text) => Some(text.text.as_str()),
                _ => None,
            })
            .collect();
        texts.join("\n")
    }
}
