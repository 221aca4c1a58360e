//! What a node tells of itself, and who may use it.

use std::collections::BTreeMap;

use toolmesh_json::{ArrayBuilder, Value, View};

use crate::{
    engine::{Identity, NodeId},
    row::MAX_ROW_BYTES,
    tag::{TagError, check_tag},
};

/// Most tags, and most entries of metadata, of one node.
pub const MAX_TAGS: usize = 8_192;

/// Longest value of metadata in bytes; keys are as long as tags.
pub const MAX_METADATA_VALUE_BYTES: usize = 4_096;

/// Most entries of each of the three lists of who may use a node.
pub const MAX_ALLOWED: usize = 64;

/// What a node tells of itself, and who may see and call its tools.
///
/// When all three lists are empty everybody may. Otherwise a node may that is in any of them: by its number, by a subnet, or
/// by a group. Subnets and groups are those that the engine vouches for, never those that a node claims.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CapabilitySet {
    /// Tags: `region.eu`, `hardware.gpu=h100`, `software.python=3.11.5`.
    pub tags: Vec<String>,
    /// Metadata by key, for predicates.
    pub metadata: BTreeMap<String, String>,
    /// Nodes that may use this one.
    pub allowed_nodes: Vec<NodeId>,
    /// Subnets whose nodes may.
    pub allowed_subnets: Vec<u32>,
    /// Groups whose nodes may.
    pub allowed_groups: Vec<[u8; 32]>,
}

/// Why capabilities cannot be announced.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CapabilityError {
    /// There are more than [`MAX_TAGS`] tags or entries of metadata.
    #[error("a node has at most {MAX_TAGS} tags and as many entries of metadata")]
    TooMany,
    /// One of the lists of who may use the node has more than [`MAX_ALLOWED`] entries.
    #[error("each list of who may use a node has at most {MAX_ALLOWED} entries; use a group for more")]
    TooManyAllowed,
    /// A tag or a key of metadata is not allowed.
    #[error(transparent)]
    Tag(#[from] TagError),
    /// A value of metadata is longer than [`MAX_METADATA_VALUE_BYTES`].
    #[error("the metadata under `{0}` has more than {MAX_METADATA_VALUE_BYTES} bytes")]
    Value(String),
    /// Tags and metadata are more than [`MAX_ROW_BYTES`](crate::MAX_ROW_BYTES) of JSON together, which no node takes in.
    #[error("the tags and the metadata of a node have at most {MAX_ROW_BYTES} bytes together")]
    TooLarge,
}

impl CapabilitySet {
    /// Nothing told, everybody allowed.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tag.
    #[must_use]
    pub fn tag(mut self, tag: impl Into<String>) -> Self {
        self.tags.push(tag.into());
        self
    }

    /// Sets metadata.
    #[must_use]
    pub fn metadata(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.metadata.insert(key.into(), value.into());
        self
    }

    /// Lets a node in.
    #[must_use]
    pub fn allow_node(mut self, node: NodeId) -> Self {
        self.allowed_nodes.push(node);
        self
    }

    /// Lets the nodes of a subnet in.
    #[must_use]
    pub fn allow_subnet(mut self, subnet: u32) -> Self {
        self.allowed_subnets.push(subnet);
        self
    }

    /// Lets the nodes of a group in.
    #[must_use]
    pub fn allow_group(mut self, group: [u8; 32]) -> Self {
        self.allowed_groups.push(group);
        self
    }

    /// Whether there is no list, so that everybody may.
    pub(crate) fn is_open(&self) -> bool {
        self.allowed_nodes.is_empty() && self.allowed_subnets.is_empty() && self.allowed_groups.is_empty()
    }

    /// Whether a node may see and call the tools.
    #[must_use]
    pub fn allows(&self, who: &Identity) -> bool {
        self.is_open()
            || self.allowed_nodes.contains(&who.node)
            || who
                .subnets
                .iter()
                .any(|subnet| self.allowed_subnets.contains(subnet))
            || who.groups.iter().any(|group| self.allowed_groups.contains(group))
    }

    /// Checks every bound.
    ///
    /// # Errors
    /// [`CapabilityError`] names the first thing that cannot be announced.
    pub fn check(&self) -> Result<(), CapabilityError> {
        if self.tags.len() > MAX_TAGS || self.metadata.len() > MAX_TAGS {
            return Err(CapabilityError::TooMany);
        }
        let lists = [
            self.allowed_nodes.len(),
            self.allowed_subnets.len(),
            self.allowed_groups.len(),
        ];
        if lists.into_iter().any(|entries| entries > MAX_ALLOWED) {
            return Err(CapabilityError::TooManyAllowed);
        }
        for text in self.tags.iter().chain(self.metadata.keys()) {
            check_tag(text)?;
        }
        match self
            .metadata
            .iter()
            .find(|(_, value)| value.len() > MAX_METADATA_VALUE_BYTES)
        {
            Some((key, _)) => Err(CapabilityError::Value(key.clone())),
            None if self.to_value().to_text().len() > MAX_ROW_BYTES => Err(CapabilityError::TooLarge),
            None => Ok(()),
        }
    }

