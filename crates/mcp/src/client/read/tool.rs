//! Tools, with their schemas exactly as they were given.

use std::sync::Arc;

use toolmesh_json::{Value, View};
use toolmesh_tool::{
    ArgumentErrors, InputDeclaration, InputKind, RequestStateMode, Tool, ToolAnnotations, ToolBuildError,
    ToolHandler, schema::Profile,
};

use super::icons;
use crate::client::peer::text;

/// What an entry of `tools/list` is, before somebody handles its calls.
pub(in crate::client) struct ToolReading<'a> {
    pub(in crate::client) name: &'a str,
    /// The input schema; it is what the arguments that headers repeat are found by.
    pub(in crate::client) input: Value,
    entry: View<'a>,
}

/// What a server may ask for: it says nothing of that beforehand.
const KINDS: [InputKind; 4] = [
    InputKind::ElicitationForm,
    InputKind::ElicitationUrl,
    InputKind::Sampling,
    InputKind::Roots,
];

/// Reads what must be there.
pub(in crate::client) fn read_tool(entry: View<'_>) -> Result<ToolReading<'_>, String> {
    let name = entry.get("name").and_then(View::as_str);
    let schema = entry
        .get("inputSchema")
        .filter(|schema| schema.as_object().is_some());
    Ok(ToolReading {
        name: name.ok_or("it has no `name`")?,
        input: schema
            .ok_or("it has no `inputSchema` that is an object")?
            .detach(),
        entry,
    })
}

impl ToolReading<'_> {
    /// The tool.
    pub(in crate::client) fn build(self, handler: Arc<dyn ToolHandler>) -> Result<Tool, ToolBuildError> {
        let Self { name, input, entry } = self;
        let mut shaped = Tool::with_name(name).input_schema(input, Profile::Draft2020_12);
        if let Some(output) = entry.get("outputSchema") {
            shaped = shaped.output_schema(output.detach(), Profile::Draft2020_12);
        }
        let annotations = entry
            .get("annotations")
            .map(ToolAnnotations::from_value)
            .unwrap_or_default();
        let mut tool = shaped
            .dyn_handler(handler)
            .annotations(annotations)
            // What the server does with a call is not known here.
            .stateless(false)
            .argument_errors(ArgumentErrors::Explained)
            // The server decides what it says as text.
            .mirror_structured_content(false)
            .request_state(RequestStateMode::FrameworkProtected);
        for kind in KINDS {
            tool = tool.input_request(InputDeclaration::conditional(kind));
        }
        if let Some(title) = text(entry, "title") {
            tool = tool.title(title);
        }
        if let Some(description) = text(entry, "description") {
            tool = tool.description(description);
        }
        if let Some(meta) = entry.get("_meta") {
            tool = tool.meta(meta.detach());
        }
        icons(entry)
            .into_iter()
            .fold(tool, |tool, icon| tool.icon(icon))
            .build()
    }
}
