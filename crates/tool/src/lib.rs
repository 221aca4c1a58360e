//! The core of Toolmesh: what a tool is, where tools are listed, and the one path that every call takes.
//!
//! * **Nouns**: [`Tool`], [`ToolDescriptor`], [`Resource`], [`ResourceTemplate`], [`Prompt`], [`ToolResult`],
//!   [`Outcome`], [`ToolEvent`], [`Caller`], [`CallContext`].
//! * **Typed tools**: `#[derive(ToolType)]` and `#[tool]` make tools of Rust types and functions (see [`typed`]).
//! * **Catalogue**: a [`Toolbox`] holds what [`Source`]s put there; readers see a consistent [`Catalogue`].
//! * **Dispatch**: a [`Dispatcher`] takes a [`CallRequest`] through a fixed order of steps, each a small trait with a
//!   pass-through default (see [`dispatcher`]).
//!
//! A source makes tools, a front offers them; neither knows the other, both know only this crate.

// The derive and the attribute write `::toolmesh_tool::..`, in this crate's own tests too.
extern crate self as toolmesh_tool;

pub mod dispatcher;
pub mod state;
pub mod task;
pub mod typed;

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
mod following;
mod handler;
mod icon;
mod input;
mod inspection;
mod kept_file;
mod link;
mod meta;
mod mime;
mod name;
mod observer;
mod outcome;
mod pattern;
mod printable;
mod prompt;
mod resource;
mod result;
mod resume;
mod revisions;
mod round;
mod source;
mod tool;
mod toolbox;
mod trace_parent;
mod uri;
mod uri_template;

pub use accept::{Accept, ArgumentError};
pub use annotations::ToolAnnotations;
pub use caller::{Caller, Transport};
pub use capability::{ClientCapabilities, ClientCapability};
pub use completion::{CompletionReference, CompletionRequest, CompletionValues, MAX_COMPLETIONS};
pub use content::{
    ContentAnnotations, ContentBlock, ContentError, EmbeddedResource, MediaContent, ResourceBody,
    ResourceContents, ResourceLink, Role, TextContent,
};
pub use context::{CallContext, CallContextBuilder, FrontInfo};
pub use descriptor::{DescriptorError, SchemaForm, ToolDescriptor};
pub use dispatcher::{CallItem, CallRequest, CallStream, Dispatcher};
pub use error::{AdmissionRefusal, CallError, FrontRefusal, HandlerError};
pub use event::{EventError, TOOL_ERROR, ToolEvent};
pub use following::Following;
pub use handler::{OutcomeHandler, ToolHandler};
pub use icon::{Icon, IconError, IconTheme, MAX_ICON_SOURCE_BYTES, MAX_ICONS};
pub use input::{
    FormError, InputDeclaration, InputKind, InputRequest, InputRequired, MAX_FORM_PROPERTIES,
    MAX_INPUT_KEY_BYTES, MAX_INPUT_REQUESTS, MAX_STATE_BYTES, check_form,
};
pub use inspection::{InspectedEntry, Inspection};
pub use kept_file::{KeptFile, KeptFileError};
pub use link::{ClientLink, Link, LogLevel, LogMessage};
pub use meta::MetaError;
pub use mime::{MAX_MIME_TYPE_BYTES, MimeTypeError, check_mime_type};
pub use name::{MAX_NAME_CHARS, NameError, ToolName};
pub use observer::{Budget, CallEnd, CallInfo, EndKind, Observer};
pub use outcome::Outcome;
pub use pattern::{Pattern, PatternError};
pub use printable::{is_plain_name, on_one_line, printable, steers};
pub use prompt::{Prompt, PromptArgument, PromptHandler, PromptMessage, PromptOutput};
pub use resource::{Resource, ResourceInfo, ResourceReader, ResourceTemplate};
pub use result::ToolResult;
pub use resume::{ResumeHandler, Resumption};
pub use revisions::{MAX_REVISIONS, Revisions};
pub use round::Round;
pub use source::{Source, SourceError};
pub use state::{RequestStateMode, StateProtector};
pub use task::{
    MAX_MEMORY_TASKS, MemoryTaskStore, TASKS_EXTENSION, Task, TaskControl, TaskFailure, TaskId, TaskMode,
    TaskOutcome, TaskService, TaskSettings, TaskState, TaskStore, TaskStoreError,
};
pub use tool::{
    ArgumentCheck, ArgumentErrors, MAX_LABEL_BYTES, MAX_LABELS, MAX_TEXT_BYTES, Tool, ToolBuildError,
    ToolBuilder, ToolInput, ToolNamed,
};
pub use toolbox::{
    Catalogue, CatalogueChange, CatalogueTool, CatalogueWatch, Entries, EntryError, ListsChange, MAX_ENTRIES,
    MAX_ENTRY_NAME_BYTES, MAX_PROMPT_ARGUMENTS, MAX_QUERY_BYTES, MAX_QUERY_WORDS, MAX_SEARCH_HITS,
    MAX_TEMPLATES, Mount, MountError, Prefix, SearchHit, Toolbox,
};
pub use trace_parent::TraceParent;
pub use typed::{ToolArguments, ToolField, ToolOutput, ToolReturn, ToolType, TypedArguments};
pub use uri::{MAX_URI_BYTES, UriError, url_origin};
pub use uri_template::{MAX_TEMPLATE_BYTES, MAX_VARIABLES, UriTemplate, UriTemplateError};

pub use futures_util::future::BoxFuture;
pub use indexmap::IndexMap;
pub use num_bigint::BigInt;
pub use semver;
pub use tokio_util::sync::CancellationToken;
pub use toolmesh_json as json;
pub use toolmesh_macros::{ToolType, tool};
pub use toolmesh_schema as schema;
