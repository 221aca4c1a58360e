//! Nodes of this process that are in one mesh.

use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
};

use crate::engine::network::Address;

/// Where the nodes of this process listen, by realm.
static NODES: LazyLock<Mutex<HashMap<String, Vec<Listening>>>> = LazyLock::new(Mutex::default);

/// Nodes of one process join one after the other, so that each knows those before it.
static JOINING: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

struct Listening {
    node: Address,
    at: Vec<String>,
}

/// A node of this process that is about to join. Nodes of one process with one key connect without being told where: whoever
/// has both in hand means them to.
pub(super) struct Near {
    realm: String,
    _turn: tokio::sync::MutexGuard<'static, ()>,
}

impl Near {
    pub(super) async fn enter(realm: &str) -> Self {
        Self {
            realm: realm.to_owned(),
            _turn: JOINING.lock().await,
        }
    }

    /// Where the nodes before this one listen.
    pub(super) fn listens_at(&self) -> Vec<String> {
        let nodes = nodes();
        let near = nodes.get(&self.realm).into_iter().flatten();
        near.flat_map(|node| node.at.iter().cloned()).collect()
    }

    /// Notes where the new node listens, for those after it.
    pub(super) fn leave(self, node: Address, listens_at: &[String]) {
        let at = listens_at.to_vec();
        nodes()
            .entry(self.realm)
            .or_default()
            .push(Listening { node, at });
    }

    /// A node leaves.
    pub(super) fn forget(realm: &str, node: Address) {
        let mut nodes = nodes();
        if let Some(near) = nodes.get_mut(realm) {
            near.retain(|listening| listening.node != node);
            if near.is_empty() {
                nodes.remove(realm);
            }
        }
    }
}

fn nodes() -> MutexGuard<'static, HashMap<String, Vec<Listening>>> {
    NODES.lock().unwrap_or_else(PoisonError::into_inner)
}
