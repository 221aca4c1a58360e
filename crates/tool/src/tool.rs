//! A tool, and the staged builder that makes one.

use std::{fmt, future::Future, sync::Arc};

use schemars::JsonSchema;
use semver::Version;
use serde::{Serialize, de::DeserializeOwned};
use toolmesh_json::Value;
use toolmesh_schema::{CompileError, Profile, Schema};

use crate::{
    Accept, CallContext, ClientCapability, Icon, NameError, Outcome, OutcomeHandler, ToolAnnotations,
    ToolArguments, ToolDescriptor, ToolHandler, ToolName, ToolOutput,
    typed::{SchemarsInput, SchemarsOutput, TypeRefusal, TypedInput, TypedOutput},
};
use crate::{
    InputDeclaration, InputKind, RequestStateMode, ResumeHandler, Resumption, TASKS_EXTENSION, TaskMode,
    resume::ResumeClosure,
};

/// Longest description, and title, in bytes: lists of hundreds of tools must still fit a model's context.
pub const MAX_TEXT_BYTES: usize = 65_536;

/// How a tool tells an agent that its arguments do not fit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ArgumentErrors {
    /// By one fixed sentence, nothing more.
    #[default]
    Fixed,
    /// By the place, the rule and what is expected; never by the submitted value.
    Explained,
}

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

/// Why a tool cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum ToolBuildError {
    /// Its name is not allowed.
    #[error("tool `{name}`: {source}")]
    Name {
        /// The text that was given.
        name: String,
        /// Why.
        source: NameError,
    },
    /// Its input schema does not compile.
    #[error("tool `{name}`: the input schema is not valid: {source}")]
    InputSchema {
        /// The tool.
        name: String,
        /// Why.
        source: CompileError,
    },
    /// Its output schema does not compile.
    #[error("tool `{name}`: the output schema is not valid: {source}")]
    OutputSchema {
        /// The tool.
        name: String,
        /// Why.
        source: CompileError,
    },
    /// A derived schema is no JSON that this library accepts.
    #[error("tool `{name}`: the schema derived from the type cannot be used: {reason}")]
    DerivedSchema {
        /// The tool.
        name: String,
        /// Why.
        reason: String,
    },
    /// A type of the closed family has no schema.
    #[error("tool `{name}`: the {side} type has no schema: {source}")]
    Type {
        /// The tool.
        name: String,
        /// Which type: `input` or `output`.
        side: &'static str,
        /// Where in the type, and why.
        source: TypeRefusal,
    },
    /// A text is longer than [`MAX_TEXT_BYTES`].
    #[error("tool `{name}`: the {what} has more than {MAX_TEXT_BYTES} bytes")]
    TextTooLong {
        /// The tool.
        name: String,
        /// Which text.
        what: &'static str,
    },
    /// A kind of input request is declared twice.
    #[error("tool `{name}`: the input request {kind:?} is declared twice")]
    InputDeclaredTwice {
        /// The tool.
        name: String,
        /// The kind.
        kind: InputKind,
    },
    /// Calls may become tasks, and nothing goes on with them.
    #[error("tool `{name}`: a tool whose calls may become tasks needs a resume handler")]
    NoResumeHandler {
        /// The tool.
        name: String,
    },
    /// `_meta` is not an object.
    #[error("tool `{name}`: the metadata must be an object")]
    MetaNotAnObject {
        /// The tool.
        name: String,
    },
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

/// A tool that has a name: what it takes comes next.
#[derive(Debug)]
pub struct ToolNamed {
    name: String,
}

impl ToolNamed {
    /// Takes arguments by an authored schema; its root must be of type `object`. The handler gets the validated
    /// object.
    #[must_use]
    pub fn input_schema(self, document: Value, profile: Profile) -> ToolInput {
        ToolInput {
            name: self.name,
            input: Ok((document, profile)),
            output: None,
        }
    }

    /// Takes any object (`{"type":"object"}`). The handler gets it as it came.
    #[must_use]
    pub fn json_object_arguments(self) -> ToolInput {
        let document = Value::object().put("type", "object").build();
        self.input_schema(document, Profile::Profile1)
    }

    /// Takes arguments of a type of the closed family: Profile 1 schema, exact ranges, budgeted binding. What the handler
    /// returns decides whether there is an output schema; see [`crate::ToolReturn`].
    #[must_use]
    pub fn arguments<A: ToolArguments>(self) -> TypedInput<A> {
        TypedInput::new(self.name)
    }

    /// Takes arguments of one type of the closed family and completes with another, both by derived schemas.
    #[must_use]
    pub fn arguments_and_output<A: ToolArguments, O: ToolOutput>(self) -> TypedOutput<A, O> {
        TypedOutput::new(self.name)
    }

