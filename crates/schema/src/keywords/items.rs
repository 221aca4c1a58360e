//! `prefixItems` and `items`, in draft-07 `items` and `additionalItems`: schemas of elements by position, and of the
//! elements after those.

use toolmesh_json::View;

use super::rule::{Rule, Scope};
use crate::compile::{Compiler, Site};
use crate::dialect::{Language, Vocabulary};
use crate::error::CompileError;
use crate::evaluate::{Run, Scene};
use crate::instance::Instance;
use crate::meter::Metered;
use crate::path::Step;
use crate::program::{Keyword, NodeId};
use crate::tracking::Mark;

pub(super) const ITEMS: Rule = Rule {
    names: &["items"],
    scope: Scope::Everywhere,
    vocabulary: Vocabulary::Applicator,
    compile: compile_items,
};
pub(super) const PREFIX_ITEMS: Rule = Rule {
    names: &["prefixItems"],
    scope: Scope::Draft2020_12,
    vocabulary: Vocabulary::Applicator,
    compile: |compiler, site| Ok(compiler.list(site, "prefixItems")?.map(Keyword::PrefixItems)),
};
pub(super) const ADDITIONAL_ITEMS: Rule = Rule {
    names: &["additionalItems"],
    scope: Scope::Draft07,
    vocabulary: Vocabulary::Applicator,
    compile: compile_additional_items,
};

fn compile_items(compiler: &mut Compiler<'_>, site: &Site<'_>) -> Result<Option<Keyword>, CompileError> {
    let listed = site
        .value("items")
        .is_some_and(|value| value.as_array().is_some());
    match site.dialect.language {
        Language::Draft07 if listed => {
            return Ok(compiler.list(site, "items")?.map(Keyword::PrefixItems));
        }
        Language::Draft2020_12 if listed => {
            let remedy = "draft 2020-12 has no array form; use `prefixItems`";
            return Err(compiler.invalid(site, "items", remedy));
        }
        Language::Draft07 | Language::Draft2020_12 | Language::Profile1 => {}
    }
    let prefix = match site.dialect.language {
        Language::Draft2020_12 => length(site, "prefixItems"),
        Language::Draft07 | Language::Profile1 => None,
    };
    let node = compiler.one(site, "items")?;
    Ok(node.map(|node| Keyword::Items {
        node,
        after: prefix.unwrap_or(0),
    }))
}

/// Without a list of schemas before it, it asserts nothing.
fn compile_additional_items(
    compiler: &mut Compiler<'_>,
    site: &Site<'_>,
) -> Result<Option<Keyword>, CompileError> {
    let node = compiler.one(site, "additionalItems")?;
    let after = length(site, "items");
    Ok(node
        .zip(after)
        .map(|(node, after)| Keyword::Items { node, after }))
}

fn length(site: &Site<'_>, keyword: &str) -> Option<usize> {
    let array = site.value(keyword).and_then(View::as_array)?;
    Some(array.len())
}

pub(super) fn evaluate<'v>(node: NodeId, after: usize, run: &mut Run<'v>, scene: Scene<'v>) -> Metered<bool> {
    let Some(array) = scene.instance.as_array() else {
        return Ok(true);
    };
    run.mark(scene, Mark::EveryItem);
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
    run.mark(scene, Mark::ItemsBelow(nodes.len()));
    let mut fits = true;
    for (index, (item, node)) in array.iter().zip(nodes).enumerate() {
        fits &= run.descend(scene, Step::Index(index), Instance::Value(item), *node)?;
    }
    Ok(fits)
}
