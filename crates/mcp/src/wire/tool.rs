//! Tools and their results.

use toolmesh_json::{Value, View, write_value};
use toolmesh_tool::{CatalogueTool, TaskMode, Tool, ToolResult};

use super::{
    Inexpressible, ObjectWriter,
    content::{Place, write_block, write_meta},
    icon::write_icons,
};
use crate::revision::{Projection, Structured};

/// Whether a revision knows such tools: those whose calls all become tasks, and those that mirror arguments in headers,
/// are offered by the revisions that have tasks and mirrored headers.
pub(crate) fn is_offered(tool: &Tool, projection: &Projection) -> bool {
    projection.extensions
        || (tool.task_mode() != TaskMode::Required && tool.input_schema().mirrored_headers().is_empty())
}

/// Writes a tool's descriptor.
pub(crate) fn write_tool(out: &mut Vec<u8>, entry: &CatalogueTool, projection: &Projection) {
    let tool = entry.tool();
    let mut object = ObjectWriter::open(out);
    object.text("name", entry.name().as_str());
    object.text_opt("title", tool.title());
    object.text_opt("description", tool.description());
    write_icons(&mut object, tool.icons(), projection);
    object.value("inputSchema", tool.input_schema().document().view());
    if let Some(schema) = tool.output_schema() {
        let document = schema.document().view();
        if is_expressible(document, projection) {
            object.value("outputSchema", document);
        }
    }
    let annotations = tool.annotations();
    if !annotations.is_empty() {
        write_value(object.member("annotations"), annotations.to_value().view());
    }
    write_meta(&mut object, tool.meta());
    object.close();
}

/// Whether the revision can publish this output schema: the 2025 revisions know only those of objects.
fn is_expressible(schema: View<'_>, projection: &Projection) -> bool {
    match projection.structured {
        Structured::Any => true,
        Structured::ObjectOnly => schema.get("type").and_then(View::as_str) == Some("object"),
    }
}

/// Whether the revision can carry this structured content: the 2025 revisions know only objects.
pub(crate) fn can_carry(structured: &Value, projection: &Projection) -> bool {
    match projection.structured {
        Structured::Any => true,
        Structured::ObjectOnly => structured.as_object().is_some(),
    }
}

/// Writes the members of a tool's result, except `_meta`.
///
/// # Errors
/// [`Inexpressible`] when the revision cannot express the result.
pub(crate) fn write_tool_result(
    object: &mut ObjectWriter<'_>,
    result: &ToolResult,
    projection: &Projection,
) -> Result<(), Inexpressible> {
    let mut written = Ok(());
    object.array("content", |array| {
        for block in &result.content {
            written = written.and_then(|()| write_block(array.item(), block, Place::ToolResult, projection));
        }
    });
    written?;
    if let Some(structured) = &result.structured {
        if !can_carry(structured, projection) {
            return Err(Inexpressible::StructuredContent);
        }
        object.value("structuredContent", structured.view());
    }
    if result.is_error {
        object.boolean("isError", true);
    }
    Ok(())
}
