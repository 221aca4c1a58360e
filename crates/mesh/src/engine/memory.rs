//! Nodes of one process: for tests, and for programs whose agents and tools live together.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak},
};

use sha2::{Digest, Sha256};
use toolmesh_tool::BoxFuture;

use super::{
    Audience, Control, Engine, EngineError, Identity, Inbound, NodeId, Presence, Replies, ReplyQueue, RowKey,
};
use crate::BuildError;

/// The networks of this process by the digest of their key. One lives as long as a node of it.
static BY_KEY: LazyLock<Mutex<HashMap<[u8; 32], Weak<Network>>>> = LazyLock::new(Mutex::default);

/// A mesh within this process. Clones are one network.
#[derive(Debug, Clone, Default)]
pub struct MemoryNetwork(Arc<Network>);

#[derive(Default)]
struct Network {
    state: Mutex<State>,
    /// Held while changes are told, so that every node is told of them in one order.
    telling: Mutex<()>,
}

#[derive(Default)]
struct State {
    nodes: BTreeMap<NodeId, Node>,
    /// Calls under way: the reply queue of each. Taking it out ends the replies.
    calls: HashMap<CallKey, ReplyQueue>,
}

struct Node {
    identity: Identity,
    inbound: Arc<dyn Inbound>,
    rows: BTreeMap<RowKey, Row>,
}

#[derive(Clone)]
struct Row {
    bytes: Arc<[u8]>,
    audience: Audience,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct CallKey {
    from: NodeId,
    to: NodeId,
    call: u64,
}

/// One node of a [`MemoryNetwork`].
pub struct MemoryEngine {
    network: Arc<Network>,
    identity: Identity,
}

impl MemoryNetwork {
    /// A network of its own, which no key leads to.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The network of this process that has this key: nodes with another key are in another.
    #[must_use]
    pub fn of_key(key: &[u8; 32]) -> Self {
        let digest: [u8; 32] = Sha256::digest(key).into();
        let mut networks = lock(&BY_KEY);
        networks.retain(|_, network| network.strong_count() > 0);
        let network = networks.get(&digest).and_then(Weak::upgrade).unwrap_or_default();
        networks.insert(digest, Arc::downgrade(&network));
        Self(network)
    }

    /// A node with a random number, and of that name if it has none. As [`MemoryNetwork::node`].
    ///
    /// # Errors
    /// [`BuildError::Random`].
    pub fn named(&self, name: Option<String>) -> Result<MemoryEngine, BuildError> {
        let node = NodeId::new(getrandom::u64().map_err(|_| BuildError::Random)?);
        let name = name.unwrap_or_else(|| node.to_string());
        Ok(self.node(Identity::new(node, name)))
    }

    /// A node of this network; it joins when a mesh is built on it. Whoever makes it vouches for its identity.
    #[must_use]
    pub fn node(&self, identity: Identity) -> MemoryEngine {
        MemoryEngine {
            network: Arc::clone(&self.0),
            identity,
        }
    }
}

impl Network {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Everybody, to be told of something without a lock on the state.
    fn everybody(&self) -> Vec<(Identity, Arc<dyn Inbound>)> {
        let state = self.state();
        let nodes = state.nodes.values();
        nodes
            .map(|node| (node.identity.clone(), Arc::clone(&node.inbound)))
            .collect()
    }

    fn end(&self, key: CallKey) {
        // The queue is dropped after the lock is free.
        let queue = self.state().calls.remove(&key);
        drop(queue);
    }
}

impl Engine for MemoryEngine {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn join(&self, inbound: Arc<dyn Inbound>) -> Result<(), EngineError> {
        let _telling = lock(&self.network.telling);
        let id = self.identity.node;
        let mut told = Vec::new();
        {
            let mut state = self.network.state();
            if state.nodes.contains_key(&id) {
                return Err(EngineError::Taken(id));
            }
            for node in state.nodes.values() {
                let rows = node.rows.iter().filter(|(_, row)| (row.audience)(&self.identity));
                told.extend(rows.map(|(key, row)| (node.identity.clone(), key.clone(), row.bytes.clone())));
            }
            let node = Node {
                identity: self.identity.clone(),
                inbound: Arc::clone(&inbound),
                rows: BTreeMap::new(),
            };
            state.nodes.insert(id, node);
        }
        for (from, key, bytes) in told {
            inbound.presence(&from, Presence::Put(key, bytes));
        }
        Ok(())
    }

