//! `oneOf`: exactly one schema applies.

use super::rule::{Rule, Scope};
use crate::describe;
use crate::diagnostic::DiagnosticCode;
use crate::dialect::Vocabulary;
use crate::evaluate::{Run, Scene};
use crate::meter::Metered;
use crate::program::{Keyword, NodeId};

pub(super) const RULE: Rule = Rule {
    names: &["oneOf"],
    scope: Scope::Drafts,
    vocabulary: Vocabulary::Applicator,
    compile: |compiler, site| Ok(compiler.list(site, "oneOf")?.map(Keyword::OneOf)),
};

/// The branches tell nothing, and a second one that fits ends the search.
pub(super) fn evaluate<'v>(nodes: &[NodeId], run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
    let mut fitting = 0_u32;
    for node in nodes {
        if run.enter(scene.quietly_on(*node))? {
            fitting += 1;
        }
        if fitting > 1 {
            break;
        }
    }
    if fitting == 1 {
        return Ok(true);
    }
    let program = run.program;
    run.tell(scene, DiagnosticCode::OneOfMismatch, "oneOf", || {
        describe::one_of(program, nodes)
    })?;
    Ok(false)
}
