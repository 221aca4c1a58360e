//! Lists of tools.

use toolmesh::{
    json::Value,
    tool::{CatalogueTool, SchemaForm, ToolDescriptor},
};

use super::{Layout, table};

/// The most characters of a description in a table: others may have written it, as long as they like.
const MAX_DESCRIPTION_CHARS: usize = 240;

/// The tools for a terminal: name, what a call does, and the first sentence of the description.
pub(crate) fn tools_table<'a>(tools: impl Iterator<Item = &'a CatalogueTool>) -> String {
    let row = |entry: &CatalogueTool| {
        let description = entry.tool().description().unwrap_or_default();
        vec![
            entry.name().to_string(),
            effect(entry).to_owned(),
            shortened(first_sentence(description)),
        ]
    };
    table(Layout::Plain, &["TOOL", "EFFECT", "DESCRIPTION"], tools.map(row))
}

/// What a call may do, in a word.
pub(crate) fn effect(entry: &CatalogueTool) -> &'static str {
    let annotations = entry.tool().annotations();
    match (annotations.read_only, annotations.destructive) {
        (Some(true), _) => "reads",
        (_, Some(false)) => "adds",
        (_, Some(true)) => "changes",
        (Some(false), None) => "changes",
        (None, None) => "unknown",
    }
}

/// An array of descriptors, schemas as objects.
pub(crate) fn tools_json(tools: impl Iterator<Item = ToolDescriptor>) -> Value {
    tools.map(|tool| tool.to_value(SchemaForm::Object)).collect()
}

/// An array of tools as MCP's `tools/list` gives them.
pub(crate) fn mcp_tools<'a>(tools: impl Iterator<Item = &'a CatalogueTool>) -> Value {
    tools.map(mcp_tool).collect()
}

fn mcp_tool(entry: &CatalogueTool) -> Value {
    let tool = entry.tool();
    let icons = (!tool.icons().is_empty())
        .then(|| tool.icons().iter().map(|icon| icon.to_value()).collect::<Value>());
    Value::object()
        .put("name", entry.name().as_str())
        .put_opt("title", tool.title())
        .put_opt("description", tool.description())
        .put_opt("icons", icons)
        .put("inputSchema", tool.input_schema().document())
        .put_opt(
            "outputSchema",
            tool.output_schema().map(|schema| schema.document()),
        )
        .put_opt(
            "annotations",
            (!tool.annotations().is_empty()).then(|| tool.annotations().to_value()),
        )
        .put_opt("_meta", tool.meta())
        .build()
}

/// The text up to the first full stop that ends a sentence, or the first line end.
fn first_sentence(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    line.find(". ")
        .map_or(line, |end| line.get(..=end).unwrap_or(line))
}

/// A text with no more characters than a table shows of it.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_DESCRIPTION_CHARS) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_for_a_table_is_cut_and_says_so() {
        let long = "ä".repeat(MAX_DESCRIPTION_CHARS);
        assert_eq!(shortened(&long), long);
        assert_eq!(shortened(&format!("{long}x")), format!("{long}..."));
    }

    #[test]
    fn a_sentence_ends_at_its_full_stop_or_line_end() {
        assert_eq!(first_sentence("One. Two."), "One.");
        assert_eq!(first_sentence("Version 1.5 of it\nmore"), "Version 1.5 of it");
        assert_eq!(first_sentence(""), "");
    }
}
