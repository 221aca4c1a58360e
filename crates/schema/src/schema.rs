//! A compiled document, shared between threads.

use std::fmt;
use std::sync::Arc;

use toolmesh_json::pointer::Pointer;
use toolmesh_json::{Value, View};

use crate::compile::{Compiled, Usage, compile};
use crate::dialect::Draft;
use crate::error::CompileError;
use crate::evaluate::evaluate;
use crate::limits::EvaluationLimits;
use crate::options::CompileOptions;
use crate::outcome::Evaluation;
use crate::profile::Profile;
use crate::tool_input::MirroredHeader;

/// A compiled schema: cheap to clone, shared between threads, publishing exactly the document it was given.
#[derive(Clone)]
pub struct Schema {
    shared: Arc<Shared>,
}

struct Shared {
    document: Value,
    profile: Profile,
    usage: Usage,
    compiled: Compiled,
}

/// A keyword that the profile does not know and keeps as an annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownKeyword {
    pub(crate) location: Pointer,
    pub(crate) keyword: String,
}

impl UnknownKeyword {
    /// Where the keyword stands.
    pub fn location(&self) -> &Pointer {
        &self.location
    }

    /// Its name.
    pub fn keyword(&self) -> &str {
        &self.keyword
    }
}

impl Schema {
    /// Compiles a document for any use but a tool's input.
    ///
    /// # Errors
    /// [`CompileError`] when the document is no schema of the profile, is beyond a production bound, or (Profile 1)
    /// mirrors a header.
    pub fn compile(document: Value, profile: Profile) -> Result<Schema, CompileError> {
        Self::compile_with(document, profile, &CompileOptions::default())
    }

    /// As [`Schema::compile`], under chosen bounds, with chosen documents to refer to, and so on.
    ///
    /// # Errors
    /// As [`Schema::compile`].
    pub fn compile_with(
        document: Value,
        profile: Profile,
        options: &CompileOptions,
    ) -> Result<Schema, CompileError> {
        Self::compile_for(document, profile, Usage::General, options)
    }

    /// Compiles a tool's input schema: its root must say `"type": "object"` directly, and `x-mcp-header` declarations
    /// must be sound (a header-name token, on a `string`, `boolean` or `integer` reached from the root by `properties`
    /// alone, unique without regard to letter case).
    ///
    /// # Errors
    /// [`CompileError`] when the document is no schema of the profile, is beyond a production bound, or breaks a rule
    /// above.
    pub fn compile_tool_input(document: Value, profile: Profile) -> Result<Schema, CompileError> {
        Self::compile_tool_input_with(document, profile, &CompileOptions::default())
    }

    /// As [`Schema::compile_tool_input`], under chosen bounds, with chosen documents to refer to, and so on.
    ///
    /// # Errors
    /// As [`Schema::compile_tool_input`].
    pub fn compile_tool_input_with(
        document: Value,
        profile: Profile,
        options: &CompileOptions,
    ) -> Result<Schema, CompileError> {
        Self::compile_for(document, profile, Usage::ToolInput, options)
    }

    fn compile_for(
        document: Value,
        profile: Profile,
        usage: Usage,
        options: &CompileOptions,
    ) -> Result<Schema, CompileError> {
        let compiled = compile(document.view(), profile, usage, options)?;
        Ok(Schema {
            shared: Arc::new(Shared {
                document,
                profile,
                usage,
                compiled,
            }),
        })
    }

    #[cfg(test)]
    pub(crate) fn program(&self) -> &crate::program::Program {
        &self.shared.compiled.program
    }

    /// The document, equal in values, spelling of numbers and member order to what was given.
    pub fn document(&self) -> &Value {
        &self.shared.document
    }

    /// The profile it was compiled against.
    pub fn profile(&self) -> Profile {
        self.shared.profile
    }

    /// Whether it was compiled as a tool's input schema, and so is one.
    pub fn is_tool_input(&self) -> bool {
        self.shared.usage == Usage::ToolInput
    }

    /// The draft that the document is written in: what its `$schema` says, or what the options assume without it.
    pub fn draft(&self) -> Draft {
        self.shared.compiled.draft
    }

    /// How many schemas the document holds, those of other documents that it refers to included.
    pub fn node_count(&self) -> usize {
        self.shared.compiled.program.len()
    }

    /// Argument values that clients repeat in HTTP headers; empty unless compiled as a tool's input.
    pub fn mirrored_headers(&self) -> &[MirroredHeader] {
        &self.shared.compiled.headers
    }

    /// Keywords kept as annotations because the dialect does not know them, such as misspelled ones; always empty in
    /// Profile 1, and without those of other documents.
    pub fn unknown_keywords(&self) -> &[UnknownKeyword] {
        &self.shared.compiled.unknown
    }

    /// Judges a value within the production bounds.
    pub fn evaluate<'v>(&self, value: impl Into<View<'v>>) -> Evaluation {
        self.evaluate_with(value, &EvaluationLimits::default())
    }

    /// Judges a value within chosen bounds.
    pub fn evaluate_with<'v>(&self, value: impl Into<View<'v>>, limits: &EvaluationLimits) -> Evaluation {
        evaluate(&self.shared.compiled.program, value.into(), limits)
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Schema")
            .field("profile", &self.shared.profile)
            .field("nodes", &self.node_count())
            .field("document", &self.shared.document)
            .finish()
    }
}
