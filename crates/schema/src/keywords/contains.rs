//! `contains`, `minContains`, `maxContains`: how many elements fit a schema.

use toolmesh_json::ArrayView;

use super::count::read_count;
use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::describe;
use crate::diagnostic::DiagnosticCode;
use crate::error::CompileError;
use crate::evaluate::{Run, Scene};
use crate::instance::Instance;
use crate::meter::Metered;
use crate::path::Step;
use crate::program::{Keyword, NodeId, Program};

pub(super) const RULE: Rule = Rule {
    names: &["contains", "minContains", "maxContains"],
    scope: Scope::Draft,
    compile,
};

/// A schema and how many elements are to fit it.
pub(crate) struct Contains {
    node: NodeId,
    least: u64,
    most: Option<u64>,
}

/// The counts without `contains` assert nothing.
fn compile(compiler: &mut Compiler, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    let least = read_count(compiler, site, "minContains")?.unwrap_or(1);
    let most = read_count(compiler, site, "maxContains")?;
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

    /// Counts only as far as the answer needs.
    fn count<'v>(&self, array: ArrayView<'v>, run: &mut Run<'v>, scene: Scene<'v>) -> Metered<u64> {
        let enough = self
            .most
            .map_or(self.least, |most| most.saturating_add(1).max(self.least));
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
