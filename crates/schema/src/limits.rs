//! The bounds of compiling and of evaluating, each with its production value and its ceiling.

use std::fmt;

/// A bound met while a document is compiled.
///
/// Production values and ceilings of the first eleven are those of Tool Schema Profile 1; lengths of text are in
/// UTF-16 units, as there. The pattern bounds belong to draft 2020-12 and are this engine's own.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompileLimit {
    /// Schemas in the document, booleans included.
    SchemaNodeCount,
    /// Schemas inside schemas; the root is 1.
    SchemaDepth,
    /// Members of all schema objects together.
    KeywordCount,
    /// `$anchor` names in the document.
    AnchorCount,
    /// `$ref` keywords in the document.
    ReferenceCount,
    /// Length of one `$anchor`.
    AnchorNameLength,
    /// Length of one `$ref`.
    ReferenceLength,
    /// Segments of a `$ref`'s JSON Pointer.
    PointerSegmentCount,
    /// Entries of one `enum`, `required`, `$defs`, `properties`, `allOf`, `anyOf`, or a like collection.
    CollectionEntryCount,
    /// Length of a property name, definition name, required name or header suffix.
    NameLength,
    /// Length of one segment of a `$ref`'s JSON Pointer, after decoding.
    PointerSegmentLength,
    /// Length of one `pattern`.
    PatternLength,
    /// Bytes of all compiled patterns together, in steps: bounds the memory that patterns take.
    PatternSize,
}

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

impl CompileLimit {
    /// Every bound, in declaration order.
    pub const ALL: [CompileLimit; 13] = [
        Self::SchemaNodeCount,
        Self::SchemaDepth,
        Self::KeywordCount,
        Self::AnchorCount,
        Self::ReferenceCount,
        Self::AnchorNameLength,
        Self::ReferenceLength,
        Self::PointerSegmentCount,
        Self::CollectionEntryCount,
        Self::NameLength,
        Self::PointerSegmentLength,
        Self::PatternLength,
        Self::PatternSize,
    ];

    /// The value in force unless a caller chooses another.
    pub const fn production(self) -> usize {
        match self {
            Self::SchemaNodeCount
            | Self::ReferenceCount
            | Self::ReferenceLength
            | Self::CollectionEntryCount => 4_096,
            Self::SchemaDepth => 64,
            Self::KeywordCount => 32_768,
            Self::AnchorCount | Self::NameLength | Self::PointerSegmentLength => 1_024,
            Self::AnchorNameLength => 256,
            Self::PointerSegmentCount => 128,
            Self::PatternLength => 4_096,
            Self::PatternSize => 16 * MIB,
        }
    }

    /// The largest value that a caller may choose.
    pub const fn ceiling(self) -> usize {
        match self {
            Self::SchemaNodeCount
            | Self::AnchorCount
            | Self::ReferenceCount
            | Self::ReferenceLength
            | Self::CollectionEntryCount
            | Self::PatternLength => 65_536,
            Self::SchemaDepth => 256,
            Self::KeywordCount => 524_288,
            Self::AnchorNameLength => 4_096,
            Self::PointerSegmentCount => 512,
            Self::NameLength | Self::PointerSegmentLength => 16_384,
            Self::PatternSize => 64 * MIB,
        }
    }

    /// The stable name, such as `SCHEMA_NODE_COUNT`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SchemaNodeCount => "SCHEMA_NODE_COUNT",
            Self::SchemaDepth => "SCHEMA_DEPTH",
            Self::KeywordCount => "KEYWORD_COUNT",
            Self::AnchorCount => "ANCHOR_COUNT",
            Self::ReferenceCount => "REFERENCE_COUNT",
            Self::AnchorNameLength => "ANCHOR_NAME_LENGTH",
            Self::ReferenceLength => "REFERENCE_LENGTH",
            Self::PointerSegmentCount => "POINTER_SEGMENT_COUNT",
            Self::CollectionEntryCount => "COLLECTION_ENTRY_COUNT",
            Self::NameLength => "NAME_LENGTH",
            Self::PointerSegmentLength => "POINTER_SEGMENT_LENGTH",
            Self::PatternLength => "PATTERN_LENGTH",
            Self::PatternSize => "PATTERN_SIZE",
        }
    }

    /// What the bound counts, in words that fit after a number.
    pub(crate) const fn unit(self) -> &'static str {
        match self {
            Self::SchemaNodeCount => "schemas in a document",
            Self::SchemaDepth => "schemas inside each other",
            Self::KeywordCount => "keywords in a document",
            Self::AnchorCount => "anchors in a document",
            Self::ReferenceCount => "references in a document",
            Self::AnchorNameLength => "characters in an anchor",
            Self::ReferenceLength => "characters in a reference",
            Self::PointerSegmentCount => "segments in a pointer",
            Self::CollectionEntryCount => "entries in one collection",
            Self::NameLength => "characters in a name",
            Self::PointerSegmentLength => "characters in a pointer segment",
            Self::PatternLength => "characters in a pattern",
            Self::PatternSize => "bytes of compiled patterns in a document",
        }
    }
}

