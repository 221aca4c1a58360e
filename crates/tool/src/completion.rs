//! Completing an argument while a person types it.

use indexmap::IndexMap;
use tokio_util::sync::CancellationToken;

use crate::{Caller, FrontInfo};

/// What an argument belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompletionReference {
    /// A prompt, by name.
    Prompt(String),
    /// A resource template, by its URI template text.
    Template(String),
}

/// A question for completions.
#[derive(Debug, Clone)]
pub struct CompletionRequest {
    /// What the argument belongs to.
    pub reference: CompletionReference,
    /// The argument's name.
    pub argument: String,
    /// What was typed so far.
    pub value: String,
    /// Arguments that are already settled.
    pub settled: IndexMap<String, String>,
    /// Who asks.
    pub caller: Caller,
    /// What the front knows.
    pub front: FrontInfo,
    /// Cancels the completing.
    pub cancellation: CancellationToken,
    /// Headers that came with the question (trace context), names in lower case.
    pub headers: Vec<(String, String)>,
}

impl CompletionRequest {
    /// Asks for values of the argument `argument` that begin with `value`, for `caller`.
    pub fn new(
        reference: CompletionReference,
        argument: impl Into<String>,
        value: impl Into<String>,
        caller: Caller,
    ) -> Self {
        Self {
            reference,
            argument: argument.into(),
            value: value.into(),
            settled: IndexMap::new(),
            caller,
            front: FrontInfo::default(),
            cancellation: CancellationToken::new(),
            headers: Vec::new(),
        }
    }
}

/// Most values in one answer (MCP: 100).
pub const MAX_COMPLETIONS: usize = 100;

/// The answer: at most [`MAX_COMPLETIONS`] values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionValues {
    values: Vec<String>,
    total: Option<usize>,
    has_more: bool,
}

impl Default for CompletionValues {
    fn default() -> Self {
        Self::new([])
    }
}

impl CompletionValues {
    /// The first [`MAX_COMPLETIONS`] of `all`; the total counts them all.
    pub fn new(all: impl IntoIterator<Item = String>) -> Self {
        let mut total = 0;
        let mut values = Vec::new();
        for value in all {
            total += 1;
            if values.len() < MAX_COMPLETIONS {
                values.push(value);
            }
        }
        let has_more = total > values.len();
        Self {
            values,
            total: Some(total),
            has_more,
        }
    }

    /// The first [`MAX_COMPLETIONS`] of `some`, which somebody else chose among more: `total` is how many there are in
    /// all, where that is known, and `has_more` whether there are others.
    pub fn part(some: impl IntoIterator<Item = String>, total: Option<usize>, has_more: bool) -> Self {
        let mut some = some.into_iter();
        let values: Vec<String> = some.by_ref().take(MAX_COMPLETIONS).collect();
        let total = total.map(|total| total.max(values.len()));
        let has_more = has_more || some.next().is_some() || total.is_some_and(|total| total > values.len());
        Self {
            values,
            total,
            has_more,
        }
    }

    /// The values.
    #[must_use]
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// How many there are in all, where that is known.
    #[must_use]
    pub fn total(&self) -> Option<usize> {
        self.total
    }

    /// Whether there are more than are given.
    #[must_use]
    pub fn has_more(&self) -> bool {
        self.has_more
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_a_hundred_values_are_given_and_the_rest_is_told() {
        let hundred = CompletionValues::new((0..100).map(|n| n.to_string()));
        assert_eq!(
            (hundred.values().len(), hundred.total(), hundred.has_more()),
            (100, Some(100), false)
        );
        let more = CompletionValues::new((0..101).map(|n| n.to_string()));
        assert_eq!(
            (more.values().len(), more.total(), more.has_more()),
            (100, Some(101), true)
        );
    }

    #[test]
    fn a_part_says_what_is_known_of_the_rest() {
        let told = |count: usize, total, more| {
            let part = CompletionValues::part((0..count).map(|n| n.to_string()), total, more);
            (part.values().len(), part.total(), part.has_more())
        };
        assert_eq!(told(3, None, false), (3, None, false));
        assert_eq!(told(3, None, true), (3, None, true));
        assert_eq!(told(3, Some(9), false), (3, Some(9), true));
        // A total that is less than what was given is none that can be told.
        assert_eq!(told(3, Some(1), false), (3, Some(3), false));
        assert_eq!(told(100, None, false), (100, None, false));
        assert_eq!(told(101, None, false), (100, None, true));
    }
}
