//! Why a document could not be compiled.

use std::fmt;

use toolmesh_json::pointer::Pointer;

use crate::limits::CompileLimit;

/// What sort of fault a document has. The first fourteen are those of Tool Schema Profile 1.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompileErrorKind {
    /// Something stands in a schema's place that is no schema, or the root is not what its use requires.
    InvalidSchema,
    /// A known keyword has a value of the wrong shape.
    InvalidKeywordValue,
    /// An `x-mcp-header` suffix is no header-name token.
    InvalidMirroredHeaderName,
    /// An `x-mcp-header` stands on a property whose direct type is not `string`, `boolean` or `integer`.
    InvalidMirroredHeaderType,
    /// Two `x-mcp-header` suffixes are the same when letter case is ignored.
    DuplicateMirroredHeader,
    /// An `x-mcp-header` stands where no header can be mirrored from.
    MisplacedMirroredHeader,
    /// `$schema` stands in a schema that is neither the root nor has an `$id`.
    MisplacedDialect,
    /// `$schema` names a dialect that is not evaluated: in Profile 1 any other than draft 2020-12.
    UnsupportedDialect,
    /// The keyword is outside the profile, or belongs to the draft but is not evaluated by this engine.
    UnsupportedKeyword,
    /// An `$anchor` is no plain name.
    InvalidAnchor,
    /// Two schemas have the same `$anchor`.
    DuplicateAnchor,
    /// A `$ref` is malformed, or (Profile 1) does not lead into the same document.
    InvalidReference,
    /// A `$ref` points at nothing, or at something that is no schema.
    UnresolvedReference,
    /// A bound was reached; [`CompileError::limit`] says which.
    LimitExceeded,
    /// A `pattern` is sound ECMA-262 but has no linear-time equivalent (look-around, back-references).
    UnsupportedPattern,
}

impl CompileErrorKind {
    /// The stable name, such as `UNSUPPORTED_KEYWORD`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidSchema => "INVALID_SCHEMA",
            Self::InvalidKeywordValue => "INVALID_KEYWORD_VALUE",
            Self::InvalidMirroredHeaderName => "INVALID_MIRRORED_HEADER_NAME",
            Self::InvalidMirroredHeaderType => "INVALID_MIRRORED_HEADER_TYPE",
            Self::DuplicateMirroredHeader => "DUPLICATE_MIRRORED_HEADER",
            Self::MisplacedMirroredHeader => "MISPLACED_MIRRORED_HEADER",
            Self::MisplacedDialect => "MISPLACED_DIALECT",
            Self::UnsupportedDialect => "UNSUPPORTED_DIALECT",
            Self::UnsupportedKeyword => "UNSUPPORTED_KEYWORD",
            Self::InvalidAnchor => "INVALID_ANCHOR",
            Self::DuplicateAnchor => "DUPLICATE_ANCHOR",
            Self::InvalidReference => "INVALID_REFERENCE",
            Self::UnresolvedReference => "UNRESOLVED_REFERENCE",
            Self::LimitExceeded => "LIMIT_EXCEEDED",
            Self::UnsupportedPattern => "UNSUPPORTED_PATTERN",
        }
    }
}

impl fmt::Display for CompileErrorKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A document that cannot be compiled: what is wrong, where, and what to do instead.
///
/// It is met when a schema is registered, never when a value is judged. The text is for the document's author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompileError {
    fault: Box<Fault>,
}

/// Apart, so that a `Result` with this error stays one pointer wide.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Fault {
    kind: CompileErrorKind,
    limit: Option<CompileLimit>,
    document: Option<String>,
    location: Option<Pointer>,
    keyword: Option<String>,
    remedy: String,
}

impl CompileError {
    pub(crate) fn new(kind: CompileErrorKind, remedy: impl Into<String>) -> Self {
        let remedy = remedy.into();
        Self {
            fault: Box::new(Fault {
                kind,
                limit: None,
                document: None,
                location: None,
                keyword: None,
                remedy,
            }),
        }
    }

    pub(crate) fn at(mut self, location: Pointer) -> Self {
        self.fault.location = Some(location);
        self
    }

    pub(crate) fn within(mut self, document: Option<&str>) -> Self {
        self.fault.document = document.map(str::to_owned);
        self
    }

    pub(crate) fn on(mut self, keyword: &str) -> Self {
        self.fault.keyword = Some(keyword.to_owned());
        self
    }

    pub(crate) fn over(limit: CompileLimit, bound: usize) -> Self {
        let unit = limit.unit();
        let mut error = Self::new(CompileErrorKind::LimitExceeded, format!("at most {bound} {unit}"));
        error.fault.limit = Some(limit);
        error
    }

    /// What sort of fault it is.
    pub fn kind(&self) -> CompileErrorKind {
        self.fault.kind
    }

    /// The bound that was reached, when the kind is [`CompileErrorKind::LimitExceeded`].
    pub fn limit(&self) -> Option<CompileLimit> {
        self.fault.limit
    }

    /// The URI of the document at fault, when it is one out of the registry and not the compiled document itself.
    pub fn document(&self) -> Option<&str> {
        self.fault.document.as_deref()
    }

    /// Where in the document: the keyword's value, or the schema when no keyword is at fault.
    pub fn location(&self) -> Option<&Pointer> {
        self.fault.location.as_ref()
    }

    /// The keyword at fault.
    pub fn keyword(&self) -> Option<&str> {
        self.fault.keyword.as_deref()
    }

    /// What would be right there, in words.
    pub fn remedy(&self) -> &str {
        &self.fault.remedy
    }
}

impl fmt::Display for CompileError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fault = &self.fault;
        formatter.write_str(fault.kind.as_str())?;
        if let Some(limit) = fault.limit {
            write!(formatter, " ({limit})")?;
        }
        if let Some(location) = &fault.location {
            let text = location.to_string();
            let place = if text.is_empty() {
                "the root"
            } else {
                text.as_str()
            };
            write!(formatter, " at {place}")?;
        }
        if let Some(document) = &fault.document {
            write!(formatter, " of {document}")?;
        }
        if let Some(keyword) = &fault.keyword {
            write!(formatter, ", keyword `{keyword}`")?;
        }
        write!(formatter, ": {}", fault.remedy)
    }
}

impl std::error::Error for CompileError {}
