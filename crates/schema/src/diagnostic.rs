//! Why a value does not fit: where, and what the schema expected there.

use std::fmt;
use std::sync::Arc;

use toolmesh_json::pointer::Pointer;

/// The rule that a value broke.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DiagnosticCode {
    /// The schema is `false`: nothing may stand here.
    FalseSchema,
    /// `type`
    TypeMismatch,
    /// `const`
    ConstMismatch,
    /// `enum`
    EnumMismatch,
    /// `required`
    RequiredPropertyMissing,
    /// `minimum`
    MinimumMismatch,
    /// `maximum`
    MaximumMismatch,
    /// `anyOf`
    AnyOfMismatch,
    /// `exclusiveMinimum`
    ExclusiveMinimumMismatch,
    /// `exclusiveMaximum`
    ExclusiveMaximumMismatch,
    /// `multipleOf`
    MultipleOfMismatch,
    /// `minLength`
    MinLengthMismatch,
    /// `maxLength`
    MaxLengthMismatch,
    /// `pattern`
    PatternMismatch,
    /// `format`, where it asserts
    FormatMismatch,
    /// `minItems`
    MinItemsMismatch,
    /// `maxItems`
    MaxItemsMismatch,
    /// `uniqueItems`
    UniqueItemsMismatch,
    /// `contains`, `minContains` or `maxContains`
    ContainsMismatch,
    /// `minProperties`
    MinPropertiesMismatch,
    /// `maxProperties`
    MaxPropertiesMismatch,
    /// `propertyNames`
    PropertyNamesMismatch,
    /// `dependentRequired`, or the list form of `dependencies`
    DependentRequiredMissing,
    /// `oneOf`
    OneOfMismatch,
    /// `not`
    NotMismatch,
}

impl DiagnosticCode {
    /// The stable name, such as `TYPE_MISMATCH`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FalseSchema => "FALSE_SCHEMA",
            Self::TypeMismatch => "TYPE_MISMATCH",
            Self::ConstMismatch => "CONST_MISMATCH",
            Self::EnumMismatch => "ENUM_MISMATCH",
            Self::RequiredPropertyMissing => "REQUIRED_PROPERTY_MISSING",
            Self::MinimumMismatch => "MINIMUM_MISMATCH",
            Self::MaximumMismatch => "MAXIMUM_MISMATCH",
            Self::AnyOfMismatch => "ANY_OF_MISMATCH",
            Self::ExclusiveMinimumMismatch => "EXCLUSIVE_MINIMUM_MISMATCH",
            Self::ExclusiveMaximumMismatch => "EXCLUSIVE_MAXIMUM_MISMATCH",
            Self::MultipleOfMismatch => "MULTIPLE_OF_MISMATCH",
            Self::MinLengthMismatch => "MIN_LENGTH_MISMATCH",
            Self::MaxLengthMismatch => "MAX_LENGTH_MISMATCH",
            Self::PatternMismatch => "PATTERN_MISMATCH",
            Self::FormatMismatch => "FORMAT_MISMATCH",
            Self::MinItemsMismatch => "MIN_ITEMS_MISMATCH",
            Self::MaxItemsMismatch => "MAX_ITEMS_MISMATCH",
            Self::UniqueItemsMismatch => "UNIQUE_ITEMS_MISMATCH",
            Self::ContainsMismatch => "CONTAINS_MISMATCH",
            Self::MinPropertiesMismatch => "MIN_PROPERTIES_MISMATCH",
            Self::MaxPropertiesMismatch => "MAX_PROPERTIES_MISMATCH",
            Self::PropertyNamesMismatch => "PROPERTY_NAMES_MISMATCH",
            Self::DependentRequiredMissing => "DEPENDENT_REQUIRED_MISSING",
            Self::OneOfMismatch => "ONE_OF_MISMATCH",
            Self::NotMismatch => "NOT_MISMATCH",
        }
    }
}

impl fmt::Display for DiagnosticCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// One reason why a value does not fit.
///
/// `expected` is made from the schema alone. `instance` is a place in the judged value and so contains its member
/// names; whoever shows a diagnostic to a stranger decides about that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub(crate) code: DiagnosticCode,
    pub(crate) instance: Pointer,
    pub(crate) document: Option<Arc<str>>,
    pub(crate) schema: Pointer,
    pub(crate) expected: String,
}

impl Diagnostic {
    /// The rule that was broken.
    pub fn code(&self) -> DiagnosticCode {
        self.code
    }

    /// Where in the judged value.
    pub fn instance(&self) -> &Pointer {
        &self.instance
    }

    /// The URI of the schema document that the rule stands in, when it is one out of the registry and not the compiled
    /// document itself.
    pub fn document(&self) -> Option<&str> {
        self.document.as_deref()
    }

    /// Where in the schema document the rule stands.
    pub fn schema(&self) -> &Pointer {
        &self.schema
    }

    /// What the schema expected, as words that fit after "expected": `a string`, `at most 255`.
    pub fn expected(&self) -> &str {
        &self.expected
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let instance = self.instance.to_string();
        let place = if instance.is_empty() {
            "the value itself"
        } else {
            instance.as_str()
        };
        write!(
            formatter,
            "{place}: expected {} ({} at {}#{})",
            self.expected,
            self.code,
            self.document.as_deref().unwrap_or_default(),
            self.schema
        )
    }
}

/// The reasons that were kept, in the order in which they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    pub(crate) list: Vec<Diagnostic>,
    pub(crate) truncated: bool,
}

impl Diagnostics {
    /// The reasons, in the order in which they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// The reasons as a slice.
    pub fn as_slice(&self) -> &[Diagnostic] {
        &self.list
    }

    /// How many reasons were kept.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether none was kept.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether there were more reasons than the limits allow to keep.
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }
}

impl<'d> IntoIterator for &'d Diagnostics {
    type Item = &'d Diagnostic;
    type IntoIter = std::slice::Iter<'d, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}
