//! What a caller may choose about compiling.

use crate::dialect::Draft;
use crate::limits::CompileLimits;
use crate::registry::Registry;

/// What `format` does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Formats {
    /// It describes and asserts nothing, as draft 2020-12 has it by default.
    #[default]
    Annotate,
    /// Strings must have the format, where the format is known; unknown formats still assert nothing.
    Assert,
}

/// How a document is compiled: bounds, known documents, and what is assumed where the document says nothing.
///
/// Profile 1 has no choice beyond its bounds: it refers to no other document and asserts no format.
#[derive(Clone, Debug, Default)]
pub struct CompileOptions {
    limits: CompileLimits,
    registry: Registry,
    formats: Formats,
    draft: Draft,
}

impl CompileOptions {
    /// The same options under other bounds.
    #[must_use = "with_limits returns the options"]
    pub fn with_limits(mut self, limits: CompileLimits) -> Self {
        self.limits = limits;
        self
    }

    /// The same options with documents that may be referred to.
    #[must_use = "with_registry returns the options"]
    pub fn with_registry(mut self, registry: Registry) -> Self {
        self.registry = registry;
        self
    }

    /// The same options with `format` as chosen.
    #[must_use = "with_formats returns the options"]
    pub fn with_formats(mut self, formats: Formats) -> Self {
        self.formats = formats;
        self
    }

    /// The same options with another draft for documents without `$schema`.
    #[must_use = "with_default_draft returns the options"]
    pub fn with_default_draft(mut self, draft: Draft) -> Self {
        self.draft = draft;
        self
    }

    /// The bounds.
    pub fn limits(&self) -> &CompileLimits {
        &self.limits
    }

    /// The documents that may be referred to.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// What `format` does.
    pub fn formats(&self) -> Formats {
        self.formats
    }

    /// The draft of a document without `$schema`.
    pub fn default_draft(&self) -> Draft {
        self.draft
    }
}