    fn request(
        &self,
        to: NodeId,
        call: u64,
        frame: Vec<u8>,
        replies: ReplyQueue,
    ) -> BoxFuture<'_, Result<(), EngineError>> {
        let from = self.identity.node;
        let key = CallKey { from, to, call };
        let inbound = {
            let mut state = self.network.state();
            let is_in = state.nodes.contains_key(&from);
            let found = state.nodes.get(&to).map(|node| Arc::clone(&node.inbound));
            match found {
                _ if !is_in => Err(EngineError::Closed),
                None => Err(EngineError::Unreachable(to)),
                Some(inbound) => {
                    state.calls.insert(key, replies);
                    Ok(inbound)
                }
            }
        };
        let delivered = inbound.map(|inbound| {
            let way_back = Box::new(WayBack {
                network: Arc::downgrade(&self.network),
                key,
            });
            inbound.request(self.identity.clone(), call, frame, way_back);
        });
        Box::pin(std::future::ready(delivered))
    }

    fn control(&self, to: NodeId, call: u64, control: Control) {
        let inbound = {
            let state = self.network.state();
            state.nodes.get(&to).map(|node| Arc::clone(&node.inbound))
        };
        if let Some(inbound) = inbound {
            inbound.control(self.identity.node, call, control);
        }
    }

    fn announce(&self, key: RowKey, bytes: Arc<[u8]>, audience: Audience) -> Result<(), EngineError> {
        let _telling = lock(&self.network.telling);
        {
            let mut state = self.network.state();
            let node = state
                .nodes
                .get_mut(&self.identity.node)
                .ok_or(EngineError::Closed)?;
            let row = Row {
                bytes: Arc::clone(&bytes),
                audience: Arc::clone(&audience),
            };
            node.rows.insert(key.clone(), row);
        }
        for (who, inbound) in self.network.everybody() {
            let change = if who.node == self.identity.node || audience(&who) {
                Presence::Put(key.clone(), Arc::clone(&bytes))
            } else {
                Presence::Gone(key.clone())
            };
            inbound.presence(&self.identity, change);
        }
        Ok(())
    }

    fn withdraw(&self, key: &RowKey) {
        let _telling = lock(&self.network.telling);
        let was_there = {
            let mut state = self.network.state();
            let node = state.nodes.get_mut(&self.identity.node);
            node.and_then(|node| node.rows.remove(key)).is_some()
        };
        if was_there {
            for (_, inbound) in self.network.everybody() {
                inbound.presence(&self.identity, Presence::Gone(key.clone()));
            }
        }
    }

    fn close(&self) {
        let _telling = lock(&self.network.telling);
        let id = self.identity.node;
        let (left, ended) = {
            let mut state = self.network.state();
            let left = state.nodes.remove(&id);
            let ended: Vec<_> = state
                .calls
                .extract_if(|key, _| key.from == id || key.to == id)
                .collect();
            (left, ended)
        };
        drop(ended);
        if left.is_some() {
            for (_, inbound) in self.network.everybody() {
                inbound.presence(&self.identity, Presence::NodeGone);
            }
        }
    }
}

impl std::fmt::Debug for MemoryEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MemoryEngine")
            .field("identity", &self.identity)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Network")
    }
}

/// The way back of a call between nodes of one process.
struct WayBack {
    network: Weak<Network>,
    key: CallKey,
}

impl Replies for WayBack {
    fn send(&self, frame: Vec<u8>) -> BoxFuture<'_, Result<(), EngineError>> {
        let gone = EngineError::Unreachable(self.key.from);
        let sent = match self.network.upgrade() {
            None => Err(gone),
            Some(network) => {
                let queue = network.state().calls.get(&self.key).cloned();
                let sent = queue.ok_or(gone).and_then(|queue| queue.send(frame));
                if sent.is_err() {
                    network.end(self.key);
                }
                sent
            }
        };
        Box::pin(std::future::ready(sent))
    }
}

impl Drop for WayBack {
    fn drop(&mut self) {
        if let Some(network) = self.network.upgrade() {
            network.end(self.key);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
