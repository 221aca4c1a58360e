//! The compiled patterns of one document: each source once, all together within a bound.

use std::collections::HashMap;
use std::sync::Arc;

use super::ecma::translate;
use super::known;
use super::matcher::{Matcher, SMALLEST};

/// Why a pattern is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PatternFault {
    /// It is no regular expression.
    Malformed(String),
    /// It is one, but this part of it has no linear-time equivalent.
    Unsupported(String),
    /// Compiled, it is larger than what is left of the budget.
    TooLarge,
}

/// A compiled pattern.
#[derive(Debug)]
pub(crate) struct Pattern {
    source: Box<str>,
    matcher: Matcher,
    weight: u64,
}

impl Pattern {
    /// The pattern as authored.
    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    pub(crate) fn is_found_in(&self, text: &str) -> bool {
        self.matcher.is_match(text)
    }

    /// The charge for searching a text, beyond the keyword's own: a step of the search may cost as much as the compiled
    /// pattern is large.
    pub(crate) fn charge(&self, text: &str) -> u64 {
        crate::meter::text_charge(text).saturating_mul(self.weight)
    }
}

/// Whether a text is a regular expression of ECMA-262. What cannot be matched in linear time is one all the same.
pub(crate) fn is_expression(source: &str) -> bool {
    !matches!(translate(source), Err(PatternFault::Malformed(_)))
}

/// The patterns of one document.
#[derive(Default)]
pub(crate) struct PatternPool {
    compiled: HashMap<Box<str>, Arc<Pattern>>,
    size: usize,
}

impl PatternPool {
    /// Compiles a pattern, or finds it compiled already.
    pub(crate) fn compile(&mut self, source: &str, budget: usize) -> Result<Arc<Pattern>, PatternFault> {
        if let Some(pattern) = self.compiled.get(source) {
            return Ok(Arc::clone(pattern));
        }
        let left = budget.saturating_sub(self.size);
        let (matcher, size, weight) = found_or_built(source, left)?;
        self.size += size;
        let pattern = Arc::new(Pattern {
            source: source.into(),
            matcher,
            weight,
        });
        self.compiled.insert(source.into(), Arc::clone(&pattern));
        Ok(pattern)
    }
}

/// A small pattern is compiled once in the process: catalogues of tools say the same few again and again.
fn found_or_built(source: &str, left: usize) -> Result<(Matcher, usize, u64), PatternFault> {
    let (smallest, lightest) = SMALLEST;
    if smallest <= left
        && let Some(matcher) = known::find(source)
    {
        return Ok((matcher, smallest, lightest));
    }
    let built = Matcher::build(&translate(source)?, left)?;
    if built.1 == smallest {
        known::keep(source, &built.0);
    }
    Ok(built)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGET: usize = 16 * 1024 * 1024;

    #[test]
    fn a_pattern_is_compiled_once() {
        let mut pool = PatternPool::default();
        let first = pool.compile("^0x[0-9a-fA-F]{40}$", BUDGET).unwrap();
        let second = pool.compile("^0x[0-9a-fA-F]{40}$", BUDGET).unwrap();
        assert!(Arc::ptr_eq(&first, &second));
        assert_eq!(first.weight, 1);
    }

    #[test]
    fn patterns_fit_the_budget_to_the_byte() {
        let mut pool = PatternPool::default();
        assert_eq!(
            pool.compile("a", 32 * 1024 - 1).unwrap_err(),
            PatternFault::TooLarge
        );
        assert!(pool.compile("a", 32 * 1024).is_ok());
        assert_eq!(
            pool.compile("b", 64 * 1024 - 1).unwrap_err(),
            PatternFault::TooLarge
        );
        assert!(pool.compile("b", 64 * 1024).is_ok());
    }

    #[test]
    fn a_repetition_bomb_is_too_large() {
        let mut pool = PatternPool::default();
        assert_eq!(
            pool.compile("((a{1,100}){1,100}){1,100}", BUDGET).unwrap_err(),
            PatternFault::TooLarge
        );
    }

    #[test]
    fn a_large_pattern_weighs_more() {
        let mut pool = PatternPool::default();
        assert!(pool.compile("^\\p{L}{1,20}$", BUDGET).unwrap().weight > 1);
    }
}