impl fmt::Display for CompileLimit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A bound that may not be chosen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} may be set from {least} to {ceiling}, not to {asked}")]
pub struct LimitError {
    name: &'static str,
    least: u64,
    ceiling: u64,
    asked: u64,
}

/// The bounds that one compilation runs under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompileLimits {
    values: [usize; CompileLimit::ALL.len()],
}

impl Default for CompileLimits {
    /// The production values.
    fn default() -> Self {
        Self {
            values: CompileLimit::ALL.map(CompileLimit::production),
        }
    }
}

impl CompileLimits {
    /// The value of one bound.
    pub fn get(&self, limit: CompileLimit) -> usize {
        self.values.get(limit as usize).copied().unwrap_or_default()
    }

    /// The same bounds with one changed.
    ///
    /// # Errors
    /// [`LimitError`] when the value is zero or above [`CompileLimit::ceiling`].
    pub fn with(mut self, limit: CompileLimit, value: usize) -> Result<Self, LimitError> {
        let (name, ceiling) = (limit.as_str(), limit.ceiling());
        if value == 0 || value > ceiling {
            let (ceiling, asked) = (ceiling as u64, value as u64);
            return Err(LimitError {
                name,
                least: 1,
                ceiling,
                asked,
            });
        }
        if let Some(slot) = self.values.get_mut(limit as usize) {
            *slot = value;
        }
        Ok(self)
    }
}

/// The bound that ended an evaluation before it had an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EvaluationLimit {
    /// The work budget is spent.
    EvaluationOperations,
    /// Too many references were followed, or one leads back to itself on the same value.
    ReferenceTraversals,
    /// Too many evaluations were open inside each other.
    PendingTasks,
}

impl EvaluationLimit {
    /// The stable name, such as `EVALUATION_OPERATIONS`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::EvaluationOperations => "EVALUATION_OPERATIONS",
            Self::ReferenceTraversals => "REFERENCE_TRAVERSALS",
            Self::PendingTasks => "PENDING_TASKS",
        }
    }
}

impl fmt::Display for EvaluationLimit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// The bounds that one evaluation runs under.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EvaluationLimits {
    operations: u64,
    reference_traversals: u64,
    pending: u32,
    diagnostics: usize,
    diagnostic_text: usize,
}

impl Default for EvaluationLimits {
    /// The production values.
    fn default() -> Self {
        Self {
            operations: Self::OPERATIONS,
            reference_traversals: Self::REFERENCE_TRAVERSALS,
            pending: Self::PENDING,
            diagnostics: Self::DIAGNOSTICS,
            diagnostic_text: Self::DIAGNOSTIC_TEXT,
        }
    }
}

impl EvaluationLimits {
    /// Operations in production: some milliseconds of work.
    pub const OPERATIONS: u64 = 1_000_000;
    /// Largest operation budget.
    pub const OPERATIONS_CEILING: u64 = 10_000_000;
    /// References followed in production.
    pub const REFERENCE_TRAVERSALS: u64 = 100_000;
    /// Largest number of references followed.
    pub const REFERENCE_TRAVERSALS_CEILING: u64 = 1_000_000;
    /// Evaluations open inside each other in production; this bounds the native stack.
    pub const PENDING: u32 = 128;
    /// Largest number of evaluations open inside each other.
    pub const PENDING_CEILING: u32 = 256;
    /// Diagnostics kept in production.
    pub const DIAGNOSTICS: usize = 100;
    /// Largest number of diagnostics kept.
    pub const DIAGNOSTICS_CEILING: usize = 1_000;
    /// UTF-8 bytes of diagnostic text kept in production.
    pub const DIAGNOSTIC_TEXT: usize = 64 * KIB;
    /// Largest number of UTF-8 bytes of diagnostic text kept.
    pub const DIAGNOSTIC_TEXT_CEILING: usize = MIB;

    /// The operation budget.
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// How many references may be followed.
    pub fn reference_traversals(&self) -> u64 {
        self.reference_traversals
    }

