//! `additionalProperties`: the schema of members that the siblings do not speak of.

use std::sync::Arc;

use toolmesh_json::{ObjectView, View};

use super::pattern_properties::{matches, sibling_patterns};
use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::declared::Declared;
use crate::dialect::{Language, Vocabulary};
use crate::error::CompileError;
use crate::evaluate::{Run, Scene};
use crate::instance::Instance;
use crate::meter::{Meter, Metered};
use crate::order::{by_utf16, sort_estimate};
use crate::path::Step;
use crate::pattern::Pattern;
use crate::program::{Keyword, NodeId};
use crate::tracking::Mark;

const KEYWORD: &str = "additionalProperties";

pub(super) const RULE: Rule = Rule {
    names: &[KEYWORD],
    scope: Scope::Everywhere,
    vocabulary: Vocabulary::Applicator,
    compile,
};

/// A schema and the members that it does *not* apply to.
pub(crate) struct AdditionalProperties {
    node: NodeId,
    declared: Declared,
    patterns: Box<[Arc<Pattern>]>,
}

fn compile(compiler: &mut Compiler<'_>, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    let Some(node) = compiler.one(site, KEYWORD)? else {
        return Ok(None);
    };
    let patterns = match site.dialect.language {
        Language::Profile1 => Box::default(),
        Language::Draft2020_12 | Language::Draft07 => sibling_patterns(compiler, site)?,
    };
    Ok(Some(Keyword::AdditionalProperties(AdditionalProperties {
        node,
        declared: Declared::none(),
        patterns,
    })))
}

impl AdditionalProperties {
    /// The schema, if it applies to every member that is not declared, whatever its name.
    pub(crate) fn of_undeclared(&self) -> Option<NodeId> {
        self.patterns.is_empty().then_some(self.node)
    }

    /// Tells which members the sibling `properties` declares.
    pub(crate) fn beside(&mut self, declared: &Declared) {
        self.declared = declared.clone();
    }

    pub(super) fn evaluate<'v>(&self, run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
        let Some(object) = scene.instance.as_object() else {
            return Ok(true);
        };
        let count = object.len() as u64;
        run.meter.charge(count.saturating_add(sort_estimate(count)))?;
        if self.patterns.is_empty() && !self.declared.is_empty() && run.present == object.len() {
            // `properties` was judged just before, and all members were among the declared.
            return Ok(true);
        }
        let mut others = self.others(&mut run.meter, object)?;
        if others.len() > 1 && !run.program.accepts_all(self.node) {
            others.sort_unstable_by(|left, right| by_utf16(left.0, right.0));
        }
        let mut fits = true;
        for (name, member) in others {
            run.mark(scene, Mark::Member(name));
            fits &= run.descend(scene, Step::Name(name), Instance::Value(member), self.node)?;
        }
        Ok(fits)
    }

    /// The members that no sibling speaks of.
    fn others<'v>(&self, meter: &mut Meter, object: ObjectView<'v>) -> Metered<Vec<(&'v str, View<'v>)>> {
        let mut others = Vec::new();
        for (name, member) in object.iter() {
            if self.declared.get(name).is_none() && !self.is_matched(meter, name)? {
                others.push((name, member));
            }
        }
        Ok(others)
    }

    fn is_matched(&self, meter: &mut Meter, name: &str) -> Metered<bool> {
        for pattern in &self.patterns {
            if matches(meter, pattern, name)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
