//! How many watches of this node's tools last at once.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio_util::sync::CancellationToken;

use crate::NodeId;

/// Most watches of one node at once: each looks at every tool whenever one changes, and remembers those that it saw. One is
/// enough to see all of them, a few more are for matchers.
pub const MAX_WATCHES_PER_NODE: usize = 16;

/// The watches of each node.
#[derive(Default)]
pub(crate) struct Watches(Mutex<HashMap<NodeId, Vec<Arc<CancellationToken>>>>);

/// The place of one watch; given back when dropped.
pub(super) struct WatchPlace<'a> {
    watches: &'a Watches,
    watcher: NodeId,
    watch: Arc<CancellationToken>,
}

impl Watches {
    fn lock(&self) -> MutexGuard<'_, HashMap<NodeId, Vec<Arc<CancellationToken>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for one more watch of a node, which this cancels; `None` when the node has as many as it may. One that is given up
    /// takes no place, though its work may not have ended yet.
    pub(super) fn enter(&self, watcher: NodeId, cancellation: &CancellationToken) -> Option<WatchPlace<'_>> {
        let mut all = self.lock();
        let of_node = all.entry(watcher).or_default();
        of_node.retain(|watch| !watch.is_cancelled());
        if of_node.len() >= MAX_WATCHES_PER_NODE {
            return None;
        }
        let watch = Arc::new(cancellation.clone());
        of_node.push(Arc::clone(&watch));
        Some(WatchPlace {
            watches: self,
            watcher,
            watch,
        })
    }
}

impl Drop for WatchPlace<'_> {
    fn drop(&mut self) {
        let mut all = self.watches.lock();
        if let Some(of_node) = all.get_mut(&self.watcher) {
            of_node.retain(|watch| !Arc::ptr_eq(watch, &self.watch));
            if of_node.is_empty() {
                all.remove(&self.watcher);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_watches_of_one_node_are_bounded_and_take_no_place_of_another() {
        let (watches, given_up) = (Watches::default(), CancellationToken::new());
        let lasting = CancellationToken::new();
        let enter = |node| watches.enter(NodeId::new(node), &lasting);
        let one = watches.enter(NodeId::new(1), &given_up).unwrap();
        let mut places: Vec<_> = (1..MAX_WATCHES_PER_NODE).map(|_| enter(1).unwrap()).collect();
        assert!(enter(1).is_none());
        assert!(enter(2).is_some());
        places.pop();
        places.push(enter(1).unwrap());
        assert!(enter(1).is_none());
        given_up.cancel();
        places.push(enter(1).unwrap());
        assert!(enter(1).is_none());
        drop((one, places));
        assert!(watches.lock().is_empty());
    }
}
