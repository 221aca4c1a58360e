//! `const`: exactly one value.

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
use crate::meter::{Meter, Metered};
use crate::program::Keyword;

pub(super) const RULE: Rule = Rule {
    names: &["const"],
    scope: Scope::Everywhere,
    vocabulary: Vocabulary::Validation,
    compile,
};

fn compile(_: &mut Compiler<'_>, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    Ok(site.value("const").map(|value| Keyword::Const(value.to_value())))
}

pub(super) fn evaluate<'v>(wanted: &Value, run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
    if check(wanted, &mut run.meter, scene.instance)? {
        return Ok(true);
    }
    run.tell(scene, DiagnosticCode::ConstMismatch, "const", || expected(wanted))?;
    Ok(false)
}

/// Whether the instance fits, at the charge.
pub(crate) fn check(wanted: &Value, meter: &mut Meter, instance: Instance<'_>) -> Metered<bool> {
    meter.charge(1)?;
    equals(meter, instance, wanted)
}

pub(super) fn expected(wanted: &Value) -> String {
    format!("exactly {}", describe::literal(wanted))
}
