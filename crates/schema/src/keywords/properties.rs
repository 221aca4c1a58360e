//! `properties`: schemas of members by name.

use super::rule::{Rule, Scope};
use crate::declared::Declared;
use crate::dialect::Vocabulary;
use crate::evaluate::{Run, Scene};
use crate::instance::Instance;
use crate::meter::Metered;
use crate::path::Step;
use crate::program::Keyword;
use crate::tracking::Mark;

pub(super) const RULE: Rule = Rule {
    names: &["properties"],
    scope: Scope::Everywhere,
    vocabulary: Vocabulary::Applicator,
    compile: |compiler, site| {
        let members = compiler.map(site, "properties")?;
        Ok(members.map(|members| Keyword::Properties(Declared::new(members))))
    },
};

pub(super) fn evaluate<'v>(declared: &'v Declared, run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
    let Some(object) = scene.instance.as_object() else {
        return Ok(true);
    };
    run.meter.charge(declared.len() as u64)?;
    let (mut fits, mut present) = (true, 0);
    for (name, node) in declared.iter() {
        if let Some(member) = object.get(name) {
            present += 1;
            run.mark(scene, Mark::Member(name));
            fits &= run.descend(scene, Step::Name(name), Instance::Value(member), *node)?;
        }
    }
    run.present = present;
    Ok(fits)
}
