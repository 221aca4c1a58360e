//! How nodes meet.

use std::{
    sync::{Arc, MutexGuard},
    time::SystemTime,
};

use super::{
    Address,
    channel::{Channel, End, Salt},
    greeting::{Greeting, Word},
    message::Message,
    outbox::Outbox,
    peer::{Met, Peer},
    state::{Network, State, Told},
};
use crate::engine::Identity;

/// Who a node is, and until when that holds.
pub(super) type Believed = (Identity, Option<SystemTime>);

impl Network {
    /// The network says that a node is there.
    pub(super) fn seen(&self, node: Address) {
        let mut state = self.state();
        let known = state.peers.contains_key(&node);
        let Some(peer) = self.peer(&mut state, node) else {
            return;
        };
        peer.is_seen = true;
        if !known {
            self.greet(node, &peer.outbox, peer.salt, Word::Asks);
        }
    }

    /// The entry of a node; made when it is not known. `None` for this node itself, and when there is no place.
    pub(super) fn peer<'a>(&self, state: &'a mut State, node: Address) -> Option<&'a mut Peer> {
        if node == self.me.address() || state.is_closed {
            return None;
        }
        if !state.peers.contains_key(&node) {
            if !state.has_place() {
                self.refused(node, "a node, because there are more than one node keeps");
                return None;
            }
            let outbox = Outbox::new(node, Arc::clone(&self.carrier), self.runtime.clone());
            state.peers.insert(node, Peer::new(Arc::new(outbox), new_salt()?));
        }
        state.peers.get_mut(&node)
    }

    pub(super) fn greet(&self, to: Address, outbox: &Arc<Outbox>, salt: Salt, word: Word) {
        let greeting = Greeting {
            name: self.identity.name.clone(),
            public_key: self.me.public_key,
            proof: self.me.proof(),
            salt,
            word,
        };
        match greeting.seal(&self.me.secret, self.me.address(), to) {
            Some(sealed) => outbox.greet(sealed),
            None => tracing::error!("a greeting cannot be sealed"),
        }
    }

    /// Answers a node's question of this number.
    pub(super) fn answer(&self, to: Address, peer: &mut Peer, salt: Salt, asked: Salt) {
        peer.answers(asked);
        self.greet(to, &peer.outbox, salt, Word::Answers(asked));
    }

    /// Somebody greeted. Who is greeted with a number that it does not know has been forgotten by the other since they met,
    /// or never met it: they meet anew.
    pub(super) fn greeted(&self, from: Address, sealed: &[u8]) {
        let Some(greeting) = Greeting::open(&self.me.secret, from, self.me.address(), sealed) else {
            return self.refused(from, "a greeting that is not of this mesh, or not of its sender");
        };
        let (identity, until) = match self.me.believe(from, &greeting) {
            Ok(believed) => believed,
            Err(why) => return self.refused(from, format_args!("a node: {why}")),
        };
        if identity.node == self.identity.node {
            return self.greeted_by_twin(from, &greeting);
        }
        let mut told = self.told();
        let mut state = self.state();
        let holder = state.by_node.get(&identity.node).copied();
        let Some(peer) = self.peer(&mut state, from) else {
            return;
        };
        if greeting.word.answers_another(peer.salt) {
            return;
        }
        if let Word::Taken(_) = greeting.word {
            let parted = state.not_met_by(from, &identity, &self.identity);
            drop(state);
            told.remove(&from);
            self.parted(parted);
            return self.moved();
        }
        if holder.is_some_and(|holder| holder != from) {
            return self.refuse_twin(peer, from, &identity, &greeting);
        }
        let asks = greeting.word == Word::Asks;
        match &peer.met {
            None => {}
            Some(met) if met.salt == greeting.salt => {
                if asks && !peer.has_just_answered(greeting.salt) {
                    let salt = peer.salt;
                    self.answer(from, peer, salt, greeting.salt);
                }
                return;
            }
            Some(_) if asks => return self.asked_anew(peer, from, (identity, until), &greeting),
            Some(met) => {
                let met = Arc::clone(met);
                drop((state, told));
                return self.meet_anew(from, &met);
            }
        }
        let (salt, outbox) = (peer.salt, Arc::clone(&peer.outbox));
        let Some(met) = self.acquaint(from, (identity, until), &greeting, salt, &outbox) else {
            return;
        };
        if asks {
            self.answer(from, peer, salt, greeting.salt);
        }
        self.enter(&mut told, state, from, &met);
    }

    /// Notes a node as met, and tells it what this one announces.
    pub(super) fn enter(
        &self,
        told: &mut Told,
        mut state: MutexGuard<'_, State>,
        from: Address,
        met: &Arc<Met>,
    ) {
        let Some(peer) = state.peers.get_mut(&from) else {
            return;
        };
        peer.met = Some(Arc::clone(met));
        (peer.waits_for, peer.is_twin_told) = (None, false);
        let is_seen = peer.is_seen;
        state.by_node.insert(met.identity.node, from);
        let rows = state.rows.clone();
        drop(state);
        let told_to_it = told.entry(from).or_default();
        told_to_it.clear();
        for (key, row) in &rows {
            met.tell(key, row, told_to_it);
        }
        met.push(Message::Told);
        tracing::debug!(node = %met.identity.node, name = met.identity.name, "met a node");
        if !is_seen {
            self.look_for(from);
        }
    }

    pub(super) fn acquaint(
        &self,
        from: Address,
        (identity, until): Believed,
        greeting: &Greeting,
        salt: Salt,
        outbox: &Arc<Outbox>,
    ) -> Option<Arc<Met>> {
        let me = End {
            address: self.me.address(),
            salt: &salt,
        };
        let them = End {
            address: from,
            salt: &greeting.salt,
        };
        let channel = Channel::new(&self.me.secret, &self.me.key, &greeting.public_key, &me, &them);
        let channel = channel
            .inspect_err(|_| self.refused(from, "a greeting with a key that cannot be used"))
            .ok()?;
        let met = Arc::new(Met::new(identity, channel, outbox, greeting.salt));
        if let Some(until) = until {
            self.part_at(until, from, &met);
        }
        Some(met)
    }

    /// A node greeted that the network has not shown yet. It will; or it has died meanwhile, and then it must not stay.
    fn look_for(&self, node: Address) {
        let carrier = Arc::clone(&self.carrier);
        let network = self.weak.clone();
        self.runtime.spawn(async move {
            let there = carrier.census().await;
            let Some(network) = network.upgrade() else {
                return;
            };
            if there.contains(&node) {
                network.seen(node);
            } else {
                network.not_there(node);
            }
        });
    }
}

pub(super) fn new_salt() -> Option<Salt> {
    let mut salt = Salt::default();
    let filled = getrandom::fill(&mut salt);
    filled
        .inspect_err(|error| tracing::error!(%error, "the system gives no random bytes"))
        .ok()?;
    Some(salt)
}
