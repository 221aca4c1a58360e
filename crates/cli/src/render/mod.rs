//! What people read: tables, pages, and JSON with line breaks. All of it is plain text, on a terminal and without one.

mod describe;
mod inspection;
mod json;
mod table;
mod tools;

pub(crate) use describe::describe;
pub(crate) use inspection::{counted, inspection_markdown, inspection_table};
pub(crate) use json::pretty;
pub(crate) use table::{Layout, table};
pub(crate) use toolmesh::tool::{printable, steers};
pub(crate) use tools::{mcp_tools, tools_json, tools_table};
