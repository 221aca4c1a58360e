//! `prefixItems` and `items`: schemas of elements by position, and of the elements after those.

use toolmesh_json::View;

use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::error::CompileError;
use crate::evaluate::{Run, Scene};
use crate::instance::Instance;
use crate::meter::Metered;
use crate::path::Step;
use crate::profile::Profile;
use crate::program::{Keyword, NodeId};

pub(super) const ITEMS: Rule = Rule {
    names: &["items"],
    scope: Scope::Everywhere,
    compile: compile_items,
};
pub(super) const PREFIX_ITEMS: Rule = Rule {
    names: &["prefixItems"],
    scope: Scope::Draft,
    compile: |compiler, site| Ok(compiler.list(site, "prefixItems")?.map(Keyword::PrefixItems)),
};

fn compile_items(compiler: &mut Compiler, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    if site
        .value("items")
        .is_some_and(|value| value.as_array().is_some())
        && compiler.profile == Profile::Draft2020_12
    {
        return Err(compiler.invalid(
            site,
            "items",
            "draft 2020-12 has no array form; use `prefixItems`",
        ));
    }
    let Some(node) = compiler.one(site, "items")? else {
        return Ok(None);
    };
    let prefix = site.value("prefixItems").and_then(View::as_array);
    Ok(Some(Keyword::Items {
        node,
        after: prefix.map_or(0, |prefix| prefix.len()),
    }))
}

pub(super) fn evaluate<'v>(node: NodeId, after: usize, run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
    let Some(array) = scene.instance.as_array() else {
        return Ok(true);
    };
    let mut fits = true;
    for (index, item) in array.iter().enumerate().skip(after) {
        fits &= run.descend(scene, Step::Index(index), Instance::Value(item), node)?;
    }
    Ok(fits)
}

pub(super) fn evaluate_prefix<'v>(nodes: &[NodeId], run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
    let Some(array) = scene.instance.as_array() else {
        return Ok(true);
    };
    let mut fits = true;
    for (index, (item, node)) in array.iter().zip(nodes).enumerate() {
        fits &= run.descend(scene, Step::Index(index), Instance::Value(item), *node)?;
    }
    Ok(fits)
}
