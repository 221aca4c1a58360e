//! Everything about a tool that is optional, and the check of it all.

use std::{fmt, future::Future, sync::Arc};

use semver::Version;
use toolmesh_json::Value;

use super::{
    ArgumentCheck, ArgumentErrors, Parts, Tool, ToolBuildError, ToolInput,
    settings::{AcceptBox, ResumeBox, Settings, check_interaction, check_texts, need_capabilities},
};
use crate::{
    Accept, CallContext, ClientCapability, Icon, InputDeclaration, Outcome, RequestStateMode, ResumeHandler,
    Resumption, Revisions, TaskMode, ToolAnnotations, ToolHandler, ToolName, resume::ResumeClosure,
};

/// A tool that can be built; everything from here on is optional.
pub struct ToolBuilder {
    pub(super) input: ToolInput,
    pub(super) handler: Arc<dyn ToolHandler>,
    pub(super) settings: Settings,
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

    /// Says in which protocol revisions the tool is there; in all of them by default.
    #[must_use]
    pub fn revisions(mut self, revisions: Revisions) -> Self {
        self.settings.revisions = revisions;
        self
    }

    /// Sets the name of the rate limiter that counts its calls (see
    /// [`crate::dispatcher::DispatcherBuilder::named_limiter`]), instead of the one for all tools.
    #[must_use]
    pub fn limiter(mut self, name: impl Into<String>) -> Self {
        self.settings.limiter = Some(name.into());
        self
    }

    /// Sets extension metadata, an object (published as `_meta`). Prefixes of the protocol's own are refused.
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

    /// Sets who checks the arguments; the dispatcher by default.
    #[must_use]
    pub fn argument_check(mut self, check: ArgumentCheck) -> Self {
        self.settings.argument_check = check;
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

    /// Sets whether the text that repeats structured content is answer enough for a client whose protocol cannot carry
    /// structured content of its shape: a number, say, to a client of an MCP revision of 2025. Otherwise the call fails
    /// there, as it does by default.
    #[must_use]
    pub fn text_suffices(mut self, suffices: bool) -> Self {
        self.settings.text_suffices = suffices;
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
        let input = input.map_err(|fault| fault.of_tool(&name, "input"))?;
        let input_schema = input.into_input().map_err(|source| ToolBuildError::InputSchema {
            name: name.clone(),
            source,
        })?;
        let output_schema = match output {
            None => None,
            Some(source) => {
                let given = source.map_err(|fault| fault.of_tool(&name, "output"))?;
                let compiled = given.into_output();
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

#[cfg(test)]
mod tests {
    use toolmesh_schema::{Profile, Schema};

    use super::{super::MAX_TEXT_BYTES, *};
    use crate::{ToolDescriptor, ToolResult};

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
        assert!(matches!(error, ToolBuildError::Meta { .. }));
        let scalar_root = toolmesh_json::parse(br#"{"type":"string"}"#).unwrap();
        let error = Tool::with_name("echo")
            .input_schema(scalar_root, Profile::Profile1)
            .handler(|_, _| async { ToolResult::text("ok") })
            .build()
            .unwrap_err();
        assert!(matches!(error, ToolBuildError::InputSchema { .. }));
    }

    #[test]
    fn a_compiled_schema_is_shared_and_one_that_is_no_input_is_checked_as_one() {
        let document = |text: &[u8]| toolmesh_json::parse(text).unwrap();
        let built = |schema: Schema| {
            Tool::with_name("echo")
                .compiled_input_schema(schema.clone())
                .compiled_output_schema(schema)
                .handler(|_, _| async { ToolResult::text("ok") })
                .build()
        };
        let shared =
            Schema::compile_tool_input(document(br#"{"type":"object"}"#), Profile::Draft2020_12).unwrap();
        let tool = built(shared).unwrap();
        assert_eq!(
            tool.input_schema().document(),
            tool.output_schema().unwrap().document()
        );
        let scalar = Schema::compile(document(br#"{"type":"string"}"#), Profile::Draft2020_12).unwrap();
        assert!(matches!(built(scalar), Err(ToolBuildError::InputSchema { .. })));
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