    /// The open door: takes arguments of any type of `schemars` and `serde`, over the 2020-12 profile.
    ///
    /// Arguments are still checked by the schema in metered time, and bound within budgets. What this door does not
    /// promise, and the closed family does: the schema and the binder are made by two derives, which attributes can drive
    /// apart; ranges of integers beyond 32 bits are whatever `schemars` says (`"format": "int64"`, no bounds); `null`,
    /// defaults and unknown members are the type's own affair; a number may be rounded on its way into the type; the
    /// published document may hold references, and words that a client does not know.
    #[must_use]
    pub fn schemars_arguments<A>(self) -> SchemarsInput<A>
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
    {
        SchemarsInput::new(self.name)
    }

    /// The open door both ways: arguments and output of any types of `schemars` and `serde`. Guarantees as
    /// [`ToolNamed::schemars_arguments`]; the result is checked by the derived schema before it leaves.
    #[must_use]
    pub fn schemars_arguments_and_output<A, O>(self) -> SchemarsOutput<A, O>
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        O: Serialize + JsonSchema + Send + 'static,
    {
        SchemarsOutput::new(self.name)
    }
}

/// A schema to compile, or why a type has none.
pub(crate) type SchemaSource = Result<(Value, Profile), SchemaFault>;

/// Why a type has no schema.
#[derive(Debug)]
pub(crate) enum SchemaFault {
    /// `schemars` gave no JSON that this library accepts.
    Schemars(String),
    /// The type is not of the closed family after all.
    Type(TypeRefusal),
}

impl SchemaFault {
    fn of_tool(self, name: &str, side: &'static str) -> ToolBuildError {
        let name = name.to_owned();
        match self {
            Self::Schemars(reason) => ToolBuildError::DerivedSchema { name, reason },
            Self::Type(source) => ToolBuildError::Type { name, side, source },
        }
    }
}

/// A tool that has a name and an input: what it runs comes next.
#[derive(Debug)]
pub struct ToolInput {
    pub(crate) name: String,
    pub(crate) input: SchemaSource,
    pub(crate) output: Option<SchemaSource>,
}

impl ToolInput {
    /// Promises structured content by a schema; every result is checked against it.
    #[must_use]
    pub fn output_schema(mut self, document: Value, profile: Profile) -> Self {
        self.output = Some(Ok((document, profile)));
        self
    }

    /// Runs a closure over the validated arguments object.
    pub fn handler<F, Fut>(self, run: F) -> ToolBuilder
    where
        F: Fn(CallContext, Value) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: Into<Outcome>,
    {
        self.dyn_handler(Arc::new(OutcomeHandler::new(run)))
    }

    /// Runs a handler of the source's own.
    #[must_use]
    pub fn dyn_handler(self, handler: Arc<dyn ToolHandler>) -> ToolBuilder {
        ToolBuilder {
            input: self,
            handler,
            settings: Settings::default(),
        }
    }
}

#[derive(Debug)]
struct Settings {
    version: Version,
    title: Option<String>,
    description: Option<String>,
    icons: Vec<Icon>,
    annotations: ToolAnnotations,
    tags: Vec<String>,
    requires: Vec<String>,
    estimated_time_ms: u32,
    stateless: bool,
    streaming: bool,
    meta: Option<Value>,
    aliases: Vec<String>,
    argument_errors: ArgumentErrors,
    mirror_structured_content: bool,
    needed_capabilities: Vec<ClientCapability>,
    accept: Option<AcceptBox>,
    input_declarations: Vec<InputDeclaration>,
    request_state: RequestStateMode,
    task_mode: TaskMode,
    resume: Option<ResumeBox>,
}

struct ResumeBox(Arc<dyn ResumeHandler>);

impl fmt::Debug for ResumeBox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ResumeHandler")
    }
}

struct AcceptBox(Arc<dyn Accept>);

impl fmt::Debug for AcceptBox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Accept")
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            version: Version::new(1, 0, 0),
            title: None,
            description: None,
            icons: Vec::new(),
            annotations: ToolAnnotations::default(),
            tags: Vec::new(),
            requires: Vec::new(),
            estimated_time_ms: 0,
            stateless: true,
            streaming: false,
            meta: None,
            aliases: Vec::new(),
            argument_errors: ArgumentErrors::Fixed,
            mirror_structured_content: true,
            needed_capabilities: Vec::new(),
            accept: None,
            input_declarations: Vec::new(),
            request_state: RequestStateMode::None,
            task_mode: TaskMode::Never,
            resume: None,
        }
    }
}

/// A tool that can be built; everything from here on is optional.
pub struct ToolBuilder {
    input: ToolInput,
    handler: Arc<dyn ToolHandler>,
    settings: Settings,
}

