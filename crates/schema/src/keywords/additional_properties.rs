//! `additionalProperties`: the schema of members that the siblings do not speak of.

use std::sync::Arc;

use toolmesh_json::{ObjectView, View};

use super::pattern_properties::{matches, sibling_patterns};
use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::error::CompileError;
use crate::evaluate::{Run, Scene};
use crate::instance::Instance;
use crate::meter::{Meter, Metered};
use crate::order::{by_utf16, sort_estimate};
use crate::path::Step;
use crate::pattern::Pattern;
use crate::profile::Profile;
use crate::program::{Keyword, NodeId};

const KEYWORD: &str = "additionalProperties";

pub(super) const RULE: Rule = Rule {
    names: &[KEYWORD],
    scope: Scope::Everywhere,
    compile,
};

/// A schema and the members that it does *not* apply to.
pub(crate) struct AdditionalProperties {
    node: NodeId,
    /// In UTF-16 order.
    declared: Box<[Arc<str>]>,
    patterns: Box<[Arc<Pattern>]>,
}

fn compile(compiler: &mut Compiler, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    let Some(node) = compiler.one(site, KEYWORD)? else {
        return Ok(None);
    };
    let siblings = site.value("properties").and_then(View::as_object);
    let mut declared: Vec<Arc<str>> = siblings
        .iter()
        .flat_map(|object| object.keys())
        .map(Arc::from)
        .collect();
    declared.sort_by(|left, right| by_utf16(left, right));
    let patterns = match compiler.profile {
        Profile::Profile1 => Box::default(),
        Profile::Draft2020_12 => sibling_patterns(compiler, site)?,
    };
    let declared = declared.into_boxed_slice();
    Ok(Some(Keyword::AdditionalProperties(AdditionalProperties {
        node,
        declared,
        patterns,
    })))
}

impl AdditionalProperties {
    pub(super) fn evaluate<'v>(&self, run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
        let Some(object) = scene.instance.as_object() else {
            return Ok(true);
        };
        let count = object.len() as u64;
        run.meter.charge(count.saturating_add(sort_estimate(count)))?;
        let mut fits = true;
        for (name, member) in self.others(&mut run.meter, object)? {
            fits &= run.descend(scene, Step::Name(name), Instance::Value(member), self.node)?;
        }
        Ok(fits)
    }

    /// The members that no sibling speaks of, in UTF-16 order.
    fn others<'v>(&self, meter: &mut Meter, object: ObjectView<'v>) -> Metered<Vec<(&'v str, View<'v>)>> {
        let mut others = Vec::new();
        for (name, member) in object.iter() {
            let declared = self
                .declared
                .binary_search_by(|declared| by_utf16(declared, name))
                .is_ok();
            if !declared && !self.is_matched(meter, name)? {
                others.push((name, member));
            }
        }
        others.sort_by(|left, right| by_utf16(left.0, right.0));
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
