//! The core of Toolmesh: what a tool is, where tools are listed, and the one path that every call takes.
//!
//! * **Nouns**: [`Tool`], [`ToolDescriptor`], [`Resource`], [`ResourceTemplate`], [`Prompt`], [`ToolResult`],
//!   [`Outcome`], [`ToolEvent`], [`Caller`], [`CallContext`].
//! * **Catalogue**: a [`Toolbox`] holds what [`Source`]s put there; readers see a consistent [`Catalogue`].
//! * **Dispatch**: a [`Dispatcher`] takes a [`CallRequest`] through a fixed order of steps, each a small trait with a
//!   pass-through default (see [`dispatcher`]).
//!
//! A source makes tools, a front offers them; neither knows the other, both know only this crate.

pub mod dispatcher;

mod accept;
mod annotations;
mod caller;
mod capability;
mod completion;
mod content;
mod context;
mod descriptor;
mod error;
mod event;
mod handler;
mod icon;
mod input;
mod name;
mod observer;
mod outcome;
mod prompt;
mod resource;
mod result;
mod source;
mod task;
mod tool;
mod toolbox;
mod typed;
mod uri_template;

pub use accept::{Accept, ArgumentError};
pub use annotations::ToolAnnotations;
pub use caller::{Caller, Transport};
pub use capability::{ClientCapabilities, ClientCapability};
pub use completion::{CompletionReference, CompletionRequest, CompletionValues, MAX_COMPLETIONS};
pub use content::{
    ContentAnnotations, ContentBlock, EmbeddedResource, MediaContent, ResourceBody, ResourceContents,
    ResourceLink, Role, TextContent,
};
pub use context::{CallContext, CallContextBuilder, FrontInfo};
pub use descriptor::{DescriptorError, SchemaForm, ToolDescriptor};
pub use dispatcher::{CallItem, CallRequest, CallStream, Dispatcher};
pub use error::{AdmissionRefusal, CallError, FrontRefusal, HandlerError};
pub use event::{EventError, TOOL_ERROR, ToolEvent};
pub use handler::{OutcomeHandler, ToolHandler};
pub use icon::{Icon, IconTheme};
pub use input::{InputRequest, InputRequired};
pub use name::{MAX_NAME_CHARS, NameError, ToolName};
pub use observer::{CallEnd, CallInfo, EndKind, Observer};
pub use outcome::Outcome;
pub use prompt::{Prompt, PromptArgument, PromptHandler, PromptMessage, PromptOutput};
pub use resource::{Resource, ResourceInfo, ResourceReader, ResourceTemplate};
pub use result::ToolResult;
pub use source::{Source, SourceError};
pub use task::{
    MAX_MEMORY_TASKS, MemoryTaskStore, Task, TaskId, TaskOutcome, TaskState, TaskStore, TaskStoreError,
};
pub use tool::{ArgumentErrors, MAX_TEXT_BYTES, Tool, ToolBuildError, ToolBuilder, ToolInput, ToolNamed};
pub use toolbox::{
    Catalogue, CatalogueChange, CatalogueTool, CatalogueWatch, Entries, Mount, MountError, Prefix, Toolbox,
};
pub use typed::{TypedArguments, TypedInput, TypedOutput};
pub use uri_template::{MAX_TEMPLATE_BYTES, MAX_VARIABLES, UriTemplate, UriTemplateError};

pub use futures_util::future::BoxFuture;
pub use semver;
pub use tokio_util::sync::CancellationToken;
pub use toolmesh_json as json;
pub use toolmesh_schema as schema;
