//! MCP, specification 2025-11-25, "Tools".

use toolmesh_json::View;

use super::matches;

pub(crate) fn tool(tool: View<'_>) -> Vec<String> {
    let mut found = Vec::new();
    // "Tool Names": between 1 and 128 of A-Z, a-z, 0-9, underscore, dash and dot.
    let name = tool.get("name").and_then(View::as_str).unwrap_or_default();
    if !matches("^[A-Za-z0-9_.-]{1,128}$", name) {
        found.push(format!("the name `{name}`"));
    }
    // "inputSchema": a JSON Schema object, its type `object` (schema.json, Tool).
    for (member, needed) in [("inputSchema", true), ("outputSchema", false)] {
        match tool.get(member) {
            None if needed => found.push(format!("no {member}")),
            Some(schema) if schema.get("type").and_then(View::as_str) != Some("object") => {
                found.push(format!("{member} is of no object"));
            }
            _ => {}
        }
    }
    found
}
