//! Steps 12 to 15: what a result must be before it leaves.

use toolmesh_json::{Value, written_units};
use toolmesh_schema::{Diagnostics, EvaluationOutcome};

use crate::{
    Budget, CallContext, CallError, CatalogueTool, ContentBlock, Outcome, PromptOutput, ResourceBody,
    ResourceContents, Tool, ToolResult,
    content::{TextContent, check_meta},
};

/// Most places of a result that a refusal names.
const MAX_PLACES: usize = 5;

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
    /// The longest text that mirrors structured content, in UTF-16 units as JSON spells it (a quote has two); longer ones
    /// are left out, and so is one that would make the result too large.
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

/// Tells in the log of a result that was refused. The caller hears nothing of the reason, and without it nobody who serves the
/// tool could find the fault.
pub(super) fn tell_of_refusal(tool: &str, outcome: &Outcome) {
    if let Outcome::Failed(CallError::InvalidOutput(reason)) = outcome {
        tracing::warn!(tool, reason = reason.as_str(), "the result of a tool is refused");
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
        Outcome::Completed(result) => complete(context, tool.tool(), limits, sanitize(result)).into(),
        Outcome::Failed(CallError::InvalidArguments(result)) => {
            CallError::InvalidArguments(Box::new(sanitize(*result))).into()
        }
        other => other,
    }
}

fn complete(
    context: &CallContext,
    tool: &Tool,
    limits: &OutputLimits,
    mut result: ToolResult,
) -> Result<ToolResult, CallError> {
    check_meta(result.meta.as_ref()).map_err(|error| invalid(&error.to_string()))?;
    check_schema(context, tool, &result)?;
    let structured = result.structured.as_ref().map(|value| value.to_text());
    let bytes = check_size(limits, &result, structured.as_ref().map_or(0, String::len))?;
    let fits = |text: &String| tool.mirror_structured_content() && limits.take_mirror(text, bytes);
    if let Some(text) = structured.filter(fits) {
        result.content.push(ContentBlock::Text(TextContent::new(text)));
    }
    Ok(result)
}

/// A tool error need not have the promised shape: it tells why there is none.
fn check_schema(context: &CallContext, tool: &Tool, result: &ToolResult) -> Result<(), CallError> {
    let Some(schema) = tool.output_schema().filter(|_| !result.is_error) else {
        return Ok(());
    };
    let Some(structured) = &result.structured else {
        return Err(invalid("structured content is missing"));
    };
    match schema.evaluate(structured).outcome() {
        EvaluationOutcome::Valid => Ok(()),
        EvaluationOutcome::LimitExceeded(_) => {
            context.watch().exhausted(Budget::OutputSchema);
            Err(invalid(
                "structured content is too large to be checked against the output schema",
            ))
        }
        EvaluationOutcome::Invalid(found) => Err(misfit(found)),
    }
}

/// That a result does not fit, and where: places and what was expected there, never what stood there.
fn misfit(found: &Diagnostics) -> CallError {
    let places: Vec<String> = found.iter().take(MAX_PLACES).map(ToString::to_string).collect();
    invalid(&format!(
        "structured content does not match the output schema: {}",
        places.join("; ")
    ))
}

/// Checks the bytes of a result, and gives how many there are.
fn check_size(
    limits: &OutputLimits,
    result: &ToolResult,
    structured_bytes: usize,
) -> Result<usize, CallError> {
    let mut sum = Sum::new(limits);
    sum.add(structured_bytes)?;
    sum.add(meta_bytes(result.meta.as_ref()))?;
    result.content.iter().try_for_each(|block| sum.add_block(block))?;
    Ok(sum.bytes)
}

impl OutputLimits {
    /// Whether a result of so many bytes has room for the text of its structured content.
    fn take_mirror(&self, text: &str, bytes: usize) -> bool {
        // No byte of JSON takes more than two units in a text, so that counting is needed only for long texts.
        let is_short = text.len() <= self.mirror_units / 2 || written_units(text) <= self.mirror_units;
        is_short && bytes.saturating_add(text.len()) <= self.bytes
    }

    /// Checks what reading a resource gave.
    pub(super) fn check_contents(&self, contents: &[ResourceContents]) -> Result<(), CallError> {
        let mut sum = Sum::new(self);
        contents.iter().try_for_each(|contents| {
            contents.check().map_err(|error| invalid(&error.to_string()))?;
            sum.add_contents(contents)
        })
    }

    /// Checks what getting a prompt gave.
    pub(super) fn check_prompt(&self, output: &PromptOutput) -> Result<(), CallError> {
        let mut sum = Sum::new(self);
        sum.add(output.description.as_ref().map_or(0, String::len))?;
        output
            .messages
            .iter()
            .try_for_each(|message| sum.add_block(&message.content))
    }
}

/// What was counted of a result so far.
struct Sum<'a> {
    limits: &'a OutputLimits,
    bytes: usize,
}

impl<'a> Sum<'a> {
    fn new(limits: &'a OutputLimits) -> Self {
        Self { limits, bytes: 0 }
    }

    fn add(&mut self, bytes: usize) -> Result<(), CallError> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.limits.bytes {
            return Err(invalid("the result is too large"));
        }
        Ok(())
    }

    fn add_media(&mut self, bytes: &[u8]) -> Result<(), CallError> {
        if bytes.len() > self.limits.media_bytes {
            return Err(invalid("a binary item is too large"));
        }
        self.add(bytes.len())
    }

    /// Checks a block and counts it.
    fn add_block(&mut self, block: &ContentBlock) -> Result<(), CallError> {
        block.check().map_err(|error| invalid(&error.to_string()))?;
        match block {
            ContentBlock::Text(text) => {
                self.add(text.text.len())?;
                self.add(meta_bytes(text.meta.as_ref()))
            }
            ContentBlock::Image(media) | ContentBlock::Audio(media) => {
                self.add_media(&media.data)?;
                self.add(meta_bytes(media.meta.as_ref()))
            }
            ContentBlock::ResourceLink(link) => {
                let icons: usize = link.icons.iter().map(|icon| icon.source.len()).sum();
                let texts = [&link.title, &link.description, &link.mime_type];
                let texts: usize = texts.into_iter().flatten().map(String::len).sum();
                self.add(link.uri.len() + link.name.len() + icons + texts)?;
                self.add(meta_bytes(link.meta.as_ref()))
            }
            ContentBlock::Resource(embedded) => {
                self.add(meta_bytes(embedded.meta.as_ref()))?;
                self.add_contents(&embedded.resource)
            }
        }
    }

    fn add_contents(&mut self, contents: &ResourceContents) -> Result<(), CallError> {
        self.add(contents.uri.len() + meta_bytes(contents.meta.as_ref()))?;
        match &contents.body {
            ResourceBody::Text(text) => self.add(text.len()),
            ResourceBody::Blob(bytes) => self.add_media(bytes),
        }
    }
}

fn meta_bytes(meta: Option<&Value>) -> usize {
    meta.map_or(0, |meta| meta.to_text().len())
}

fn invalid(why: &str) -> CallError {
    CallError::InvalidOutput(why.to_owned())
}
