//! How nodes part.

use std::sync::Arc;

use super::{
    Address,
    peer::{MAX_NODES, Met},
    state::{Network, State},
};
use crate::engine::{Presence, ReplyQueue};

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
        let mut told = self.told();
        let parted = {
            let mut state = self.state();
            let parted = state.part(node);
            state.peers.remove(&node);
            self.ask_who_waited(&state);
            parted
        };
        told.remove(&node);
        self.parted(parted);
        self.moved();
    }

    pub(super) fn parted(&self, parted: Option<Parted>) {
        if let Some(parted) = parted {
            self.presence(&parted.met.identity, Presence::NodeGone);
        }
    }
}
