//! How nodes part.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use toolmesh_certificate::come;

use super::{
    Address,
    peer::{MAX_NODES, Met},
    state::{Network, State},
};
use crate::engine::{Presence, ReplyQueue};

/// Certificates end at whole seconds and hold in the last one; who greets later is refused.
const ROUNDED: Duration = Duration::from_secs(1);

/// What has to be told when two nodes part: who left. Dropping it ends the calls to it.
pub(super) struct Parted {
    met: Arc<Met>,
    _calls: Vec<ReplyQueue>,
}

impl State {
    /// The nodes that this one has met.
    pub(super) fn everybody(&self) -> Vec<(Address, Arc<Met>)> {
        let peers = self.peers.iter();
        peers
            .filter_map(|(address, peer)| Some((*address, Arc::clone(peer.met.as_ref()?))))
            .collect()
    }

    /// Parts from a node. Where its entry stays, it needs a new random number: with the old one the two would seal by the same
    /// keys again.
    pub(super) fn part(&mut self, from: Address) -> Option<Parted> {
        let peer = self.peers.get_mut(&from)?;
        peer.has_told = false;
        peer.anew = None;
        let met = peer.met.take()?;
        met.leave();
        if self.by_node.get(&met.identity.node) == Some(&from) {
            self.by_node.remove(&met.identity.node);
        }
        let calls = self.calls.extract_if(|(host, _), _| *host == from);
        let calls = calls.map(|(_, replies)| replies).collect();
        Some(Parted { met, _calls: calls })
    }

    /// Whether one more node can be kept. Anybody who can write to the network can show addresses there; so one that has not
    /// proved anything makes room.
    pub(super) fn has_place(&mut self) -> bool {
        if self.peers.len() >= MAX_NODES {
            let unmet = self.peers.iter().find(|(_, peer)| peer.met.is_none());
            match unmet.map(|(address, _)| *address) {
                Some(address) => drop(self.peers.remove(&address)),
                None => return false,
            }
        }
        true
    }
}

impl Network {
    /// The network says that a node is gone.
    pub(super) fn lost(&self, node: Address) {
        self.forget(node, |_| true);
    }

    /// A node that greeted is not there after all, unless the network has shown it meanwhile.
    pub(super) fn not_there(&self, node: Address) {
        self.forget(node, |state| {
            state.peers.get(&node).is_some_and(|peer| !peer.is_seen)
        });
    }

    /// Forgets a node, where that holds of what is known when it is its turn.
    fn forget(&self, node: Address, holds: impl FnOnce(&State) -> bool) {
        let mut told = self.told();
        let parted = {
            let mut state = self.state();
            if !holds(&state) {
                return;
            }
            let parted = state.part(node);
            state.peers.remove(&node);
            self.ask_who_waited(&state);
            parted
        };
        told.remove(&node);
        self.parted(parted);
        self.moved();
    }

    /// Parts from a node when a certificate, its own or this node's, ends. The network closes the connection then, but not one that
    /// comes about in the last second of a certificate, as that of who connects anew at once does.
    pub(super) fn part_at(&self, until: SystemTime, from: Address, met: &Arc<Met>) {
        let (network, weak) = (self.weak.clone(), Arc::downgrade(met));
        let parting = self.runtime.spawn(async move {
            come(until + ROUNDED).await;
            if let (Some(network), Some(met)) = (network.upgrade(), weak.upgrade()) {
                let (node, name) = (met.identity.node, &met.identity.name);
                tracing::warn!(%node, name, "parts from a node: its certificate has ended, or that of this node, or their authority");
                // Also when it is about to be met so.
                met.leave();
                network.forget(from, |state| state.is_current(from, &met));
            }
        });
        met.ends_by(parting);
    }

    pub(super) fn parted(&self, parted: Option<Parted>) {
        if let Some(parted) = parted {
            self.presence(&parted.met.identity, Presence::NodeGone);
        }
    }
}