impl fmt::Debug for ToolBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolBuilder")
            .field("input", &self.input)
            .finish_non_exhaustive()
    }
}

impl ToolBuilder {
    /// Sets the version; 1.0.0 by default.
    #[must_use]
    pub fn version(mut self, version: Version) -> Self {
        self.settings.version = version;
        self
    }

    /// Sets a title for people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.settings.title = Some(title.into());
        self
    }

    /// Says what the tool does: the text by which an agent chooses it.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.settings.description = Some(description.into());
        self
    }

    /// Adds an icon.
    #[must_use]
    pub fn icon(mut self, icon: Icon) -> Self {
        self.settings.icons.push(icon);
        self
    }

    /// Sets the hints about behaviour.
    #[must_use]
    pub fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.settings.annotations = annotations;
        self
    }

    /// Adds a tag.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.settings.tags.push(tag.into());
        self
    }

    /// Adds the name of something that the host must have.
    #[must_use]
    pub fn requires(mut self, what: impl Into<String>) -> Self {
        self.settings.requires.push(what.into());
        self
    }

    /// Tells the usual duration in milliseconds.
    #[must_use]
    pub fn estimated_time_ms(mut self, milliseconds: u32) -> Self {
        self.settings.estimated_time_ms = milliseconds;
        self
    }

    /// Tells whether a call leaves nothing behind on the host; true by default.
    #[must_use]
    pub fn stateless(mut self, stateless: bool) -> Self {
        self.settings.stateless = stateless;
        self
    }

    /// Tells whether the tool streams its output; false by default.
    #[must_use]
    pub fn streaming(mut self, streaming: bool) -> Self {
        self.settings.streaming = streaming;
        self
    }

    /// Sets extension metadata, an object (published as `_meta`).
    #[must_use]
    pub fn meta(mut self, meta: Value) -> Self {
        self.settings.meta = Some(meta);
        self
    }

    /// Adds another name under which the tool may be called. Aliases are resolved at look-up, are never listed, and
    /// never shadow a name; any text is allowed, a signature for instance.
    #[must_use]
    pub fn alias(mut self, alias: impl Into<String>) -> Self {
        self.settings.aliases.push(alias.into());
        self
    }

    /// Sets what rewrites other accepted spellings of the arguments.
    #[must_use]
    pub fn accept(mut self, accept: Arc<dyn Accept>) -> Self {
        self.settings.accept = Some(AcceptBox(accept));
        self
    }

    /// Sets how the tool tells that arguments do not fit; fixed by default.
    #[must_use]
    pub fn argument_errors(mut self, errors: ArgumentErrors) -> Self {
        self.settings.argument_errors = errors;
        self
    }

    /// Sets whether structured content is repeated as text; true by default.
    #[must_use]
    pub fn mirror_structured_content(mut self, mirror: bool) -> Self {
        self.settings.mirror_structured_content = mirror;
        self
    }

    /// Adds a client ability without which no call is made.
    #[must_use]
    pub fn require_capability(mut self, capability: ClientCapability) -> Self {
        self.settings.needed_capabilities.push(capability);
        self
    }

    /// Declares that the handler may ask the client for something: it asks for nothing else. A required one is a
    /// client ability without which no call is made.
    #[must_use]
    pub fn input_request(mut self, declaration: InputDeclaration) -> Self {
        self.settings.input_declarations.push(declaration);
        self
    }

    /// Sets who protects the state between the rounds of one call; without this the tool gives none.
    #[must_use]
    pub fn request_state(mut self, mode: RequestStateMode) -> Self {
        self.settings.request_state = mode;
        self
    }

    /// Sets whether calls become tasks; never by default. A tool whose every call becomes one is called only by
    /// clients that know tasks.
    #[must_use]
    pub fn tasks(mut self, mode: TaskMode) -> Self {
        self.settings.task_mode = mode;
        self
    }

    /// Sets what goes on with a task whose worker died, from its last checkpoint. Without one such a task fails.
    #[must_use]
    pub fn resume<F, Fut>(self, run: F) -> Self
    where
        F: Fn(CallContext, Resumption) -> Fut + Send + Sync + 'static,
        Fut: Future + Send + 'static,
        Fut::Output: Into<Outcome>,
    {
        self.dyn_resume(Arc::new(ResumeClosure::new(run)))
    }

    /// As [`ToolBuilder::resume`], with a handler of the source's own.
    #[must_use]
    pub fn dyn_resume(mut self, handler: Arc<dyn ResumeHandler>) -> Self {
        self.settings.resume = Some(ResumeBox(handler));
        self
    }

    /// Checks everything and makes the tool.
    ///
    /// # Errors
    /// [`ToolBuildError`] names the tool and what is wrong with it.
    pub fn build(self) -> Result<Tool, ToolBuildError> {
        let ToolInput { name, input, output } = self.input;
        let checked = match ToolName::new(&name) {
            Ok(checked) => checked,
            Err(source) => return Err(ToolBuildError::Name { name, source }),
        };
        check_texts(&name, &self.settings)?;
        check_interaction(&name, &self.settings)?;
        let (document, profile) = input.map_err(|fault| fault.of_tool(&name, "input"))?;
        let input_schema =
            Schema::compile_tool_input(document, profile).map_err(|source| ToolBuildError::InputSchema {
                name: name.clone(),
                source,
            })?;
        let output_schema = match output {
            None => None,
            Some(source) => {
                let (document, profile) = source.map_err(|fault| fault.of_tool(&name, "output"))?;
                let compiled = Schema::compile(document, profile);
                Some(compiled.map_err(|source| ToolBuildError::OutputSchema {
                    name: name.clone(),
                    source,
                })?)
            }
        };
        let mut settings = self.settings;
        need_capabilities(&mut settings);
        let parts = Parts {
            name: checked,
            settings,
            input_schema,
            output_schema,
            handler: self.handler,
        };
        Ok(Tool(Arc::new(parts)))
    }
}

