//! Everything about one tool.

use toolmesh::tool::CatalogueTool;

use super::{pretty, printable, tools::effect};

/// A page about a tool. `nodes` are those of the mesh that serve it.
pub(crate) fn describe(entry: &CatalogueTool, nodes: &[String]) -> String {
    let tool = entry.tool();
    let mut lines = vec![format!("{} {}", entry.name(), tool.version())];
    lines.extend(tool.title().map(str::to_owned));
    lines.extend(tool.description().map(|text| format!("\n{text}\n")));
    lines.push(format!("Source:  {}", entry.source()));
    lines.extend((!nodes.is_empty()).then(|| format!("Nodes:   {}", nodes.join(", "))));
    lines.push(format!("Effect:  {}", effects(entry)));
    if !entry.aliases().is_empty() {
        lines.push(format!("Aliases: {}", entry.aliases().join(", ")));
    }
    if !tool.tags().is_empty() {
        lines.push(format!("Tags:    {}", tool.tags().join(", ")));
    }
    lines.push(format!(
        "\nInput schema\n{}",
        pretty(tool.input_schema().document().view())
    ));
    if let Some(schema) = tool.output_schema() {
        lines.push(format!("\nOutput schema\n{}", pretty(schema.document().view())));
    }
    printable(&lines.join("\n")).into_owned()
}

fn effects(entry: &CatalogueTool) -> String {
    let annotations = entry.tool().annotations();
    let mut words = vec![effect(entry)];
    if annotations.destructive == Some(true) && annotations.read_only != Some(true) {
        words.push("destructive");
    }
    if annotations.idempotent == Some(true) {
        words.push("idempotent");
    }
    if annotations.open_world == Some(true) {
        words.push("open world");
    }
    words.join(", ")
}