    /// How many evaluations may be open inside each other.
    pub fn pending(&self) -> u32 {
        self.pending
    }

    /// How many diagnostics are kept.
    pub fn diagnostics(&self) -> usize {
        self.diagnostics
    }

    /// How many UTF-8 bytes of diagnostic text are kept.
    pub fn diagnostic_text(&self) -> usize {
        self.diagnostic_text
    }

    /// The same bounds with another operation budget.
    ///
    /// # Errors
    /// [`LimitError`] when the value is zero or above [`Self::OPERATIONS_CEILING`].
    pub fn with_operations(mut self, value: u64) -> Result<Self, LimitError> {
        self.operations = within("operations", 1, Self::OPERATIONS_CEILING, value)?;
        Ok(self)
    }

    /// The same bounds with another number of references; zero follows none.
    ///
    /// # Errors
    /// [`LimitError`] when the value is above [`Self::REFERENCE_TRAVERSALS_CEILING`].
    pub fn with_reference_traversals(mut self, value: u64) -> Result<Self, LimitError> {
        let ceiling = Self::REFERENCE_TRAVERSALS_CEILING;
        self.reference_traversals = within("reference traversals", 0, ceiling, value)?;
        Ok(self)
    }

    /// The same bounds with another nesting of evaluations.
    ///
    /// # Errors
    /// [`LimitError`] when the value is zero or above [`Self::PENDING_CEILING`].
    pub fn with_pending(mut self, value: u32) -> Result<Self, LimitError> {
        within(
            "pending evaluations",
            1,
            u64::from(Self::PENDING_CEILING),
            u64::from(value),
        )?;
        self.pending = value;
        Ok(self)
    }

    /// The same bounds with another number of diagnostics; zero keeps none.
    ///
    /// # Errors
    /// [`LimitError`] when the value is above [`Self::DIAGNOSTICS_CEILING`].
    pub fn with_diagnostics(mut self, value: usize) -> Result<Self, LimitError> {
        within("diagnostics", 0, Self::DIAGNOSTICS_CEILING as u64, value as u64)?;
        self.diagnostics = value;
        Ok(self)
    }

    /// The same bounds with another amount of diagnostic text; zero keeps none.
    ///
    /// # Errors
    /// [`LimitError`] when the value is above [`Self::DIAGNOSTIC_TEXT_CEILING`].
    pub fn with_diagnostic_text(mut self, value: usize) -> Result<Self, LimitError> {
        within(
            "diagnostic text",
            0,
            Self::DIAGNOSTIC_TEXT_CEILING as u64,
            value as u64,
        )?;
        self.diagnostic_text = value;
        Ok(self)
    }
}

fn within(name: &'static str, least: u64, ceiling: u64, asked: u64) -> Result<u64, LimitError> {
    if asked < least || asked > ceiling {
        return Err(LimitError {
            name,
            least,
            ceiling,
            asked,
        });
    }
    Ok(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_compile_bound_may_reach_its_ceiling_and_not_pass_it() {
        for limit in CompileLimit::ALL {
            let limits = CompileLimits::default();
            assert_eq!(limits.get(limit), limit.production(), "{limit}");
            assert_eq!(
                limits.with(limit, limit.ceiling()).unwrap().get(limit),
                limit.ceiling(),
                "{limit}"
            );
            assert!(limits.with(limit, limit.ceiling() + 1).is_err(), "{limit}");
            assert!(limits.with(limit, 0).is_err(), "{limit}");
        }
    }

    #[test]
    fn every_evaluation_bound_may_reach_its_ceiling_and_not_pass_it() {
        let limits = EvaluationLimits::default();
        assert!(limits.with_operations(10_000_000).is_ok() && limits.with_operations(10_000_001).is_err());
        assert!(limits.with_reference_traversals(1_000_000).is_ok());
        assert!(limits.with_reference_traversals(1_000_001).is_err());
        assert!(limits.with_pending(256).is_ok() && limits.with_pending(257).is_err());
        assert!(limits.with_diagnostics(1_000).is_ok() && limits.with_diagnostics(1_001).is_err());
        assert!(limits.with_diagnostic_text(MIB).is_ok() && limits.with_diagnostic_text(MIB + 1).is_err());
    }

    #[test]
    fn a_refused_bound_says_its_range() {
        let error = EvaluationLimits::default().with_pending(300).unwrap_err();
        assert_eq!(
            error.to_string(),
            "pending evaluations may be set from 1 to 256, not to 300"
        );
    }
}
