//! `$ref` and `$dynamicRef`: another schema applies here as well.

use std::sync::Arc;

use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::dialect::{Language, Vocabulary};
use crate::error::{CompileError, CompileErrorKind};
use crate::evaluate::{Run, Scene};
use crate::limits::CompileLimit;
use crate::meter::Metered;
use crate::order::utf16_length;
use crate::program::{Keyword, NodeId, Program};
use crate::reference::{FragmentFault, PendingReference, Place, Target, read_fragment};
use crate::uri;

pub(super) const RULE: Rule = Rule {
    names: &["$ref"],
    scope: Scope::Everywhere,
    vocabulary: Vocabulary::Core,
    compile: |compiler, site| {
        let found = record(compiler, site, "$ref")?;
        Ok(found.then_some(Keyword::Reference(Program::ROOT)))
    },
};
pub(super) const DYNAMIC: Rule = Rule {
    names: &["$dynamicRef"],
    scope: Scope::Draft2020_12,
    vocabulary: Vocabulary::Core,
    compile: |compiler, site| {
        let found = record(compiler, site, "$dynamicRef")?;
        Ok(found.then_some(Keyword::DynamicReference {
            target: Program::ROOT,
            anchor: None,
        }))
    },
};

/// Records the reference; the target is put in after the walk, because it may stand further down.
fn record(compiler: &mut Compiler<'_>, site: &Site<'_>, keyword: &'static str) -> Result<bool, CompileError> {
    let Some(text) = compiler.text(site, keyword)? else {
        return Ok(false);
    };
    compiler.within(CompileLimit::ReferenceLength, utf16_length(text), site, keyword)?;
    let (place, target) = read(compiler, site, keyword, text)?;
    let count = compiler.references.len() + 1;
    compiler.within(CompileLimit::ReferenceCount, count, site, keyword)?;
    compiler.references.push(PendingReference {
        node: site.node,
        keyword,
        place,
        target,
    });
    Ok(true)
}

fn read(
    compiler: &Compiler<'_>,
    site: &Site<'_>,
    keyword: &str,
    text: &str,
) -> Result<(Place, Target), CompileError> {
    if site.dialect.language == Language::Profile1 && !text.starts_with('#') {
        let remedy = "it must begin with `#`: references lead to the same document, nothing is fetched";
        return Err(compiler.fault(CompileErrorKind::InvalidReference, site, keyword, remedy));
    }
    let (name, fragment) = text.split_once('#').unwrap_or((text, ""));
    let target = read_fragment(fragment, compiler.limits()).map_err(|fault| match fault {
        FragmentFault::Malformed(why) => {
            compiler.fault(CompileErrorKind::InvalidReference, site, keyword, why)
        }
        FragmentFault::Over(limit) => compiler.over(limit, site, keyword),
    })?;
    let place = match compiler.resources.get(site.resource) {
        Some(resource) if !name.is_empty() => Place::At(uri::resolve(&resource.base, name)),
        _ => Place::Here(site.resource),
    };
    Ok((place, target))
}

pub(super) fn evaluate<'v>(target: NodeId, run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
    run.meter.traverse()?;
    run.enter(scene.on(target))
}

/// Where the name is a dynamic anchor, the outermost resource that has it too decides.
pub(super) fn evaluate_dynamic<'v>(
    target: NodeId,
    anchor: Option<&Arc<str>>,
    run: &mut Run<'v>,
    scene: Scene<'v>,
) -> Metered<bool> {
    run.meter.traverse()?;
    let outermost = match anchor {
        None => None,
        Some(name) => run.outermost(name)?,
    };
    run.enter(scene.on(outermost.unwrap_or(target)))
}
