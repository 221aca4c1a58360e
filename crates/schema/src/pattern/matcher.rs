//! What decides whether a pattern is found in a text.

use std::sync::Arc;

use regex::{Regex, RegexBuilder};

use super::plain::Plain;
use super::pool::PatternFault;

/// A pattern ready to be searched for; clones share what was compiled.
#[derive(Clone, Debug)]
pub(super) enum Matcher {
    Plain(Arc<Plain>),
    Engine(Regex),
}

/// The sizes that a pattern may take compiled, in bytes, each with its weight. What is charged against the budget is
/// the step, because the exact size is not told.
const STEPS: [(usize, u64); 3] = [SMALLEST, (256 * 1024, 8), (1024 * 1024, 32)];

/// The step of the smallest patterns, all plain ones among them.
pub(super) const SMALLEST: (usize, u64) = (32 * 1024, 1);

impl Matcher {
    /// Compiles a pattern in the engine's spelling within a budget of bytes; also gives its size and weight.
    pub(super) fn build(translated: &str, budget: usize) -> Result<(Self, usize, u64), PatternFault> {
        let (smallest, lightest) = SMALLEST;
        if smallest <= budget
            && let Some(plain) = plain(translated)
        {
            return Ok((Self::Plain(Arc::new(plain)), smallest, lightest));
        }
        for (size, weight) in STEPS.into_iter().filter(|(size, _)| *size <= budget) {
            match RegexBuilder::new(translated)
                .size_limit(size)
                .dfa_size_limit(size)
                .build()
            {
                Ok(regex) => return Ok((Self::Engine(regex), size, weight)),
                Err(regex::Error::CompiledTooBig(_)) => {}
                Err(error) => return Err(PatternFault::Malformed(last_line(&error.to_string()))),
            }
        }
        Err(PatternFault::TooLarge)
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        match self {
            Self::Plain(plain) => plain.is_match(text),
            Self::Engine(regex) => regex.is_match(text),
        }
    }
}

/// Reads the pattern once more where it looks like a plain one.
fn plain(translated: &str) -> Option<Plain> {
    let is_whole = translated.starts_with('^') && translated.ends_with('$') && !translated.contains("\\p");
    if !is_whole {
        return None;
    }
    Plain::of(&regex_syntax::parse(translated).ok()?)
}

/// The engine's errors draw the pattern with a caret; the last line says what is wrong.
fn last_line(text: &str) -> String {
    let line = text.lines().last().unwrap_or_default();
    line.trim().trim_start_matches("error: ").to_owned()
}
