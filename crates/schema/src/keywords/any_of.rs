//! `anyOf`: at least one schema applies.

use super::rule::{Rule, Scope};
use crate::describe;
use crate::diagnostic::DiagnosticCode;
use crate::dialect::Vocabulary;
use crate::evaluate::{Run, Scene};
use crate::meter::Metered;
use crate::program::{Keyword, NodeId};

pub(super) const RULE: Rule = Rule {
    names: &["anyOf"],
    scope: Scope::Everywhere,
    vocabulary: Vocabulary::Applicator,
    compile: |compiler, site| Ok(compiler.list(site, "anyOf")?.map(Keyword::AnyOf)),
};

/// The branches tell nothing, and the first that fits is the last that is tried, unless somebody asks what each of them
/// has spoken of.
pub(super) fn evaluate<'v>(nodes: &[NodeId], run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
    let mut fits = false;
    for node in nodes {
        fits |= run.enter(scene.quietly_on(*node))?;
        if fits && !scene.is_tracked() {
            break;
        }
    }
    if fits {
        return Ok(true);
    }
    let program = run.program;
    run.tell(scene, DiagnosticCode::AnyOfMismatch, "anyOf", || {
        describe::any_of(program, nodes)
    })?;
    Ok(false)
}
