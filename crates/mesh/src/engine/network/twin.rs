//! Programs that have one certificate, and so would be one node. The first is that node; a second is told so at once: by the
//! first itself where the two see each other, else by whoever has met the first.

use super::{
    Address,
    greeting::{Greeting, Word},
    meet::new_salt,
    part::Parted,
    peer::Peer,
    state::{Network, State},
};
use crate::engine::{EngineError, Identity, NodeId};

impl Network {
    /// A node with this node's own certificate greeted. One that is only joining steps back when it is told to; where two are
    /// joining, the one with the lower address tells.
    pub(super) fn greeted_by_twin(&self, from: Address, greeting: &Greeting) {
        let mut state = self.state();
        let stays = state.has_joined || self.me.address() < from;
        let Some(peer) = self.peer(&mut state, from) else {
            return;
        };
        if greeting.word.answers_another(peer.salt) {
            return;
        }
        // Only the answer to this node's own greeting tells whether it may stay.
        peer.has_told |= greeting.word.answered().is_some();
        if !std::mem::replace(&mut peer.is_twin_told, true) {
            tracing::warn!(
                name = self.identity.name, address = %from,
                "another program is in the mesh, or tried to join, with the certificate of this node; each needs one of its own"
            );
        }
        match greeting.word {
            Word::Taken(_) => state.steps_back |= !state.has_joined,
            Word::Asks | Word::Answers(_) if stays => {
                self.greet(from, &peer.outbox, peer.salt, Word::Taken(greeting.salt));
            }
            Word::Asks => self.greet(from, &peer.outbox, peer.salt, Word::Answers(greeting.salt)),
            Word::Answers(_) => {}
        }
        drop(state);
        self.moved();
    }

    /// A node greeted with the certificate of one that is met: it is told, and waits until that one is gone.
    pub(super) fn refuse_twin(
        &self,
        peer: &mut Peer,
        from: Address,
        identity: &Identity,
        greeting: &Greeting,
    ) {
        peer.waits_for = Some(identity.node);
        peer.has_told = true;
        if !std::mem::replace(&mut peer.is_twin_told, true) {
            tracing::warn!(
                name = identity.name, address = %from,
                "a second program has the certificate of a node that is there; it is not met until the first is gone"
            );
        }
        self.greet(from, &peer.outbox, peer.salt, Word::Taken(greeting.salt));
        self.moved();
    }

    /// Nodes are gone: who has the certificate of one of them and was refused is met now.
    pub(super) fn ask_who_waited(&self, state: &State) {
        let is_gone = |node: NodeId| !state.by_node.contains_key(&node);
        let waiting = state.peers.iter();
        for (address, peer) in waiting.filter(|(_, peer)| peer.waits_for.is_some_and(is_gone)) {
            self.greet(*address, &peer.outbox, peer.salt, Word::Asks);
        }
    }

    /// Whether this node may stay.
    pub(super) fn may_stay(&self) -> Result<(), EngineError> {
        let mut state = self.state();
        if state.steps_back {
            return Err(EngineError::Twin(self.identity.name.clone()));
        }
        state.has_joined = true;
        Ok(())
    }
}

impl State {
    /// A node does not meet this one, because it has met another program with the same certificate.
    pub(super) fn not_met_by(&mut self, from: Address, by: &Identity, me: &Identity) -> Option<Parted> {
        let parted = self.part(from);
        let peer = self.peers.get_mut(&from)?;
        // What was sealed with the old number may not be sealed again.
        peer.salt = new_salt()?;
        peer.has_told = true;
        if !std::mem::replace(&mut peer.is_twin_told, true) {
            tracing::warn!(
                node = %by.node, by = by.name, name = me.name,
                "a node does not meet this one, because it has met another program with the same certificate; each needs one of \
                 its own"
            );
        }
        parted
    }
}
