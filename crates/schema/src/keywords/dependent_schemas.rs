//! `dependentSchemas`: schemas that apply when a member is there.

use super::rule::{Rule, Scope};
use crate::dialect::Vocabulary;
use crate::evaluate::{Run, Scene};
use crate::meter::Metered;
use crate::program::{Keyword, NamedNode};

pub(super) const RULE: Rule = Rule {
    names: &["dependentSchemas"],
    scope: Scope::Draft2020_12,
    vocabulary: Vocabulary::Applicator,
    compile: |compiler, site| {
        Ok(compiler
            .map(site, "dependentSchemas")?
            .map(Keyword::DependentSchemas))
    },
};

pub(super) fn evaluate<'v>(list: &[NamedNode], run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
    let Some(object) = scene.instance.as_object() else {
        return Ok(true);
    };
    let mut fits = true;
    for (trigger, node) in list {
        run.meter.charge(1)?;
        if object.contains(trigger) {
            fits &= run.enter(scene.on(*node))?;
        }
    }
    Ok(fits)
}
