//! How the core's nouns look on the wire. Everything is written straight into the outgoing bytes; what differs between
//! revisions is asked of the revision's [`crate::revision::Projection`].

mod content;
mod icon;
mod input;
mod prompt;
mod resource;
mod result;
mod server;
mod task;
mod time;
mod tool;
mod writer;

pub(crate) use input::{write_input_required, write_request_members, write_required_capabilities};
pub(crate) use prompt::{write_prompt, write_prompt_output};
pub(crate) use resource::{write_contents, write_resource, write_template};
pub(crate) use result::{Cache, ResultType, result};
pub(crate) use server::write_server;
pub(crate) use task::{write_detailed_task, write_task};
pub(crate) use tool::{can_carry, is_offered, write_tool, write_tool_result};
pub(crate) use writer::{ArrayWriter, ObjectWriter};

/// What a revision cannot express.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Inexpressible {
    /// Structured content that is no object.
    #[error("the revision knows only objects as structured content")]
    StructuredContent,
    /// A prompt's resource link with icons.
    #[error("the revision knows no icons on a prompt's resource link")]
    LinkIcons,
    /// A kind of content that this crate does not know.
    #[error("the content is of an unknown kind")]
    Content,
}
