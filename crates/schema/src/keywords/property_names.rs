//! `propertyNames`: the schema of every member name.

use super::rule::{Rule, Scope};
use crate::describe;
use crate::diagnostic::DiagnosticCode;
use crate::dialect::Vocabulary;
use crate::evaluate::{Run, Scene};
use crate::instance::Instance;
use crate::meter::Metered;
use crate::path::Step;
use crate::program::{Keyword, NodeId};

pub(super) const RULE: Rule = Rule {
    names: &["propertyNames"],
    scope: Scope::Drafts,
    vocabulary: Vocabulary::Applicator,
    compile: |compiler, site| Ok(compiler.one(site, "propertyNames")?.map(Keyword::PropertyNames)),
};

/// A name has no pointer of its own, so that it is judged quietly and the failure is told at its object, once.
pub(super) fn evaluate<'v>(node: NodeId, run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
    let Some(object) = scene.instance.as_object() else {
        return Ok(true);
    };
    let mut fits = true;
    for name in object.keys() {
        run.meter.charge(1)?;
        fits &= run.descend(scene.quietly(), Step::Name(name), Instance::Name(name), node)?;
    }
    if !fits {
        let program = run.program;
        let expected = || format!("member names that are {}", describe::schema(program, node));
        run.tell(
            scene,
            DiagnosticCode::PropertyNamesMismatch,
            "propertyNames",
            expected,
        )?;
    }
    Ok(fits)
}