    /// What is told to others: tags and metadata. Who may use the node is the node's own affair.
    pub(crate) fn to_value(&self) -> Value {
        let tags = self
            .tags
            .iter()
            .fold(ArrayBuilder::default(), |all, tag| all.push(tag.as_str()));
        let metadata = self
            .metadata
            .iter()
            .fold(Value::object(), |all, (key, value)| all.put(key, value.as_str()));
        Value::object()
            .put("tags", tags)
            .put("metadata", metadata)
            .build()
    }

    /// Reads what another node told; what is not in order is left out.
    pub(crate) fn from_value(value: View<'_>) -> Self {
        let tags = value.get("tags").and_then(View::as_array);
        let metadata = value.get("metadata").and_then(View::as_object);
        Self {
            tags: tags
                .map(|tags| {
                    let texts = tags.iter().filter_map(View::as_str);
                    texts.take(MAX_TAGS).map(str::to_owned).collect()
                })
                .unwrap_or_default(),
            metadata: metadata
                .map(|entries| {
                    let texts = entries
                        .iter()
                        .filter_map(|(key, value)| Some((key, value.as_str()?)));
                    texts
                        .take(MAX_TAGS)
                        .map(|(key, value)| (key.to_owned(), value.to_owned()))
                        .collect()
                })
                .unwrap_or_default(),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn who() -> Identity {
        Identity {
            subnets: vec![7],
            groups: vec![[1; 32]],
            ..Identity::new(NodeId::new(1), "agent")
        }
    }

    #[test]
    fn without_lists_everybody_may_and_with_lists_whoever_is_in_one() {
        let none = CapabilitySet::new();
        for (set, allowed) in [
            (none.clone(), true),
            (none.clone().allow_node(NodeId::new(1)), true),
            (none.clone().allow_node(NodeId::new(2)), false),
            (none.clone().allow_node(NodeId::new(2)).allow_subnet(7), true),
            (none.clone().allow_subnet(8), false),
            (none.clone().allow_group([1; 32]), true),
            (none.allow_group([2; 32]), false),
        ] {
            assert_eq!(set.allows(&who()), allowed, "{set:?}");
        }
    }

    #[test]
    fn what_is_announced_is_bounded() {
        let mut set = CapabilitySet::new();
        set.tags = vec!["t".to_owned(); MAX_TAGS];
        set.allowed_subnets = vec![1; MAX_ALLOWED];
        set.metadata
            .insert("k".to_owned(), "v".repeat(MAX_METADATA_VALUE_BYTES));
        assert_eq!(set.check(), Ok(()));
        assert_eq!(set.clone().tag("t").check(), Err(CapabilityError::TooMany));
        assert_eq!(
            set.clone().allow_subnet(1).check(),
            Err(CapabilityError::TooManyAllowed)
        );
        let long = set.metadata("k", "v".repeat(MAX_METADATA_VALUE_BYTES + 1));
        assert_eq!(long.check(), Err(CapabilityError::Value("k".to_owned())));
    }

    #[test]
    fn what_is_announced_is_bounded_as_a_whole() {
        let told = |set: &CapabilitySet| set.to_value().to_text().len();
        let mut set = CapabilitySet::new();
        let whole = "v".repeat(MAX_METADATA_VALUE_BYTES);
        for number in 0.. {
            let more = set.clone().metadata(format!("k{number}"), whole.as_str());
            if told(&more) > MAX_ROW_BYTES {
                break;
            }
            set = more;
        }
        let room = MAX_ROW_BYTES - told(&set.clone().metadata("last", ""));
        let filled = |bytes| set.clone().metadata("last", "v".repeat(bytes));
        assert_eq!(told(&filled(room)), MAX_ROW_BYTES);
        assert_eq!(filled(room).check(), Ok(()));
        assert_eq!(filled(room + 1).check(), Err(CapabilityError::TooLarge));
    }

    #[test]
    fn tags_and_metadata_are_told_and_who_may_is_not() {
        let set = CapabilitySet::new()
            .tag("region.eu")
            .metadata("intent", "x")
            .allow_subnet(1);
        let told = set.to_value();
        assert_eq!(
            told.to_text(),
            r#"{"tags":["region.eu"],"metadata":{"intent":"x"}}"#
        );
        let read = CapabilitySet::from_value(told.view());
        assert_eq!((read.tags, read.metadata), (set.tags, set.metadata));
    }
}
