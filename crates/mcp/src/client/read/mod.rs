//! From the wire to the core's nouns. Reading is lenient where a member is only a hint, and strict where a result would
//! mean something else without it.

mod completion;
mod content;
mod info;
mod prompt;
mod question;
mod resource;
mod result;
mod tool;

pub(super) use completion::completions;
pub(super) use info::icons;
pub(super) use prompt::{prompt_output, read_prompt};
pub(super) use question::question;
pub(super) use resource::{contents, read_resource, read_template};
pub(super) use result::{asked, tool_result};
pub(super) use tool::read_tool;
