//! `dependencies`: the older form of `dependentRequired` and `dependentSchemas` in one. Draft 2020-12 still describes it,
//! so that it asserts there as well.

use toolmesh_json::View;

use super::dependent_required::{self, DependentRequired};
use super::dependent_schemas;
use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::dialect::Vocabulary;
use crate::error::CompileError;
use crate::evaluate::{Run, Scene};
use crate::limits::CompileLimit;
use crate::meter::Metered;
use crate::order::{by_utf16, utf16_length};
use crate::program::{Keyword, Member, NamedNode};

const KEYWORD: &str = "dependencies";

pub(super) const RULE: Rule = Rule {
    names: &[KEYWORD],
    scope: Scope::Drafts,
    vocabulary: Vocabulary::Applicator,
    compile,
};

fn compile(compiler: &mut Compiler<'_>, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    let Some(value) = site.value(KEYWORD) else {
        return Ok(None);
    };
    let remedy = "it must be an object of schemas and of arrays of member names";
    let object = value
        .as_object()
        .ok_or_else(|| compiler.invalid(site, KEYWORD, remedy))?;
    compiler.within(CompileLimit::CollectionEntryCount, object.len(), site, KEYWORD)?;
    let mut members: Vec<(&str, View<'_>)> = object.iter().collect();
    members.sort_by(|left, right| by_utf16(left.0, right.0));
    let (mut required, mut schemas) = (Vec::new(), Vec::new());
    for (trigger, wanted) in members {
        if wanted.as_array().is_some() {
            required.push(dependent_required::compile_one(
                compiler, site, KEYWORD, trigger, wanted,
            )?);
        } else {
            compiler.within(CompileLimit::NameLength, utf16_length(trigger), site, KEYWORD)?;
            let member = Member::Name(trigger.into());
            schemas.push((trigger.into(), compiler.child(site, KEYWORD, member, wanted)?));
        }
    }
    Ok(Some(Keyword::Dependencies {
        required: required.into_boxed_slice(),
        schemas: schemas.into_boxed_slice(),
    }))
}

pub(super) fn evaluate<'v>(
    required: &[DependentRequired],
    schemas: &[NamedNode],
    run: &mut Run<'v>,
    scene: Scene<'v>,
) -> Metered<bool> {
    let names = dependent_required::evaluate_as(KEYWORD, required, run, scene)?;
    Ok(dependent_schemas::evaluate(schemas, run, scene)? && names)
}
