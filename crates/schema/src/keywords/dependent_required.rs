//! `dependentRequired`: members that another member asks for.

use std::sync::Arc;

use toolmesh_json::{ObjectView, View};

use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::describe;
use crate::diagnostic::DiagnosticCode;
use crate::dialect::Vocabulary;
use crate::error::CompileError;
use crate::evaluate::{Run, Scene};
use crate::limits::CompileLimit;
use crate::meter::Metered;
use crate::order::{by_utf16, utf16_length};
use crate::program::Keyword;

const KEYWORD: &str = "dependentRequired";

pub(super) const RULE: Rule = Rule {
    names: &[KEYWORD],
    scope: Scope::Draft2020_12,
    vocabulary: Vocabulary::Validation,
    compile,
};

/// A member and those that must be there with it.
pub(crate) struct DependentRequired {
    trigger: Arc<str>,
    names: Box<[Arc<str>]>,
}

fn compile(compiler: &mut Compiler<'_>, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    let Some(value) = site.value(KEYWORD) else {
        return Ok(None);
    };
    let remedy = "it must be an object of arrays of member names";
    let object = value
        .as_object()
        .ok_or_else(|| compiler.invalid(site, KEYWORD, remedy))?;
    compiler.within(CompileLimit::CollectionEntryCount, object.len(), site, KEYWORD)?;
    let mut list = Vec::with_capacity(object.len());
    for (trigger, names) in object.iter() {
        list.push(compile_one(compiler, site, KEYWORD, trigger, names)?);
    }
    list.sort_by(|left, right| by_utf16(&*left.trigger, &*right.trigger));
    Ok(Some(Keyword::DependentRequired(list.into_boxed_slice())))
}

/// One member with the names that it asks for.
pub(super) fn compile_one(
    compiler: &Compiler<'_>,
    site: &Site<'_>,
    keyword: &str,
    trigger: &str,
    names: View<'_>,
) -> Result<DependentRequired, CompileError> {
    compiler.within(CompileLimit::NameLength, utf16_length(trigger), site, keyword)?;
    Ok(DependentRequired {
        trigger: trigger.into(),
        names: compiler.names(site, keyword, names)?,
    })
}

pub(super) fn evaluate<'v>(list: &[DependentRequired], run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
    evaluate_as(KEYWORD, list, run, scene)
}

/// Judges under the keyword that the list stands in.
pub(super) fn evaluate_as<'v>(
    keyword: &'static str,
    list: &[DependentRequired],
    run: &mut Run<'v>,
    scene: Scene<'v>,
) -> Metered<bool> {
    let Some(object) = scene.instance.as_object() else {
        return Ok(true);
    };
    let mut fits = true;
    for dependency in list {
        run.meter.charge(1)?;
        if object.contains(&dependency.trigger) {
            fits &= dependency.is_satisfied(keyword, object, run, scene)?;
        }
    }
    Ok(fits)
}

impl DependentRequired {
    fn is_satisfied<'v>(
        &self,
        keyword: &str,
        object: ObjectView<'v>,
        run: &mut Run<'v>,
        scene: Scene<'v>,
    ) -> Metered<bool> {
        let mut fits = true;
        for name in &self.names {
            run.meter.charge(1)?;
            if !object.contains(name) {
                fits = false;
                run.tell(scene, DiagnosticCode::DependentRequiredMissing, keyword, || {
                    self.expected(name)
                })?;
            }
        }
        Ok(fits)
    }

    fn expected(&self, name: &str) -> String {
        format!(
            "the member {}, because {} is given",
            describe::name(name),
            describe::name(&self.trigger)
        )
    }
}
