//! The closed subset of JSON Schema that a provider can force a model to keep to.
//!
//! A schema is transformed only when nothing is lost: every argument that the transformed schema takes comes back as one that
//! the tool's own schema takes. Otherwise the first reason against it is told, and the tool is offered without force.

mod literal;
mod object;
mod union;
mod walk;

pub(crate) use walk::{Refusal, Transformed, transform};

/// How a provider's strict subset differs from others'.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dialect {
    /// How a member that may be absent is said.
    pub(crate) optional: Optional,
    /// Whether `type` stands beside `enum` and `const`.
    pub(crate) literal_types: bool,
    /// Whether `type` may list several kinds.
    pub(crate) type_lists: bool,
    /// Whether a definition may refer to itself.
    pub(crate) recursion: bool,
    /// Assertions about numbers, texts and lists that it can force.
    pub(crate) assertions: &'static [&'static str],
    /// The largest `minItems` that it can force; other values need `minItems` among the assertions.
    pub(crate) max_min_items: u64,
    /// Values of `format` that it knows.
    pub(crate) formats: &'static [&'static str],
}

/// How a member that may be absent is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Optional {
    /// As a required one that may be null.
    Nullable,
    /// As it is.
    Kept,
}
