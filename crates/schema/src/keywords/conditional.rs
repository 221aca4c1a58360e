//! `if`, `then`, `else`: which of two schemas applies depends on a third.

use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::dialect::Vocabulary;
use crate::error::CompileError;
use crate::evaluate::{Run, Scene};
use crate::meter::Metered;
use crate::program::{Keyword, NodeId};

pub(super) const RULE: Rule = Rule {
    names: &["if", "then", "else"],
    scope: Scope::Everywhere,
    vocabulary: Vocabulary::Applicator,
    compile,
};

/// A condition and its branches.
pub(crate) struct Conditional {
    pub(crate) condition: NodeId,
    pub(crate) then: Option<NodeId>,
    pub(crate) otherwise: Option<NodeId>,
}

/// Branches without a condition are compiled, so that they are bounded and may be referred to, but assert nothing.
fn compile(compiler: &mut Compiler<'_>, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    let condition = compiler.one(site, "if")?;
    let then = compiler.one(site, "then")?;
    let otherwise = compiler.one(site, "else")?;
    Ok(condition.map(|condition| {
        Keyword::Conditional(Conditional {
            condition,
            then,
            otherwise,
        })
    }))
}

impl Conditional {
    pub(super) fn evaluate<'v>(&self, run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
        let holds = run.enter(scene.quietly_on(self.condition))?;
        match if holds { self.then } else { self.otherwise } {
            Some(branch) => run.enter(scene.on(branch)),
            None => Ok(true),
        }
    }
}
