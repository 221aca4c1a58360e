//! `unevaluatedProperties` and `unevaluatedItems`: the schema of the parts that no other schema on the same value has
//! spoken of.

use super::rule::{Rule, Scope};
use crate::dialect::Vocabulary;
use crate::evaluate::{Run, Scene};
use crate::instance::Instance;
use crate::meter::Metered;
use crate::path::Step;
use crate::program::{Keyword, NodeId};
use crate::tracking::Mark;

pub(super) const PROPERTIES: Rule = Rule {
    names: &["unevaluatedProperties"],
    scope: Scope::Draft2020_12,
    vocabulary: Vocabulary::Unevaluated,
    compile: |compiler, site| {
        let node = compiler.one(site, "unevaluatedProperties")?;
        Ok(node.map(Keyword::UnevaluatedProperties))
    },
};
pub(super) const ITEMS: Rule = Rule {
    names: &["unevaluatedItems"],
    scope: Scope::Draft2020_12,
    vocabulary: Vocabulary::Unevaluated,
    compile: |compiler, site| {
        let node = compiler.one(site, "unevaluatedItems")?;
        Ok(node.map(Keyword::UnevaluatedItems))
    },
};

pub(super) fn evaluate_properties<'v>(node: NodeId, run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
    let Some(object) = scene.instance.as_object() else {
        return Ok(true);
    };
    let evaluated = run.evaluated_members(scene)?;
    run.meter.charge(object.len() as u64)?;
    let mut fits = true;
    for (name, member) in object.iter() {
        if !evaluated.contains(name) {
            run.mark(scene, Mark::Member(name));
            fits &= run.descend(scene, Step::Name(name), Instance::Value(member), node)?;
        }
    }
    Ok(fits)
}

pub(super) fn evaluate_items<'v>(node: NodeId, run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
    let Some(array) = scene.instance.as_array() else {
        return Ok(true);
    };
    let evaluated = run.evaluated_items(scene)?;
    run.meter.charge(array.len() as u64)?;
    run.mark(scene, Mark::EveryItem);
    let mut fits = true;
    for (index, item) in array.iter().enumerate() {
        if !evaluated.contains(index) {
            fits &= run.descend(scene, Step::Index(index), Instance::Value(item), node)?;
        }
    }
    Ok(fits)
}
