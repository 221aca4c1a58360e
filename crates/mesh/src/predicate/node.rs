//! One node of a predicate, and the leaves by name.

use serde::{Deserialize, Serialize};

use super::Predicate;
use crate::Axis;

/// What tags a leaf speaks of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TagKey {
    /// The axis.
    pub axis: Axis,
    /// The key.
    pub key: String,
}

/// One node; bounds are inclusive, a value that is no number or version meets no bound. The JSON form is tagged by `kind`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(
    missing_docs,
    reason = "a leaf's members are what its name says: a key, and what its value is compared with"
)]
pub enum PredicateNode {
    /// There is a tag with this key.
    Exists { key: TagKey },
    /// Its value is this text.
    Equals { key: TagKey, value: String },
    /// Its value is a number, this one or a larger.
    NumericAtLeast { key: TagKey, threshold: f64 },
    /// Its value is a number, this one or a smaller.
    NumericAtMost { key: TagKey, threshold: f64 },
    /// Its value is a number within these bounds.
    NumericInRange { key: TagKey, min: f64, max: f64 },
    /// Its value is a version, this one or a later.
    SemverAtLeast { key: TagKey, version: String },
    /// Its value is a version, this one or an earlier.
    SemverAtMost { key: TagKey, version: String },
    /// Its value is a version, this one or a later that is compatible: of the same major version, below 1.0 also minor.
    SemverCompatible { key: TagKey, version: String },
    /// Its value begins with this text.
    StringPrefix { key: TagKey, prefix: String },
    /// Its value has this text somewhere.
    StringMatches { key: TagKey, pattern: String },
    /// There is metadata under this key.
    MetadataExists { key: String },
    /// It is this text.
    MetadataEquals { key: String, value: String },
    /// It has this text somewhere.
    MetadataMatches { key: String, pattern: String },
    /// It is a number, this one or a larger.
    MetadataNumericAtLeast { key: String, threshold: f64 },
    /// All of these, by their places in the list.
    And { children: Vec<u32> },
    /// Any of these.
    Or { children: Vec<u32> },
    /// Not this one.
    Not { child: u32 },
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PredicateWire {
    pub(super) nodes: Vec<PredicateNode>,
    pub(super) root_idx: u32,
}

impl PredicateNode {
    pub(super) fn children(&self) -> &[u32] {
        match self {
            Self::And { children } | Self::Or { children } => children,
            Self::Not { child } => std::slice::from_ref(child),
            _ => &[],
        }
    }

    /// The same with every place moved.
    pub(super) fn moved(self, by: u32) -> Self {
        let move_all = |children: Vec<u32>| {
            children
                .into_iter()
                .map(|child| child.saturating_add(by))
                .collect()
        };
        match self {
            Self::And { children } => Self::And {
                children: move_all(children),
            },
            Self::Or { children } => Self::Or {
                children: move_all(children),
            },
            Self::Not { child } => Self::Not {
                child: child.saturating_add(by),
            },
            leaf => leaf,
        }
    }
}

fn tag(axis: Axis, key: &str) -> TagKey {
    TagKey {
        axis,
        key: key.to_owned(),
    }
}

impl Predicate {
    /// There is a tag with this key.
    #[must_use]
    pub fn exists(axis: Axis, key: &str) -> Self {
        Self::leaf(PredicateNode::Exists { key: tag(axis, key) })
    }

    /// The tag's value is this text.
    #[must_use]
    pub fn equals(axis: Axis, key: &str, value: &str) -> Self {
        let (key, value) = (tag(axis, key), value.to_owned());
        Self::leaf(PredicateNode::Equals { key, value })
    }

    /// The tag's value is at least this number.
    #[must_use]
    pub fn numeric_at_least(axis: Axis, key: &str, threshold: f64) -> Self {
        let key = tag(axis, key);
        Self::leaf(PredicateNode::NumericAtLeast { key, threshold })
    }

    /// The tag's value is at most this number.
    #[must_use]
    pub fn numeric_at_most(axis: Axis, key: &str, threshold: f64) -> Self {
        let key = tag(axis, key);
        Self::leaf(PredicateNode::NumericAtMost { key, threshold })
    }

    /// The tag's value is at least this version.
    #[must_use]
    pub fn semver_at_least(axis: Axis, key: &str, version: &str) -> Self {
        let (key, version) = (tag(axis, key), version.to_owned());
        Self::leaf(PredicateNode::SemverAtLeast { key, version })
    }

    /// The tag's value is a version that is compatible with this one.
    #[must_use]
    pub fn semver_compatible(axis: Axis, key: &str, version: &str) -> Self {
        let (key, version) = (tag(axis, key), version.to_owned());
        Self::leaf(PredicateNode::SemverCompatible { key, version })
    }

    /// There is metadata under this key.
    #[must_use]
    pub fn metadata_exists(key: &str) -> Self {
        Self::leaf(PredicateNode::MetadataExists { key: key.to_owned() })
    }

    /// The metadata under this key is this text.
    #[must_use]
    pub fn metadata_equals(key: &str, value: &str) -> Self {
        let (key, value) = (key.to_owned(), value.to_owned());
        Self::leaf(PredicateNode::MetadataEquals { key, value })
    }
}

impl From<PredicateNode> for Predicate {
    /// A predicate of one leaf. A node that is made of others has none to be made of here, and is never met.
    fn from(node: PredicateNode) -> Self {
        match node {
            PredicateNode::And { .. } | PredicateNode::Or { .. } | PredicateNode::Not { .. } => {
                Self::leaf(PredicateNode::Or { children: Vec::new() })
            }
            leaf => Self::leaf(leaf),
        }
    }
}
