//! Why a tool cannot be built.

use toolmesh_schema::CompileError;

use super::settings::{MAX_LABEL_BYTES, MAX_LABELS, MAX_TEXT_BYTES};
use crate::{IconError, InputKind, MAX_REVISIONS, MetaError, NameError, typed::TypeRefusal};

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
    /// One of its icons is none, or there are too many.
    #[error("tool `{name}`: {source}")]
    Icon {
        /// The tool.
        name: String,
        /// Why.
        source: IconError,
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
    /// Its metadata cannot be published.
    #[error("tool `{name}`: {source}")]
    Meta {
        /// The tool.
        name: String,
        /// Why.
        source: MetaError,
    },
    /// It names no protocol revision, one twice, or too many.
    #[error("tool `{name}`: name each protocol revision once, 1 to {MAX_REVISIONS} of them, or none for all")]
    Revisions {
        /// The tool.
        name: String,
    },
    /// There are more than [`MAX_LABELS`] of something.
    #[error(
        "tool `{name}`: there are at most {MAX_LABELS} of each of tags, requirements and aliases; its {what} list is longer"
    )]
    TooManyLabels {
        /// The tool.
        name: String,
        /// Of what.
        what: &'static str,
    },
    /// A tag, requirement, alias, or limiter's name is empty or longer than [`MAX_LABEL_BYTES`].
    #[error("tool `{name}`: a {what} has 1 to {MAX_LABEL_BYTES} bytes")]
    Label {
        /// The tool.
        name: String,
        /// Which.
        what: &'static str,
    },
}
