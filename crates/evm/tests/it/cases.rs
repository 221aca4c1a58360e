//! Cases that broke other mappers, one by one. The numbers are those of the collection that they were taken from.
//!
//! | cases | module |
//! |---|---|
//! | 14, 16 to 19, 31, 33 | `reading` |
//! | 1, 2, 8 to 10, 15, 29, 30, 34 | `names` |
//! | 3 to 7, 11 to 13, 24 | `values` |
//! | 20 to 22 | `events` |
//! | 25, 26 | `answers` |
//! | 27 | `logs` |
//!
//! The others stand beside the mapping: 23 and 35 in `helpers`, 28 in `faulty_node` and `anvil`, 32 in `lookup`.

mod answers;
mod events;
pub(crate) mod logs;
mod names;
mod reading;
mod values;

use toolmesh_evm::{Interface, read, tools};
use toolmesh_json::parse;
use toolmesh_tool::Tool;

/// The functions of declarations.
fn declared(text: &str) -> Interface {
    read(text.as_bytes()).unwrap()
}

/// The tool of each function.
fn tools_of(interface: &Interface) -> Vec<Tool> {
    tools(interface, None)
        .into_iter()
        .map(|mapped| mapped.tool.unwrap())
        .collect()
}

fn tool(interface: &Interface, name: &str) -> Tool {
    tools_of(interface)
        .into_iter()
        .find(|tool| tool.name().as_str() == name)
        .unwrap_or_else(|| panic!("no tool {name}"))
}

/// The arguments as the tool publishes them, or why they do not fit.
fn accepted(tool: &Tool, arguments: &str) -> Result<String, String> {
    let arguments = parse(arguments.as_bytes()).unwrap();
    let published = tool
        .accept()
        .unwrap()
        .accept(arguments.view())
        .map_err(|error| error.to_string())?;
    assert!(
        tool.input_schema().evaluate(&published).is_valid(),
        "{published} does not fit {}",
        tool.input_schema().document()
    );
    Ok(published.to_text())
}
