//! Other accepted spellings of arguments.

use std::fmt;

use toolmesh_json::{Pointer, Value, View};

/// A source's pure, bounded rewriting of other accepted spellings into the published form, for instance an integer
/// given as a JSON number where the schema says decimal string.
///
/// It runs after the confirmation policy and before the input schema, on every call of a tool that has one. It must
/// not look at anything but the arguments, and its work must be linear in their size.
pub trait Accept: Send + Sync + 'static {
    /// Rewrites `arguments`; what it does not understand it leaves for the schema to refuse.
    ///
    /// # Errors
    /// [`ArgumentError`] where no published form exists, such as two spellings of one argument.
    fn accept(&self, arguments: View<'_>) -> Result<Value, ArgumentError>;
}

/// One argument that does not fit: where, by which rule, and what is expected; never what was submitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentError {
    /// Place in the arguments object.
    pub pointer: Pointer,
    /// Short name of the violated rule, such as `type` or `checksum`.
    pub rule: String,
    /// What would fit, in words.
    pub expected: String,
}

impl ArgumentError {
    /// An error at `pointer` by `rule`; `expected` says what would fit.
    pub fn new(pointer: Pointer, rule: impl Into<String>, expected: impl Into<String>) -> Self {
        Self {
            pointer,
            rule: rule.into(),
            expected: expected.into(),
        }
    }
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.pointer.to_string();
        let place = if place.is_empty() {
            "the arguments".to_owned()
        } else {
            place
        };
        write!(f, "{place}: expected {} ({})", self.expected, self.rule)
    }
}

impl std::error::Error for ArgumentError {}
