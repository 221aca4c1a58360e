//! Completing an argument while a person types it.

use indexmap::IndexMap;

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
}

/// Most values in one answer (MCP: 100).
pub const MAX_COMPLETIONS: usize = 100;

/// The answer: at most [`MAX_COMPLETIONS`] values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompletionValues {
    values: Vec<String>,
    total: usize,
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
        Self { values, total }
    }

    /// The values.
    #[must_use]
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// How many there are in all.
    #[must_use]
    pub fn total(&self) -> usize {
        self.total
    }

    /// Whether there are more than are given.
    #[must_use]
    pub fn has_more(&self) -> bool {
        self.total > self.values.len()
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
            (100, 100, false)
        );
        let more = CompletionValues::new((0..101).map(|n| n.to_string()));
        assert_eq!(
            (more.values().len(), more.total(), more.has_more()),
            (100, 101, true)
        );
    }
}