fn check_interaction(name: &str, settings: &Settings) -> Result<(), ToolBuildError> {
    let declared = &settings.input_declarations;
    for (at, declaration) in declared.iter().enumerate() {
        if declared
            .iter()
            .skip(at + 1)
            .any(|other| other.kind == declaration.kind)
        {
            return Err(ToolBuildError::InputDeclaredTwice {
                name: name.to_owned(),
                kind: declaration.kind,
            });
        }
    }
    if settings.task_mode == TaskMode::Allowed && settings.resume.is_none() {
        return Err(ToolBuildError::NoResumeHandler {
            name: name.to_owned(),
        });
    }
    Ok(())
}

/// What a client must be able to do follows from what the tool declares.
fn need_capabilities(settings: &mut Settings) {
    let required = settings
        .input_declarations
        .iter()
        .filter(|declared| declared.required);
    let mut needed: Vec<_> = required.map(|declared| declared.kind.capability()).collect();
    if settings.task_mode == TaskMode::Required {
        needed.push(ClientCapability::Extension(TASKS_EXTENSION.to_owned()));
    }
    for capability in needed {
        if !settings.needed_capabilities.contains(&capability) {
            settings.needed_capabilities.push(capability);
        }
    }
}

fn check_texts(name: &str, settings: &Settings) -> Result<(), ToolBuildError> {
    for (what, text) in [("title", &settings.title), ("description", &settings.description)] {
        if text.as_ref().is_some_and(|text| text.len() > MAX_TEXT_BYTES) {
            return Err(ToolBuildError::TextTooLong {
                name: name.to_owned(),
                what,
            });
        }
    }
    if settings
        .meta
        .as_ref()
        .is_some_and(|meta| meta.view().as_object().is_none())
    {
        return Err(ToolBuildError::MetaNotAnObject {
            name: name.to_owned(),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ToolResult;

    fn named(name: &str) -> ToolBuilder {
        Tool::with_name(name)
            .json_object_arguments()
            .handler(|_, _| async { ToolResult::text("ok") })
    }

    #[test]
    fn a_tool_is_made_with_the_defaults_of_its_descriptor() {
        let tool = named("echo").build().unwrap();
        let mut expected = ToolDescriptor::new("echo");
        expected.input_schema = Some(r#"{"type":"object"}"#.to_owned());
        assert_eq!(tool.descriptor(), expected);
    }

    #[test]
    fn what_is_wrong_is_told_with_the_name_of_the_tool() {
        let error = named("a b").build().unwrap_err();
        assert!(error.to_string().starts_with("tool `a b`: "), "{error}");
        let error = named("echo").meta(Value::from(1)).build().unwrap_err();
        assert!(matches!(error, ToolBuildError::MetaNotAnObject { .. }));
        let scalar_root = toolmesh_json::parse(br#"{"type":"string"}"#).unwrap();
        let error = Tool::with_name("echo")
            .input_schema(scalar_root, Profile::Profile1)
            .handler(|_, _| async { ToolResult::text("ok") })
            .build()
            .unwrap_err();
        assert!(matches!(error, ToolBuildError::InputSchema { .. }));
    }

    #[test]
    fn a_description_has_a_bound() {
        assert!(
            named("echo")
                .description("x".repeat(MAX_TEXT_BYTES))
                .build()
                .is_ok()
        );
        let error = named("echo")
            .description("x".repeat(MAX_TEXT_BYTES + 1))
            .build()
            .unwrap_err();
        assert!(matches!(
            error,
            ToolBuildError::TextTooLong {
                what: "description",
                ..
            }
        ));
    }
}
