//! What a context keeps: entries of bytes, in spaces that are copied in no time.

use std::{ops::Bound, sync::Arc};

use imbl::OrdMap;

use crate::limits::ENTRY_BYTES;

/// Keys and values are shared between copies of a space.
pub(crate) type Bytes = Arc<[u8]>;

/// Entries in the order of their keys. A clone shares everything with its origin until one of the two changes, so a
/// call works on a clone, which replaces the origin when the call ends well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Space {
    entries: OrdMap<Bytes, Bytes>,
    bytes: usize,
}

/// What an entry counts.
fn weight(key: &[u8], value: &[u8]) -> usize {
    key.len().saturating_add(value.len()).saturating_add(ENTRY_BYTES)
}

impl Space {
    /// How much all entries count, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn get(&self, key: &[u8]) -> Option<&Bytes> {
        self.entries.get(key)
    }

    /// How much the space counts with this entry in it.
    pub(crate) fn bytes_with(&self, key: &[u8], value: &[u8]) -> usize {
        let old = self.get(key).map_or(0, |old| weight(key, old));
        self.bytes.saturating_sub(old).saturating_add(weight(key, value))
    }

    /// Puts an entry in, and gives back the value that it replaces.
    pub(crate) fn set(&mut self, key: &[u8], value: &[u8]) -> Option<Bytes> {
        self.bytes = self.bytes_with(key, value);
        self.entries.insert(key.into(), value.into())
    }

    pub(crate) fn remove(&mut self, key: &[u8]) -> Option<Bytes> {
        let old = self.entries.remove(key)?;
        self.bytes = self.bytes.saturating_sub(weight(key, &old));
        Some(old)
    }

    /// Takes out every entry whose key begins so.
    pub(crate) fn remove_prefix(&mut self, prefix: &[u8]) {
        let from = (Bound::Included(prefix), Bound::<&[u8]>::Unbounded);
        let begun = self.entries.range::<_, [u8]>(from);
        let keys: Vec<Bytes> = begun
            .map(|(key, _)| key)
            .take_while(|key| key.starts_with(prefix))
            .cloned()
            .collect();
        for key in keys {
            self.remove(&key);
        }
    }

    /// The entries from `low` up to but not `high`, in order from both ends; none when they are the wrong way round.
    pub(crate) fn range(
        &self,
        low: &[u8],
        high: &[u8],
    ) -> impl DoubleEndedIterator<Item = (&Bytes, &Bytes)> + use<'_> {
        let high = high.max(low);
        self.entries
            .range::<_, [u8]>((Bound::Included(low), Bound::Excluded(high)))
    }

    /// All entries, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Bytes, &Bytes)> {
        self.entries.iter()
    }
}

impl FromIterator<(Vec<u8>, Vec<u8>)> for Space {
    fn from_iter<I: IntoIterator<Item = (Vec<u8>, Vec<u8>)>>(entries: I) -> Self {
        let mut space = Self::default();
        for (key, value) in entries {
            space.set(&key, &value);
        }
        space
    }
}

/// The state of a context. On a node only the first space goes to other members; here they differ in nothing but in
/// what an application reaches them by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    /// What the application stores.
    pub(crate) public: Space,
    /// Its ordered index, which it can make again.
    pub(crate) index: Space,
    /// What it stores for this node alone.
    pub(crate) private: Space,
}

impl State {
    /// How much it counts, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let spaces = [&self.public, &self.index, &self.private];
        spaces
            .iter()
            .fold(0, |sum: usize, space| sum.saturating_add(space.bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_counts_all_its_spaces() {
        let mut state = State::default();
        for space in [&mut state.public, &mut state.index, &mut state.private] {
            space.set(b"k", b"v");
        }
        assert_eq!(state.bytes(), 3 * (2 + ENTRY_BYTES));
    }

    fn keys<'a>(entries: impl Iterator<Item = (&'a Bytes, &'a Bytes)>) -> Vec<&'a [u8]> {
        entries.map(|(key, _)| key.as_ref()).collect()
    }

    #[test]
    fn a_copy_keeps_what_it_was_when_its_origin_changes() {
        let mut origin = Space::default();
        assert_eq!(origin.set(b"a", b"1"), None);
        let copy = origin.clone();
        assert_eq!(origin.set(b"a", b"2").as_deref(), Some(b"1".as_slice()));
        assert_eq!(copy.get(b"a").map(AsRef::as_ref), Some(b"1".as_slice()));
        assert_eq!(origin.get(b"a").map(AsRef::as_ref), Some(b"2".as_slice()));
    }

    #[test]
    fn keys_values_and_entries_count() {
        let mut space = Space::default();
        assert_eq!(space.bytes_with(b"key", b"value"), 8 + ENTRY_BYTES);
        space.set(b"key", b"value");
        assert_eq!(space.bytes(), 8 + ENTRY_BYTES);
        space.set(b"key", b"");
        assert_eq!(space.bytes(), 3 + ENTRY_BYTES);
        space.remove(b"key");
        space.remove(b"key");
        assert_eq!(space.bytes(), 0);
    }

    #[test]
    fn a_range_has_its_lower_end_and_not_its_upper_one() {
        let space: Space = [b"a", b"b", b"c"]
            .map(|key| (key.to_vec(), vec![]))
            .into_iter()
            .collect();
        assert_eq!(keys(space.range(b"a", b"c")), [b"a", b"b"]);
        assert_eq!(keys(space.range(b"a", b"c").rev()), [b"b", b"a"]);
        assert!(keys(space.range(b"c", b"a")).is_empty());
        assert!(keys(space.range(b"b", b"b")).is_empty());
    }

    #[test]
    fn a_prefix_takes_what_begins_with_it_and_nothing_else() {
        let names: [&[u8]; 4] = [b"a", b"b", b"b1", b"c"];
        let mut space: Space = names.map(|key| (key.to_vec(), vec![])).into_iter().collect();
        space.remove_prefix(b"b");
        assert_eq!(keys(space.iter()), [b"a".as_slice(), b"c"]);
        assert_eq!(space.bytes(), 2 * (1 + ENTRY_BYTES));
    }
}
