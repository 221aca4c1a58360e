//! Judging a node by a predicate: each part once, in the order of the list.

use super::{
    node::{PredicateNode, TagKey},
    triple::Triple,
};
use crate::tag::AxisTag;

pub(super) fn evaluate<'a, T: AsRef<str>>(
    nodes: &[PredicateNode],
    root: usize,
    tags: &[T],
    metadata: &dyn Fn(&str) -> Option<&'a str>,
) -> bool {
    let tags: Vec<AxisTag<'_>> = tags
        .iter()
        .filter_map(|tag| AxisTag::parse(tag.as_ref()))
        .collect();
    let mut met: Vec<bool> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let of = |child: &u32| {
            usize::try_from(*child)
                .ok()
                .and_then(|child| met.get(child))
                .copied()
                .unwrap_or(false)
        };
        let holds = match node {
            PredicateNode::And { children } => children.iter().all(of),
            PredicateNode::Or { children } => children.iter().any(of),
            PredicateNode::Not { child } => !of(child),
            leaf => leaf_holds(leaf, &tags, metadata),
        };
        met.push(holds);
    }
    met.get(root).copied().unwrap_or(false)
}

fn leaf_holds<'a>(
    leaf: &PredicateNode,
    tags: &[AxisTag<'_>],
    metadata: &dyn Fn(&str) -> Option<&'a str>,
) -> bool {
    use PredicateNode as Leaf;
    match leaf {
        Leaf::Exists { key } => named(tags, key).next().is_some(),
        Leaf::Equals { key, value } => any(tags, key, |found| found == value),
        Leaf::NumericAtLeast { key, threshold } => any_number(tags, key, |found| found >= *threshold),
        Leaf::NumericAtMost { key, threshold } => any_number(tags, key, |found| found <= *threshold),
        Leaf::NumericInRange { key, min, max } => {
            any_number(tags, key, |found| found >= *min && found <= *max)
        }
        Leaf::SemverAtLeast { key, version } => {
            any_version(tags, key, version, |found, wanted| found >= wanted)
        }
        Leaf::SemverAtMost { key, version } => {
            any_version(tags, key, version, |found, wanted| found <= wanted)
        }
        Leaf::SemverCompatible { key, version } => any_version(tags, key, version, |found, wanted| {
            found.is_compatible_with(wanted)
        }),
        Leaf::StringPrefix { key, prefix } => any(tags, key, |found| found.starts_with(prefix.as_str())),
        Leaf::StringMatches { key, pattern } => any(tags, key, |found| found.contains(pattern.as_str())),
        Leaf::MetadataExists { key } => metadata(key).is_some(),
        Leaf::MetadataEquals { key, value } => metadata(key).is_some_and(|found| found == value),
        Leaf::MetadataMatches { key, pattern } => {
            metadata(key).is_some_and(|found| found.contains(pattern.as_str()))
        }
        Leaf::MetadataNumericAtLeast { key, threshold } => metadata(key)
            .and_then(number)
            .is_some_and(|found| found >= *threshold),
        Leaf::And { .. } | Leaf::Or { .. } | Leaf::Not { .. } => false,
    }
}

fn named<'a>(tags: &'a [AxisTag<'a>], key: &'a TagKey) -> impl Iterator<Item = &'a AxisTag<'a>> {
    tags.iter()
        .filter(move |tag| tag.axis == key.axis && tag.key == key.key)
}

fn any(tags: &[AxisTag<'_>], key: &TagKey, holds: impl Fn(&str) -> bool) -> bool {
    named(tags, key).filter_map(|tag| tag.value).any(holds)
}

fn any_number(tags: &[AxisTag<'_>], key: &TagKey, holds: impl Fn(f64) -> bool) -> bool {
    any(tags, key, |value| number(value).is_some_and(&holds))
}

fn any_version(
    tags: &[AxisTag<'_>],
    key: &TagKey,
    wanted: &str,
    holds: impl Fn(Triple, Triple) -> bool,
) -> bool {
    let Some(wanted) = Triple::parse(wanted) else {
        return false;
    };
    any(tags, key, |value| {
        Triple::parse(value).is_some_and(|found| holds(found, wanted))
    })
}

/// Decimal only: no hexadecimal, no separators. Tags are approximate quantities, so a float is right for them.
fn number(text: &str) -> Option<f64> {
    text.parse().ok()
}
