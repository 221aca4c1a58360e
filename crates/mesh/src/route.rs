//! Which of several nodes takes a call.

use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::time::Instant;

use crate::NodeId;

/// How long a node that failed is tried only after the others.
const COOL_DOWN: Duration = Duration::from_secs(5);

/// How one of several nodes is chosen. Nodes that failed in the last seconds come after the others, whatever the policy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RoutingPolicy {
    /// One after the other.
    #[default]
    RoundRobin,
    /// Any.
    Random,
    /// Always the same for one key, as long as it is there; when a node comes or goes, only the keys of that node move.
    Sticky {
        /// The key: of a session, for instance.
        key: u64,
    },
    /// The one that answered fastest of late; those that were never asked come first, so that each is measured.
    LowestLatency,
}

/// What is remembered of nodes, to choose among them.
#[derive(Default)]
pub(crate) struct Router {
    cursor: AtomicUsize,
    nodes: Mutex<HashMap<NodeId, Record>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Record {
    /// A moving average of the time to an answer.
    latency: Option<Duration>,
    failed: Option<Instant>,
}

impl Router {
    /// The nodes in the order in which they are to be tried.
    pub(crate) fn order(&self, policy: RoutingPolicy, mut nodes: Vec<NodeId>) -> Vec<NodeId> {
        match policy {
            RoutingPolicy::RoundRobin => self.rotate(&mut nodes, self.cursor.fetch_add(1, Ordering::Relaxed)),
            RoutingPolicy::Random => {
                let key = getrandom::u64().unwrap_or_default();
                nodes.sort_by_key(|node| std::cmp::Reverse(weight(key, *node)));
            }
            RoutingPolicy::Sticky { key } => nodes.sort_by_key(|node| std::cmp::Reverse(weight(key, *node))),
            RoutingPolicy::LowestLatency => {
                let records = self.records();
                let latency = |node: &NodeId| records.get(node).and_then(|record| record.latency);
                nodes.sort_by_key(latency);
            }
        }
        let records = self.records();
        let cools = |node: &NodeId| {
            let failed = records.get(node).and_then(|record| record.failed);
            failed.is_some_and(|failed| failed.elapsed() < COOL_DOWN)
        };
        nodes.sort_by_key(cools);
        nodes
    }

    fn rotate(&self, nodes: &mut [NodeId], by: usize) {
        if let Some(by) = by.checked_rem(nodes.len()) {
            nodes.rotate_left(by);
        }
    }

    pub(crate) fn answered(&self, node: NodeId, after: Duration) {
        let mut records = self.records();
        let record = records.entry(node).or_default();
        record.failed = None;
        record.latency = Some(match record.latency {
            None => after,
            Some(average) => (average * 7 + after) / 8,
        });
    }

    pub(crate) fn failed(&self, node: NodeId) {
        self.records().entry(node).or_default().failed = Some(Instant::now());
    }

    pub(crate) fn forget(&self, node: NodeId) {
        self.records().remove(&node);
    }

    fn records(&self) -> MutexGuard<'_, HashMap<NodeId, Record>> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Rendezvous hashing: the node with the highest weight for a key takes it. The mixing is that of SplitMix64, so that every
/// program of the mesh, whatever its version, weighs alike.
fn weight(key: u64, node: NodeId) -> u64 {
    let mut mixed = key ^ node.number().wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(numbers: std::ops::Range<u64>) -> Vec<NodeId> {
        numbers.map(NodeId::new).collect()
    }

    fn first(router: &Router, policy: RoutingPolicy, among: Vec<NodeId>) -> NodeId {
        router.order(policy, among)[0]
    }

    #[test]
    fn round_robin_gives_each_node_its_turn() {
        let router = Router::default();
        let turns: Vec<u64> = (0..6)
            .map(|_| first(&router, RoutingPolicy::RoundRobin, nodes(0..3)).number())
            .collect();
        assert_eq!(turns, [0, 1, 2, 0, 1, 2]);
    }

    #[test]
    fn sticky_keys_stay_when_another_node_leaves_and_are_spread() {
        let router = Router::default();
        let mut shares = HashMap::<NodeId, usize>::new();
        for key in 0..1_000 {
            let policy = RoutingPolicy::Sticky { key };
            let chosen = first(&router, policy, nodes(0..4));
            *shares.entry(chosen).or_default() += 1;
            let without_last = first(&router, policy, nodes(0..3));
            assert!(
                chosen == NodeId::new(3) || chosen == without_last,
                "key {key} moved"
            );
        }
        assert!(
            shares.values().all(|share| (150..350).contains(share)),
            "{shares:?}"
        );
    }

    #[test]
    fn random_reaches_every_node() {
        let router = Router::default();
        let seen: std::collections::BTreeSet<NodeId> = (0..200)
            .map(|_| first(&router, RoutingPolicy::Random, nodes(0..4)))
            .collect();
        assert_eq!(seen.len(), 4);
    }

    #[test]
    fn the_fastest_node_comes_first_after_each_was_asked() {
        let router = Router::default();
        router.answered(NodeId::new(0), Duration::from_millis(9));
        router.answered(NodeId::new(2), Duration::from_millis(1));
        let order = |router: &Router| -> Vec<u64> {
            let order = router.order(RoutingPolicy::LowestLatency, nodes(0..3));
            order.into_iter().map(NodeId::number).collect()
        };
        assert_eq!(order(&router), [1, 2, 0]);
        router.answered(NodeId::new(1), Duration::from_millis(5));
        assert_eq!(order(&router), [2, 1, 0]);
    }

    #[test]
    fn a_node_that_failed_comes_last_until_it_answers() {
        let router = Router::default();
        router.failed(NodeId::new(0));
        let policy = RoutingPolicy::LowestLatency;
        assert_eq!(first(&router, policy, nodes(0..2)), NodeId::new(1));
        router.answered(NodeId::new(0), Duration::from_millis(1));
        router.answered(NodeId::new(1), Duration::from_millis(2));
        assert_eq!(first(&router, policy, nodes(0..2)), NodeId::new(0));
        router.failed(NodeId::new(0));
        router.forget(NodeId::new(0));
        assert_eq!(first(&router, policy, nodes(0..2)), NodeId::new(0));
    }
}
