//! `required`: members that an object must have.

use std::sync::Arc;

use toolmesh_json::ObjectView;

use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::describe;
use crate::diagnostic::DiagnosticCode;
use crate::dialect::Vocabulary;
use crate::error::CompileError;
use crate::evaluate::{Run, Scene};
use crate::meter::Metered;
use crate::program::Keyword;

pub(super) const RULE: Rule = Rule {
    names: &["required"],
    scope: Scope::Everywhere,
    vocabulary: Vocabulary::Validation,
    compile,
};

fn compile(compiler: &mut Compiler<'_>, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    let Some(list) = site.value("required") else {
        return Ok(None);
    };
    Ok(Some(Keyword::Required(compiler.names(site, "required", list)?)))
}

pub(super) fn evaluate<'v>(names: &[Arc<str>], run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
    let Some(object) = scene.instance.as_object() else {
        return Ok(true);
    };
    let mut fits = true;
    for name in names {
        run.meter.charge(1)?;
        fits &= has(name, object, run, scene)?;
    }
    Ok(fits)
}

fn has<'v>(name: &str, object: ObjectView<'v>, run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
    if object.contains(name) {
        return Ok(true);
    }
    let expected = || format!("the member {}", describe::name(name));
    run.tell(
        scene,
        DiagnosticCode::RequiredPropertyMissing,
        "required",
        expected,
    )?;
    Ok(false)
}

pub(super) fn expected_all(names: &[Arc<str>]) -> String {
    match names {
        [] => "any value".to_owned(),
        [only] => format!("with the member {}", describe::name(only)),
        several => format!("with the members {}", describe::names(several)),
    }
}
