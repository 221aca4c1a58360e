//! `contains`, `minContains`, `maxContains`: how many elements fit a schema.

use toolmesh_json::ArrayView;

use super::count::read_count;
use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::describe;
use crate::diagnostic::DiagnosticCode;
use crate::dialect::{Language, Vocabulary};
use crate::error::CompileError;
use crate::evaluate::{Run, Scene};
use crate::instance::Instance;
use crate::meter::Metered;
use crate::path::Step;
use crate::program::{Keyword, NodeId, Program};
use crate::tracking::Mark;

pub(super) const RULE: Rule = Rule {
    names: &["contains"],
    scope: Scope::Drafts,
    vocabulary: Vocabulary::Applicator,
    compile,
};
/// The counts without `contains` assert nothing.
pub(super) const COUNTS: Rule = Rule {
    names: &["minContains", "maxContains"],
    scope: Scope::Draft2020_12,
    vocabulary: Vocabulary::Validation,
    compile: |compiler, site| read_counts(compiler, site).map(|_| None),
};

/// A schema and how many elements are to fit it.
pub(crate) struct Contains {
    node: NodeId,
    least: u64,
    most: Option<u64>,
}

/// The counts as far as the dialect knows them; at least one element by default.
fn read_counts(compiler: &Compiler<'_>, site: &Site<'_>) -> Result<(u64, Option<u64>), CompileError> {
    let counted = site.dialect.language == Language::Draft2020_12 && site.dialect.has(Vocabulary::Validation);
    if !counted {
        return Ok((1, None));
    }
    let least = read_count(compiler, site, "minContains")?.unwrap_or(1);
    Ok((least, read_count(compiler, site, "maxContains")?))
}

fn compile(compiler: &mut Compiler<'_>, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    let (least, most) = read_counts(compiler, site)?;
    let node = compiler.one(site, "contains")?;
    Ok(node.map(|node| Keyword::Contains(Contains { node, least, most })))
}

impl Contains {
    pub(super) fn evaluate<'v>(&self, run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
        let Some(array) = scene.instance.as_array() else {
            return Ok(true);
        };
        run.meter.charge(1)?;
        let fitting = self.count(array, run, scene)?;
        if fitting >= self.least && self.most.is_none_or(|most| fitting <= most) {
            return Ok(true);
        }
        let program = run.program;
        run.tell(scene, DiagnosticCode::ContainsMismatch, "contains", || {
            self.expected(program)
        })?;
        Ok(false)
    }

    /// Counts only as far as the answer needs; every element that fits is of interest to `unevaluatedItems`.
    fn count<'v>(&self, array: ArrayView<'v>, run: &mut Run<'v>, scene: Scene<'v>) -> Metered<u64> {
        let enough = match self.most {
            _ if scene.is_tracked() => u64::MAX,
            None => self.least,
            Some(most) => most.saturating_add(1).max(self.least),
        };
        let mut fitting = 0;
        for (index, item) in array.iter().enumerate() {
            if fitting >= enough {
                break;
            }
            if run.descend(
                scene.quietly(),
                Step::Index(index),
                Instance::Value(item),
                self.node,
            )? {
                run.mark(scene, Mark::Item(index));
                fitting += 1;
            }
        }
        Ok(fitting)
    }

    fn expected(&self, program: &Program) -> String {
        let count = match self.most {
            None => format!("at least {}", self.least),
            Some(most) => format!("from {} to {most}", self.least),
        };
        format!(
            "{count} item(s) that are {}",
            describe::schema(program, self.node)
        )
    }
}
