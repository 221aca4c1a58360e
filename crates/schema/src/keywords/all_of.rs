//! `allOf`: every schema applies.

use super::rule::{Rule, Scope};
use crate::dialect::Vocabulary;
use crate::evaluate::{Run, Scene};
use crate::meter::Metered;
use crate::program::{Keyword, NodeId};

pub(super) const RULE: Rule = Rule {
    names: &["allOf"],
    scope: Scope::Everywhere,
    vocabulary: Vocabulary::Applicator,
    compile: |compiler, site| Ok(compiler.list(site, "allOf")?.map(Keyword::AllOf)),
};

/// No short circuit: the failures of every schema are gathered.
pub(super) fn evaluate<'v>(nodes: &[NodeId], run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
    let mut fits = true;
    for node in nodes {
        fits &= run.enter(scene.on(*node))?;
    }
    Ok(fits)
}
