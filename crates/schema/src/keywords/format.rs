//! `format`: what a string is meant to be. An annotation, unless the caller or the dialect lets it assert.

use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::diagnostic::DiagnosticCode;
use crate::dialect::{Language, Vocabulary};
use crate::error::CompileError;
use crate::evaluate::{Run, Scene};
use crate::format::Format;
use crate::instance::Instance;
use crate::meter::{Meter, Metered, text_charge};
use crate::program::Keyword;

pub(super) const RULE: Rule = Rule {
    names: &["format"],
    scope: Scope::Everywhere,
    vocabulary: Vocabulary::Format,
    compile,
};

/// A format that nobody knows asserts nothing. Profile 1 fixes the shape; under the drafts an odd annotation harms
/// nobody.
fn compile(compiler: &mut Compiler<'_>, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    if site.dialect.language != Language::Profile1 && !site.dialect.asserts_formats {
        return Ok(None);
    }
    let name = compiler.text(site, "format")?;
    let known = name
        .filter(|_| site.dialect.asserts_formats)
        .and_then(Format::named);
    Ok(known.map(Keyword::Format))
}

pub(super) fn evaluate<'v>(format: Format, run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
    if check(format, &mut run.meter, scene.instance)? {
        return Ok(true);
    }
    run.tell(scene, DiagnosticCode::FormatMismatch, "format", || {
        expected(format)
    })?;
    Ok(false)
}

/// Whether the instance fits, at the charge.
pub(crate) fn check(format: Format, meter: &mut Meter, instance: Instance<'_>) -> Metered<bool> {
    let Some(text) = instance.as_str() else {
        return Ok(true);
    };
    has_format(format, meter, text)
}

/// Whether a text is of the format, at the charge.
pub(crate) fn has_format(format: Format, meter: &mut Meter, text: &str) -> Metered<bool> {
    meter.charge(1 + text_charge(text).saturating_mul(format.weight()))?;
    Ok(format.admits(text))
}

pub(super) fn expected(format: Format) -> String {
    format!("a string of the format {}", format.as_str())
}
