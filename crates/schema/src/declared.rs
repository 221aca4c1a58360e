//! The members that a schema object declares by name.

use std::sync::Arc;

use crate::name_key::NameKey;
use crate::order::by_utf16;
use crate::program::{NamedNode, NodeId};

/// Names with their schemas, in UTF-16 order, shared between the keywords that look at them.
#[derive(Clone)]
pub(crate) struct Declared {
    members: Arc<[NamedNode]>,
    /// A key for each member, as long as they are compared one by one; empty otherwise.
    keys: Arc<[(NameKey, NodeId)]>,
    /// Whether the order is that of the UTF-8 bytes as well, as it is but for the rarest names.
    byte_ordered: bool,
}

/// Up to so many names are compared one by one.
const FEW: usize = 16;

impl Declared {
    /// The members must be in UTF-16 order.
    pub(crate) fn new(members: impl Into<Arc<[NamedNode]>>) -> Self {
        let members = members.into();
        let few = if members.len() <= FEW {
            members.as_ref()
        } else {
            &[]
        };
        let keys = few
            .iter()
            .map(|(name, node)| (NameKey::of(name.as_bytes()), *node))
            .collect();
        let byte_ordered = members.is_sorted_by(|left, right| left.0 <= right.0);
        Self {
            members,
            keys,
            byte_ordered,
        }
    }

    pub(crate) fn none() -> Self {
        Self::new([])
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, NamedNode> {
        self.members.iter()
    }

    pub(crate) fn len(&self) -> usize {
        self.members.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The schema of a name.
    pub(crate) fn get(&self, name: &str) -> Option<NodeId> {
        self.find(name.as_bytes()).map(|(_, node)| node)
    }

    /// The place of a name and its schema.
    #[inline]
    pub(crate) fn find(&self, name: &[u8]) -> Option<(usize, NodeId)> {
        let wanted = NameKey::of(name);
        if !wanted.is_whole() || self.members.len() > FEW {
            return self.find_by_text(name);
        }
        let place = self.keys.iter().position(|(key, _)| *key == wanted)?;
        self.keys.get(place).map(|(_, node)| (place, *node))
    }

    fn find_by_text(&self, name: &[u8]) -> Option<(usize, NodeId)> {
        let place = if self.members.len() > FEW {
            self.place_among_many(name)?
        } else {
            self.members
                .iter()
                .position(|(declared, _)| declared.as_bytes() == name)?
        };
        self.members.get(place).map(|(_, node)| (place, *node))
    }

    fn place_among_many(&self, name: &[u8]) -> Option<usize> {
        let found = if self.byte_ordered {
            self.members
                .binary_search_by(|(declared, _)| declared.as_bytes().cmp(name))
        } else {
            self.members
                .binary_search_by(|(declared, _)| by_utf16(&**declared, name))
        };
        found.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(names: &[&str]) -> Declared {
        let mut names: Vec<&str> = names.to_vec();
        names.sort_by(|left, right| by_utf16(left, right));
        let members = names.into_iter().zip(0..);
        let members: Vec<NamedNode> = members
            .map(|(name, index)| (Arc::from(name), NodeId(index)))
            .collect();
        Declared::new(members)
    }

    #[test]
    fn every_name_is_found_and_no_other() {
        let many: Vec<String> = (0..100).map(|index| format!("name {index}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let rare = ["\u{e000}", "\u{10000}", "a", "b", "c", "d", "e", "f", "g", "h"];
        for names in [&many[..], &rare, &rare[..3], &[]] {
            let declared = declared(names);
            for name in names {
                assert!(declared.get(name).is_some(), "{name:?}");
            }
            assert!(declared.get("missing").is_none() && declared.get("").is_none());
        }
        assert!(!declared(&rare).byte_ordered && declared(&many).byte_ordered);
    }
}
