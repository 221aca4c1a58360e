//! Steps 12 to 15: what a result must be before it leaves.

use crate::{
    CallContext, CallError, CatalogueTool, ContentBlock, Outcome, ResourceBody, Tool, ToolResult,
    content::TextContent,
};

/// Sees every result before it leaves, generated errors too, and may replace it. Without one, results stay as they are.
pub trait Sanitizer: Send + Sync + 'static {
    /// The result to send.
    fn sanitize(&self, context: &CallContext, tool: &CatalogueTool, result: ToolResult) -> ToolResult;
}

/// How large a result may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputLimits {
    /// Text, structured content and binary content together, in bytes before any encoding; 4 MiB by default, which is
    /// the ceiling of one message.
    pub bytes: usize,
    /// One binary item, in raw bytes; 786,432 by default, so that its base64 form fits one JSON string of 1 Mi units.
    pub media_bytes: usize,
    /// The longest text that mirrors structured content, in UTF-16 units; longer ones are left out.
    pub mirror_units: usize,
}

impl Default for OutputLimits {
    fn default() -> Self {
        Self {
            bytes: 4 * 1024 * 1024,
            media_bytes: 786_432,
            mirror_units: 1_048_576,
        }
    }
}

/// Checks and completes what a handler gave.
pub(super) fn finish(
    sanitizer: Option<&dyn Sanitizer>,
    limits: &OutputLimits,
    context: &CallContext,
    tool: &CatalogueTool,
    outcome: Outcome,
) -> Outcome {
    let sanitize = |result| match sanitizer {
        None => result,
        Some(sanitizer) => sanitizer.sanitize(context, tool, result),
    };
    match outcome {
        Outcome::Completed(result) => complete(tool.tool(), limits, sanitize(result)).into(),
        Outcome::Failed(CallError::InvalidArguments(result)) => {
            CallError::InvalidArguments(Box::new(sanitize(*result))).into()
        }
        other => other,
    }
}

fn complete(tool: &Tool, limits: &OutputLimits, mut result: ToolResult) -> Result<ToolResult, CallError> {
    check_schema(tool, &result)?;
    let structured = result.structured.as_ref().map(|value| value.to_text());
    let structured_bytes = structured.as_ref().map_or(0, String::len);
    if let Some(text) = structured.filter(|text| tool.mirror_structured_content() && fits(text, limits)) {
        result.content.push(ContentBlock::Text(TextContent::new(text)));
    }
    check_size(limits, &result, structured_bytes)?;
    Ok(result)
}

/// A tool error need not have the promised shape: it tells why there is none.
fn check_schema(tool: &Tool, result: &ToolResult) -> Result<(), CallError> {
    let Some(schema) = tool.output_schema().filter(|_| !result.is_error) else {
        return Ok(());
    };
    let Some(structured) = &result.structured else {
        return Err(CallError::InvalidOutput(
            "structured content is missing".to_owned(),
        ));
    };
    if schema.evaluate(structured).is_valid() {
        return Ok(());
    }
    Err(CallError::InvalidOutput(
        "structured content does not match the output schema".to_owned(),
    ))
}

fn fits(text: &str, limits: &OutputLimits) -> bool {
    // UTF-16 units never outnumber bytes, so counting is needed only for long texts.
    text.len() <= limits.mirror_units || text.encode_utf16().count() <= limits.mirror_units
}

fn check_size(limits: &OutputLimits, result: &ToolResult, structured_bytes: usize) -> Result<(), CallError> {
    let mut total = structured_bytes;
    for block in &result.content {
        let (bytes, media) = size(block);
        if media && bytes > limits.media_bytes {
            return Err(CallError::InvalidOutput("a binary item is too large".to_owned()));
        }
        total = total.saturating_add(bytes);
    }
    if total > limits.bytes {
        return Err(CallError::InvalidOutput("the result is too large".to_owned()));
    }
    Ok(())
}

/// The bytes of a block, and whether they are binary.
fn size(block: &ContentBlock) -> (usize, bool) {
    match block {
        ContentBlock::Text(text) => (text.text.len(), false),
        ContentBlock::Image(media) | ContentBlock::Audio(media) => (media.data.len(), true),
        ContentBlock::ResourceLink(link) => (
            link.uri.len() + link.name.len() + link.description.as_ref().map_or(0, String::len),
            false,
        ),
        ContentBlock::Resource(embedded) => match &embedded.resource.body {
            ResourceBody::Text(text) => (text.len(), false),
            ResourceBody::Blob(bytes) => (bytes.len(), true),
        },
    }
}
