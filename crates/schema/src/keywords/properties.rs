//! `properties`: schemas of members by name.

use super::rule::{Rule, Scope};
use crate::evaluate::{Run, Scene};
use crate::instance::Instance;
use crate::meter::Metered;
use crate::path::Step;
use crate::program::{Keyword, NamedNode};

pub(super) const RULE: Rule = Rule {
    names: &["properties"],
    scope: Scope::Everywhere,
    compile: |compiler, site| Ok(compiler.map(site, "properties")?.map(Keyword::Properties)),
};

pub(super) fn evaluate<'v>(declared: &'v [NamedNode], run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
    let Some(object) = scene.instance.as_object() else {
        return Ok(true);
    };
    run.meter.charge(declared.len() as u64)?;
    let mut fits = true;
    for (name, node) in declared {
        if let Some(member) = object.get(name) {
            fits &= run.descend(scene, Step::Name(name), Instance::Value(member), *node)?;
        }
    }
    Ok(fits)
}
