//! A tool: what it tells of itself and what it runs.

mod builder;
mod error;
mod settings;
mod stages;

use std::{fmt, sync::Arc};

use semver::Version;
use toolmesh_json::Value;
use toolmesh_schema::Schema;

use crate::{
    Accept, ClientCapability, Icon, InputDeclaration, RequestStateMode, ResumeHandler, Revisions, TaskMode,
    ToolAnnotations, ToolDescriptor, ToolHandler, ToolName,
};

pub use builder::ToolBuilder;
pub use error::ToolBuildError;
use settings::Settings;
pub use settings::{ArgumentCheck, ArgumentErrors, MAX_LABEL_BYTES, MAX_LABELS, MAX_TEXT_BYTES};
pub(crate) use stages::{GivenSchema, SchemaFault, SchemaSource};
pub use stages::{ToolInput, ToolNamed};

/// A tool: what it is called, what it takes and gives, and what it runs. Made once, checked once, cheap to clone.
#[derive(Clone)]
pub struct Tool(Arc<Parts>);

struct Parts {
    name: ToolName,
    settings: Settings,
    input_schema: Schema,
    output_schema: Option<Schema>,
    handler: Arc<dyn ToolHandler>,
}

impl Tool {
    /// Begins a tool; its name is checked by [`ToolBuilder::build`].
    pub fn with_name(name: impl Into<String>) -> ToolNamed {
        ToolNamed { name: name.into() }
    }

    /// Its name, under which it is called.
    #[must_use]
    pub fn name(&self) -> &ToolName {
        &self.0.name
    }

    /// Its version.
    #[must_use]
    pub fn version(&self) -> &Version {
        &self.0.settings.version
    }

    /// In which protocol revisions it is there.
    #[must_use]
    pub fn revisions(&self) -> &Revisions {
        &self.0.settings.revisions
    }

    /// The name of the rate limiter that counts its calls, when it has one of its own.
    #[must_use]
    pub fn limiter(&self) -> Option<&str> {
        self.0.settings.limiter.as_deref()
    }

    /// A title for people.
    #[must_use]
    pub fn title(&self) -> Option<&str> {
        self.0.settings.title.as_deref()
    }

    /// What it does.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.0.settings.description.as_deref()
    }

    /// Its icons.
    #[must_use]
    pub fn icons(&self) -> &[Icon] {
        &self.0.settings.icons
    }

    /// Hints about its behaviour.
    #[must_use]
    pub fn annotations(&self) -> &ToolAnnotations {
        &self.0.settings.annotations
    }

    /// Free tags for search.
    #[must_use]
    pub fn tags(&self) -> &[String] {
        &self.0.settings.tags
    }

    /// Names of what the host must have.
    #[must_use]
    pub fn requires(&self) -> &[String] {
        &self.0.settings.requires
    }

    /// Usual duration in milliseconds; 0 means unknown.
    #[must_use]
    pub fn estimated_time_ms(&self) -> u32 {
        self.0.settings.estimated_time_ms
    }

    /// Whether a call leaves nothing behind, so that it may be retried elsewhere.
    #[must_use]
    pub fn stateless(&self) -> bool {
        self.0.settings.stateless
    }

    /// Whether it streams its output.
    #[must_use]
    pub fn streaming(&self) -> bool {
        self.0.settings.streaming
    }

    /// Extension metadata, an object.
    #[must_use]
    pub fn meta(&self) -> Option<&Value> {
        self.0.settings.meta.as_ref()
    }

    /// Other names under which it may be called; never listed.
    #[must_use]
    pub fn aliases(&self) -> &[String] {
        &self.0.settings.aliases
    }

    /// Who checks its arguments.
    #[must_use]
    pub fn argument_check(&self) -> ArgumentCheck {
        self.0.settings.argument_check
    }

    /// How it tells an agent that arguments do not fit.
    #[must_use]
    pub fn argument_errors(&self) -> ArgumentErrors {
        self.0.settings.argument_errors
    }

    /// Whether structured content is repeated as text.
    #[must_use]
    pub fn mirror_structured_content(&self) -> bool {
        self.0.settings.mirror_structured_content
    }

    /// Whether the text alone is answer enough where structured content of this shape cannot be carried.
    #[must_use]
    pub fn text_suffices(&self) -> bool {
        self.0.settings.text_suffices
    }

    /// Client abilities that every call of it needs.
    #[must_use]
    pub fn needed_capabilities(&self) -> &[ClientCapability] {
        &self.0.settings.needed_capabilities
    }

    /// What it may ask the client for.
    #[must_use]
    pub fn input_declarations(&self) -> &[InputDeclaration] {
        &self.0.settings.input_declarations
    }

    /// Who protects its state between the rounds of one call.
    #[must_use]
    pub fn request_state_mode(&self) -> RequestStateMode {
        self.0.settings.request_state
    }

    /// Whether its calls become tasks.
    #[must_use]
    pub fn task_mode(&self) -> TaskMode {
        self.0.settings.task_mode
    }

    /// What goes on with its tasks when a worker died.
    #[must_use]
    pub fn resume_handler(&self) -> Option<&dyn ResumeHandler> {
        self.0.settings.resume.as_ref().map(|resume| resume.0.as_ref())
    }

    /// What rewrites other accepted spellings of its arguments.
    #[must_use]
    pub fn accept(&self) -> Option<&dyn Accept> {
        self.0.settings.accept.as_ref().map(|accept| accept.0.as_ref())
    }

    /// The schema of its arguments.
    #[must_use]
    pub fn input_schema(&self) -> &Schema {
        &self.0.input_schema
    }

    /// The schema of its structured content.
    #[must_use]
    pub fn output_schema(&self) -> Option<&Schema> {
        self.0.output_schema.as_ref()
    }

    /// What it runs.
    #[must_use]
    pub fn handler(&self) -> &dyn ToolHandler {
        self.0.handler.as_ref()
    }

    /// Whether both tell the same of themselves: name, version, schemas and everything that is published.
    #[must_use]
    pub fn tells_as(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.descriptor() == other.descriptor()
                && self.meta() == other.meta()
                && self.revisions() == other.revisions()
                && self.needed_capabilities() == other.needed_capabilities()
                && self.task_mode() == other.task_mode())
    }

    /// The form in which it is told of.
    #[must_use]
    pub fn descriptor(&self) -> ToolDescriptor {
        let settings = &self.0.settings;
        ToolDescriptor {
            version: settings.version.to_string(),
            description: settings.description.clone(),
            input_schema: Some(self.input_schema().document().to_text()),
            output_schema: self.output_schema().map(|schema| schema.document().to_text()),
            requires: settings.requires.clone(),
            estimated_time_ms: settings.estimated_time_ms,
            stateless: settings.stateless,
            streaming: settings.streaming,
            tags: settings.tags.clone(),
            title: settings.title.clone(),
            icons: settings.icons.clone(),
            annotations: settings.annotations.clone(),
            ..ToolDescriptor::new(self.0.name.as_str())
        }
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("name", &self.0.name)
            .field("version", &self.0.settings.version)
            .field("description", &self.0.settings.description)
            .finish_non_exhaustive()
    }
}
