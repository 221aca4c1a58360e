//! `not`: the schema must not apply.

use super::rule::{Rule, Scope};
use crate::describe;
use crate::diagnostic::DiagnosticCode;
use crate::dialect::Vocabulary;
use crate::evaluate::{Run, Scene};
use crate::meter::Metered;
use crate::program::{Keyword, NodeId};

pub(super) const RULE: Rule = Rule {
    names: &["not"],
    scope: Scope::Drafts,
    vocabulary: Vocabulary::Applicator,
    compile: |compiler, site| Ok(compiler.one(site, "not")?.map(Keyword::Not)),
};

pub(super) fn evaluate<'v>(node: NodeId, run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
    if !run.enter(scene.apart_on(node))? {
        return Ok(true);
    }
    let program = run.program;
    let expected = || format!("anything but {}", describe::schema(program, node));
    run.tell(scene, DiagnosticCode::NotMismatch, "not", expected)?;
    Ok(false)
}
