//! `enum`: one of some values.

use toolmesh_json::Value;

use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::describe;
use crate::diagnostic::DiagnosticCode;
use crate::dialect::Vocabulary;
use crate::equality::equals;
use crate::error::CompileError;
use crate::evaluate::{Run, Scene};
use crate::instance::Instance;
use crate::limits::CompileLimit;
use crate::meter::{Meter, Metered};
use crate::program::Keyword;

pub(super) const RULE: Rule = Rule {
    names: &["enum"],
    scope: Scope::Everywhere,
    vocabulary: Vocabulary::Validation,
    compile,
};

/// The array may be empty (nothing fits) and may repeat itself.
fn compile(compiler: &mut Compiler<'_>, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    let Some(value) = site.value("enum") else {
        return Ok(None);
    };
    let array = value
        .as_array()
        .ok_or_else(|| compiler.invalid(site, "enum", "it must be an array"))?;
    compiler.within(CompileLimit::CollectionEntryCount, array.len(), site, "enum")?;
    Ok(Some(Keyword::Enum(
        array.iter().map(|entry| entry.to_value()).collect(),
    )))
}

pub(super) fn evaluate<'v>(candidates: &[Value], run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
    if check(candidates, &mut run.meter, scene.instance)? {
        return Ok(true);
    }
    run.tell(scene, DiagnosticCode::EnumMismatch, "enum", || {
        expected(candidates)
    })?;
    Ok(false)
}

/// Whether the instance fits, at the charge.
pub(crate) fn check(candidates: &[Value], meter: &mut Meter, instance: Instance<'_>) -> Metered<bool> {
    meter.charge(1)?;
    if let Some(text) = instance.as_str() {
        return check_text(candidates, meter, text);
    }
    for candidate in candidates {
        meter.charge(1)?;
        if equals(meter, instance, candidate)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The same for a text, which most candidates are: each costs one operation and one for the pair.
fn check_text(candidates: &[Value], meter: &mut Meter, text: &str) -> Metered<bool> {
    for candidate in candidates {
        meter.charge(1)?;
        meter.charge(1)?;
        if candidate.as_str() == Some(text) {
            return Ok(true);
        }
    }
    Ok(false)
}

pub(super) fn expected(candidates: &[Value]) -> String {
    match candidates {
        [] => "nothing: no value is allowed here".to_owned(),
        [only] => format!("exactly {}", describe::literal(only)),
        several => format!("one of {}", describe::literals(several)),
    }
}
