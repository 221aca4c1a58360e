//! `$ref`: another schema of the same document applies here as well.

use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::error::{CompileError, CompileErrorKind};
use crate::evaluate::{Run, Scene};
use crate::limits::CompileLimit;
use crate::meter::Metered;
use crate::order::utf16_length;
use crate::program::{Keyword, NodeId, Program};
use crate::reference::{FragmentFault, PendingReference, Target, read_fragment};

pub(super) const RULE: Rule = Rule {
    names: &["$ref"],
    scope: Scope::Everywhere,
    compile,
};

/// Records the reference; the target is put in after the walk, because it may stand further down.
fn compile(compiler: &mut Compiler, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    let Some(text) = compiler.text(site, "$ref")? else {
        return Ok(None);
    };
    compiler.within(CompileLimit::ReferenceLength, utf16_length(text), site, "$ref")?;
    let target = read(compiler, site, text)?;
    compiler.within(
        CompileLimit::ReferenceCount,
        compiler.references.len() + 1,
        site,
        "$ref",
    )?;
    let location = compiler.keyword_location(site, "$ref");
    compiler.references.push(PendingReference {
        node: site.node,
        location,
        target,
    });
    Ok(Some(Keyword::Reference(Program::ROOT)))
}

fn read(compiler: &Compiler, site: &Site<'_>, text: &str) -> Result<Target, CompileError> {
    let local = compiler
        .base
        .as_deref()
        .and_then(|base| text.strip_prefix(base))
        .unwrap_or(text);
    let fragment = match local.strip_prefix('#') {
        Some(fragment) => fragment,
        None if local.is_empty() && !text.is_empty() => "",
        None => {
            let remedy = "it must begin with `#`: references lead to the same document, nothing is fetched";
            return Err(compiler.fault(CompileErrorKind::InvalidReference, site, "$ref", remedy));
        }
    };
    read_fragment(fragment, compiler.limits()).map_err(|fault| match fault {
        FragmentFault::Malformed(why) => {
            compiler.fault(CompileErrorKind::InvalidReference, site, "$ref", why)
        }
        FragmentFault::Over(limit) => {
            let error = CompileError::over(limit, compiler.limits().get(limit));
            error.at(compiler.keyword_location(site, "$ref")).on("$ref")
        }
    })
}

pub(super) fn evaluate<'v>(target: NodeId, run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
    run.meter.traverse()?;
    run.enter(scene.on(target))
}
