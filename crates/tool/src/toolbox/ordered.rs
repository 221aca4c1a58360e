//! A persistent map that keeps an order: a clone costs nothing, a change costs the logarithm of the size.

use std::{borrow::Borrow, hash::Hash, sync::Arc};

use imbl::{HashMap, OrdMap, ordmap::DiffItem};

/// A place in the order of the catalogue: by source in the order of mounting, then in the order of registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) source: u64,
    pub(super) entry: u64,
}

/// A shared value; equal only to itself, so that two states are compared by what they share.
#[derive(Debug)]
struct Held<V>(Arc<V>);

impl<V> Clone for Held<V> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<V> PartialEq for Held<V> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Values by key and in order.
#[derive(Debug)]
pub(super) struct Ordered<K, V> {
    by_key: HashMap<K, (Place, Held<V>)>,
    by_place: OrdMap<Place, Held<V>>,
}

impl<K: Clone, V> Clone for Ordered<K, V> {
    fn clone(&self) -> Self {
        Self {
            by_key: self.by_key.clone(),
            by_place: self.by_place.clone(),
        }
    }
}

impl<K, V> Default for Ordered<K, V> {
    fn default() -> Self {
        Self {
            by_key: HashMap::new(),
            by_place: OrdMap::new(),
        }
    }
}

impl<K: Clone + Hash + Eq, V> Ordered<K, V> {
    pub(super) fn get<Q>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.by_key.get(key).map(|(_, held)| held.0.as_ref())
    }

    /// The place of a key.
    pub(super) fn place<Q>(&self, key: &Q) -> Option<Place>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.by_key.get(key).map(|(place, _)| *place)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_place.is_empty()
    }

    /// The values in order.
    pub(super) fn values(&self) -> impl ExactSizeIterator<Item = &V> {
        self.by_place.values().map(|held| held.0.as_ref())
    }

    /// Puts a value at a place; one that had this key before goes, wherever it stood.
    pub(super) fn put(&mut self, key: K, place: Place, value: V) {
        let held = Held(Arc::new(value));
        if let Some((before, _)) = self.by_key.insert(key, (place, held.clone()))
            && before != place
        {
            self.by_place.remove(&before);
        }
        self.by_place.insert(place, held);
    }

    pub(super) fn remove<Q>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        if let Some((place, _)) = self.by_key.remove(key) {
            self.by_place.remove(&place);
        }
    }

    /// Whether both are one and the same state.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.by_place.ptr_eq(&other.by_place)
    }

    /// What was there before and what is there after, wherever the two differ. What they share is not looked at.
    pub(super) fn differences<'a>(
        &'a self,
        after: &'a Self,
    ) -> impl Iterator<Item = (Option<&'a V>, Option<&'a V>)> {
        self.by_place.diff(&after.by_place).map(|item| match item {
            DiffItem::Add(_, new) => (None, Some(new.0.as_ref())),
            DiffItem::Update { old, new } => (Some(old.1.0.as_ref()), Some(new.1.0.as_ref())),
            DiffItem::Remove(_, old) => (Some(old.0.as_ref()), None),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(entry: u64) -> Place {
        Place { source: 0, entry }
    }

    #[test]
    fn values_stand_in_order_and_a_key_stands_once() {
        let mut map = Ordered::default();
        for (key, entry) in [("b", 2), ("a", 1), ("c", 3)] {
            map.put(key, place(entry), key);
        }
        assert!(map.values().eq(&["a", "b", "c"]));
        map.put("a", place(4), "a");
        assert!(map.values().eq(&["b", "c", "a"]));
        map.remove("b");
        assert_eq!(
            (map.values().len(), map.get("b"), map.get("c")),
            (2, None, Some(&"c"))
        );
    }

    #[test]
    fn a_difference_is_what_two_states_do_not_share() {
        let mut before = Ordered::default();
        for entry in 0..1_000 {
            before.put(entry, place(entry), entry);
        }
        let mut after = before.clone();
        assert!(after.is(&before));
        after.remove(&7);
        after.put(8, place(8), 80);
        after.put(1_000, place(1_000), 1_000);
        let differences: Vec<_> = before.differences(&after).collect();
        assert_eq!(
            differences,
            [(Some(&7), None), (Some(&8), Some(&80)), (None, Some(&1_000))]
        );
    }
}
