//! How many watches of this node's tools last at once.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::NodeId;

/// Most watches of one node at once: each looks at every tool whenever one changes, and remembers those that it saw. One is
/// enough to see all of them, a few more are for matchers.
pub const MAX_WATCHES_PER_NODE: usize = 16;

/// How many watches each node has.
#[derive(Default)]
pub(crate) struct Watches(Mutex<HashMap<NodeId, usize>>);

/// The place of one watch; given back when dropped.
pub(super) struct WatchPlace<'a> {
    watches: &'a Watches,
    watcher: NodeId,
}

impl Watches {
    fn lock(&self) -> MutexGuard<'_, HashMap<NodeId, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for one more watch of a node; `None` when it has as many as it may.
    pub(super) fn enter(&self, watcher: NodeId) -> Option<WatchPlace<'_>> {
        let mut of_node = self.lock();
        let watches = of_node.get(&watcher).copied().unwrap_or_default();
        if watches >= MAX_WATCHES_PER_NODE {
            return None;
        }
        of_node.insert(watcher, watches + 1);
        Some(WatchPlace {
            watches: self,
            watcher,
        })
    }
}

impl Drop for WatchPlace<'_> {
    fn drop(&mut self) {
        let mut of_node = self.watches.lock();
        match of_node.get_mut(&self.watcher) {
            Some(watches) if *watches > 1 => *watches -= 1,
            _ => drop(of_node.remove(&self.watcher)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_watches_of_one_node_are_bounded_and_take_no_place_of_another() {
        let watches = Watches::default();
        let enter = |node| watches.enter(NodeId::new(node));
        let mut places: Vec<_> = (0..MAX_WATCHES_PER_NODE).map(|_| enter(1).unwrap()).collect();
        assert!(enter(1).is_none());
        assert!(enter(2).is_some());
        places.pop();
        assert!(enter(1).is_some());
        drop(places);
        assert!(watches.lock().is_empty());
    }
}
