//! A tool in the protocol's form.

use toolmesh_json::{Value, View};
use toolmesh_tool::{Icon, ToolDescriptor};

use crate::toolset::{Input, Sent};
use crate::undo::{Plan, Undo};
use crate::warning::Report;

/// `{"name","title","description","icons","inputSchema","outputSchema","annotations"}`, absent members left out.
///
/// Schemas go as the tool published them: the protocol takes any JSON Schema whose root says `"type": "object"`.
pub(crate) fn tool(descriptor: &ToolDescriptor, name: &str, input: Input, report: &mut Report) -> Sent {
    let mut tool = Value::object()
        .put("name", name)
        .put_opt("title", descriptor.title.as_deref())
        .put_opt("description", descriptor.description.as_deref());
    if !descriptor.icons.is_empty() {
        tool.insert(
            "icons",
            descriptor.icons.iter().map(Icon::to_value).collect::<Value>(),
        );
    }
    let own = input.published.filter(|own| says_object(own.view()));
    tool.insert("inputSchema", own.unwrap_or_else(|| input.document.to_value()));
    if let Some(text) = &descriptor.output_schema {
        match toolmesh_json::parse(text.as_bytes())
            .ok()
            .filter(|schema| says_object(schema.view()))
        {
            Some(schema) => tool.insert("outputSchema", schema),
            None => report.dropped("", "outputSchema"),
        }
    }
    if !descriptor.annotations.is_empty() {
        tool.insert("annotations", descriptor.annotations.to_value());
    }
    Sent {
        tool: tool.build(),
        plan: Plan::of(Undo::Same),
    }
}

fn says_object(schema: View<'_>) -> bool {
    schema.get("type").and_then(View::as_str) == Some("object")
}
