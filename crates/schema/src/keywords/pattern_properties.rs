//! `patternProperties`: schemas of members whose name matches.

use std::sync::Arc;

use super::pattern::compile_source;
use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::dialect::Vocabulary;
use crate::error::CompileError;
use crate::evaluate::{Run, Scene};
use crate::instance::Instance;
use crate::meter::{Meter, Metered};
use crate::path::Step;
use crate::pattern::Pattern;
use crate::program::{Keyword, NodeId};
use crate::tracking::Mark;

const KEYWORD: &str = "patternProperties";

pub(super) const RULE: Rule = Rule {
    names: &[KEYWORD],
    scope: Scope::Drafts,
    vocabulary: Vocabulary::Applicator,
    compile,
};

fn compile(compiler: &mut Compiler<'_>, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    let Some(map) = compiler.map(site, KEYWORD)? else {
        return Ok(None);
    };
    let mut list = Vec::with_capacity(map.len());
    for (source, node) in map {
        list.push((compile_source(compiler, site, KEYWORD, &source)?, node));
    }
    Ok(Some(Keyword::PatternProperties(list.into_boxed_slice())))
}

/// The patterns of a schema object's `patternProperties`, for the keywords that apply to the other members.
pub(super) fn sibling_patterns(
    compiler: &mut Compiler<'_>,
    site: &Site<'_>,
) -> Result<Box<[Arc<Pattern>]>, CompileError> {
    let object = site.value(KEYWORD).and_then(toolmesh_json::View::as_object);
    let Some(object) = object else {
        return Ok(Box::default());
    };
    object
        .keys()
        .map(|source| compile_source(compiler, site, KEYWORD, source))
        .collect()
}

/// Whether a member name matches, at the pattern's charge.
pub(super) fn matches(meter: &mut Meter, pattern: &Pattern, name: &str) -> Metered<bool> {
    meter.charge(1 + pattern.charge(name))?;
    Ok(pattern.is_found_in(name))
}

pub(super) fn evaluate<'v>(
    list: &[(Arc<Pattern>, NodeId)],
    run: &mut Run<'v>,
    scene: Scene<'v>,
) -> Metered<bool> {
    let Some(object) = scene.instance.as_object() else {
        return Ok(true);
    };
    let mut fits = true;
    for (name, member) in object.iter() {
        run.meter.charge(1)?;
        for (pattern, node) in list {
            if matches(&mut run.meter, pattern, name)? {
                run.mark(scene, Mark::Member(name));
                fits &= run.descend(scene, Step::Name(name), Instance::Value(member), *node)?;
            }
        }
    }
    Ok(fits)
}
