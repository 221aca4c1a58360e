//! How nodes that have met meet anew: because one has forgotten the other, or because something was lost between them.

use std::sync::Arc;

use super::{
    Address,
    greeting::{Greeting, Word},
    meet::{Believed, new_salt},
    peer::{Anew, Met, Peer},
    state::Network,
};

impl Network {
    /// A node that is met asks to be met, with a number that is new: it has forgotten this one, or somebody plays an old
    /// greeting again. It is answered, and met anew when it sends something that only who has the answer can send.
    pub(super) fn asked_anew(&self, peer: &mut Peer, from: Address, believed: Believed, greeting: &Greeting) {
        let known = peer.anew.as_ref().filter(|anew| anew.met.salt == greeting.salt);
        let salt = match known {
            Some(_) if peer.has_just_answered(greeting.salt) => return,
            Some(anew) => anew.salt,
            None => {
                let Some(salt) = new_salt() else {
                    return;
                };
                let Some(met) = self.acquaint(from, believed, greeting, salt, &peer.outbox) else {
                    return;
                };
                peer.anew = Some(Anew { salt, met });
                salt
            }
        };
        self.answer(from, peer, salt, greeting.salt);
    }

    /// A node that asked to be met anew has shown that it was the node itself. Whether it is met so now: not when its certificate
    /// has ended since it asked, and not when another program is met as the node meanwhile.
    pub(super) fn met_anew(&self, from: Address, met: &Arc<Met>) -> bool {
        let mut told = self.told();
        let mut state = self.state();
        if state.is_current(from, met) {
            return true;
        }
        let holder = state.by_node.get(&met.identity.node);
        let is_free = holder.is_none_or(|holder| *holder == from);
        let peer = state.peers.get_mut(&from);
        let anew = peer.and_then(|peer| peer.anew.take_if(|anew| Arc::ptr_eq(&anew.met, met)));
        let Some(anew) = anew.filter(|_| is_free && !met.is_gone()) else {
            return false;
        };
        let parted = state.part(from);
        if let Some(peer) = state.peers.get_mut(&from) {
            peer.salt = anew.salt;
        }
        drop(state);
        self.parted(parted);
        self.enter(&mut told, self.state(), from, met);
        true
    }

    /// What was sent was lost on the way, or the other has forgotten this node: the two meet anew.
    pub(super) fn meet_anew(&self, from: Address, lost: &Arc<Met>) {
        let mut told = self.told();
        let parted = {
            let mut state = self.state();
            let is_current = state.is_current(from, lost);
            let (Some(peer), Some(salt)) = (state.peers.get_mut(&from).filter(|_| is_current), new_salt())
            else {
                return;
            };
            peer.salt = salt;
            self.greet(from, &peer.outbox, salt, Word::Asks);
            state.part(from)
        };
        tracing::warn!(node = %lost.identity.node, "something that a node sent was lost; meeting it anew");
        told.remove(&from);
        self.parted(parted);
    }

    /// A text cannot be opened. If the other has forgotten this node, or met it anew, it says so when it is asked; if somebody
    /// else made the text, nothing changes.
    pub(super) fn ask_again(&self, from: Address) {
        let mut state = self.state();
        if let Some(peer) = state.peers.get_mut(&from)
            && peer.may_ask()
        {
            self.refused(from, "a text that the node it seems to come from did not seal");
            self.greet(from, &peer.outbox, peer.salt, Word::Asks);
        }
    }
}
