//! `pattern`: strings in which a regular expression is found.

use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::describe;
use crate::diagnostic::DiagnosticCode;
use crate::dialect::Vocabulary;
use crate::error::{CompileError, CompileErrorKind};
use crate::evaluate::{Run, Scene};
use crate::instance::Instance;
use crate::limits::CompileLimit;
use crate::meter::{Meter, Metered};
use crate::order::utf16_length;
use crate::pattern::{Pattern, PatternFault};
use crate::program::Keyword;
use std::sync::Arc;

pub(super) const RULE: Rule = Rule {
    names: &["pattern"],
    scope: Scope::Drafts,
    vocabulary: Vocabulary::Validation,
    compile,
};

fn compile(compiler: &mut Compiler<'_>, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    let Some(source) = compiler.text(site, "pattern")? else {
        return Ok(None);
    };
    Ok(Some(Keyword::Pattern(compile_source(
        compiler, site, "pattern", source,
    )?)))
}

/// Compiles a regular expression that stands in `keyword`.
pub(super) fn compile_source(
    compiler: &mut Compiler<'_>,
    site: &Site<'_>,
    keyword: &'static str,
    source: &str,
) -> Result<Arc<Pattern>, CompileError> {
    compiler.within(CompileLimit::PatternLength, utf16_length(source), site, keyword)?;
    let budget = compiler.limits().get(CompileLimit::PatternSize);
    match compiler.patterns().compile(source, budget) {
        Ok(pattern) => Ok(pattern),
        Err(PatternFault::TooLarge) => Err(too_large(compiler, site, keyword, budget)),
        Err(PatternFault::Malformed(why)) => Err(compiler.fault(
            CompileErrorKind::InvalidKeywordValue,
            site,
            keyword,
            format!("the regular expression is malformed: {why}"),
        )),
        Err(PatternFault::Unsupported(what)) => Err(compiler.fault(
            CompileErrorKind::UnsupportedPattern,
            site,
            keyword,
            format!("{what} cannot be matched in linear time; say the same without it"),
        )),
    }
}

fn too_large(compiler: &Compiler<'_>, site: &Site<'_>, keyword: &str, budget: usize) -> CompileError {
    match compiler.within(CompileLimit::PatternSize, budget.saturating_add(1), site, keyword) {
        Err(error) => error,
        Ok(()) => compiler.invalid(site, keyword, "the regular expression is too large"),
    }
}

pub(super) fn evaluate<'v>(pattern: &Pattern, run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
    if check(pattern, &mut run.meter, scene.instance)? {
        return Ok(true);
    }
    run.tell(scene, DiagnosticCode::PatternMismatch, "pattern", || {
        expected(pattern)
    })?;
    Ok(false)
}

/// Whether the instance fits, at the charge.
pub(crate) fn check(pattern: &Pattern, meter: &mut Meter, instance: Instance<'_>) -> Metered<bool> {
    let Some(text) = instance.as_str() else {
        return Ok(true);
    };
    matches_text(pattern, meter, text)
}

/// Whether the pattern is found in a text, at the charge.
pub(crate) fn matches_text(pattern: &Pattern, meter: &mut Meter, text: &str) -> Metered<bool> {
    meter.charge(1 + pattern.charge(text))?;
    Ok(pattern.is_found_in(text))
}

pub(super) fn expected(pattern: &Pattern) -> String {
    format!("a string matching {}", describe::clip(pattern.source()))
}
