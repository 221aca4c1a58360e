//! Names: of tools, and of values in JSON.
//!
//! A tool is named after its function in snake case. Where several functions would get one name, every
//! one of them gets its argument types behind it, so that a name never depends on the order of an
//! interface; where that does not tell them apart or is too long, its selector, and at last more of
//! the hash that the selector is the beginning of. No function loses its tool to another.

mod key;
mod snake_case;
mod tool_name;

pub(crate) use key::{MAX_KEY_CHARS, cut, fold, is_valid_key, valid_key};
pub use snake_case::snake_case;
pub use tool_name::{MAX_TOOL_NAME_CHARS, ToolNames, tool_names};
pub(crate) use tool_name::{plain as plain_tool_name, spaced};
