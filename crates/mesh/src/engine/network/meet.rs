//! How nodes meet, and part.

use std::sync::Arc;

use super::{
    Address,
    channel::{Channel, End, Salt},
    greeting::Greeting,
    message::Message,
    outbox::Outbox,
    peer::{MAX_NODES, Met, Peer},
    state::{Network, State},
};
use crate::engine::{Identity, Presence, ReplyQueue};

/// What has to be told when two nodes part: who left. Dropping it ends the calls to it.
struct Parted {
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

    fn part(&mut self, from: Address) -> Option<Parted> {
        let peer = self.peers.get_mut(&from)?;
        peer.has_told = false;
        let met = peer.met.take()?;
        met.leave();
        if self.by_node.get(&met.identity.node) == Some(&from) {
            self.by_node.remove(&met.identity.node);
        }
        let calls = self.calls.extract_if(|(host, _), _| *host == from);
        let calls = calls.map(|(_, replies)| replies).collect();
        Some(Parted { met, _calls: calls })
    }
}

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
            self.greet(node, &peer.outbox, peer.salt, None);
        }
    }

    /// The network says that a node is gone.
    pub(super) fn lost(&self, node: Address) {
        let mut told = self.told();
        let parted = {
            let mut state = self.state();
            let parted = state.part(node);
            state.peers.remove(&node);
            parted
        };
        told.remove(&node);
        self.parted(parted);
        self.moved();
    }

    fn parted(&self, parted: Option<Parted>) {
        if let Some(parted) = parted {
            self.presence(&parted.met.identity, Presence::NodeGone);
        }
    }

    /// The entry of a node; made when it is not known. `None` for this node itself, and when there is no place.
    fn peer<'a>(&self, state: &'a mut State, node: Address) -> Option<&'a mut Peer> {
        if node == self.me.address() || state.is_closed {
            return None;
        }
        if !state.peers.contains_key(&node) {
            if state.peers.len() >= MAX_NODES {
                tracing::warn!(%node, "there are more nodes than one node keeps; one is not seen");
                return None;
            }
            let outbox = Outbox::new(node, Arc::clone(&self.carrier), self.runtime.clone());
            state.peers.insert(node, Peer::new(Arc::new(outbox), new_salt()?));
        }
        state.peers.get_mut(&node)
    }

    fn greet(&self, to: Address, outbox: &Arc<Outbox>, salt: Salt, answers: Option<Salt>) {
        let greeting = Greeting {
            name: self.identity.name.clone(),
            public_key: self.me.public_key,
            proof: self.me.proof(),
            salt,
            answers,
        };
        match greeting.seal(&self.me.secret, self.me.address(), to) {
            Some(sealed) => outbox.greet(sealed),
            None => tracing::error!("a greeting cannot be sealed"),
        }
    }

    /// Somebody greeted. Who is greeted with a number that it does not know has been forgotten by the other since they met,
    /// or never met it: they meet anew.
    pub(super) fn greeted(&self, from: Address, sealed: &[u8]) {
        let Some(greeting) = Greeting::open(&self.me.secret, from, self.me.address(), sealed) else {
            tracing::warn!(%from, "refused a greeting that is not of this mesh, or not of its sender");
            return;
        };
        let identity = match self.me.believe(from, &greeting) {
            Ok(identity) => identity,
            Err(why) => {
                tracing::warn!(%from, %why, "refused a node");
                return;
            }
        };
        let mut told = self.told();
        let mut state = self.state();
        let Some(peer) = self.peer(&mut state, from) else {
            return;
        };
        if greeting.answers.is_some_and(|answered| answered != peer.salt) {
            return;
        }
        let asks = greeting.answers.is_none();
        let outbox = Arc::clone(&peer.outbox);
        if let Some(met) = &peer.met {
            if met.salt == greeting.salt {
                if asks {
                    self.greet(from, &outbox, peer.salt, Some(greeting.salt));
                }
                return;
            }
            if asks {
                let Some(salt) = new_salt() else {
                    return;
                };
                peer.salt = salt;
            }
        }
        let (salt, is_seen) = (peer.salt, peer.is_seen);
        let parted = state.part(from);
        let Some(met) = self.acquaint(from, identity, &greeting, salt, &outbox) else {
            drop(state);
            self.parted(parted);
            return;
        };
        let replaced = state.enter(from, Arc::clone(&met));
        let rows = state.rows.clone();
        drop(state);
        self.parted(parted);
        if replaced.is_some() {
            tracing::info!(node = %met.identity.node, "a node is there again, under another address");
        }
        self.parted(replaced);
        if asks {
            self.greet(from, &outbox, salt, Some(greeting.salt));
        }
        let told_to_it = told.entry(from).or_default();
        told_to_it.clear();
        for (key, row) in &rows {
            met.tell(key, row, told_to_it);
        }
        met.push(Message::Told);
        tracing::debug!(node = %met.identity.node, name = %met.identity.name, "met a node");
        if !is_seen {
            self.look_for(from);
        }
    }

    fn acquaint(
        &self,
        from: Address,
        identity: Identity,
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
            .inspect_err(|_| tracing::warn!(%from, "refused a greeting with an unusable key"))
            .ok()?;
        Some(Arc::new(Met::new(identity, channel, outbox, greeting.salt)))
    }

    /// What was sent was lost on the way: the two meet anew.
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
            self.greet(from, &peer.outbox, salt, None);
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
            tracing::warn!(%from, "refused a text that the node it seems to come from did not seal");
            self.greet(from, &peer.outbox, peer.salt, None);
        }
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
            } else if !network.is_seen(node) {
                network.lost(node);
            }
        });
    }

    fn is_seen(&self, node: Address) -> bool {
        self.state().peers.get(&node).is_some_and(|peer| peer.is_seen)
    }
}

impl State {
    /// Notes a node as met. One with the same number at another address is what was there before.
    fn enter(&mut self, from: Address, met: Arc<Met>) -> Option<Parted> {
        let before = self.by_node.insert(met.identity.node, from);
        let replaced = before.filter(|before| *before != from).and_then(|before| {
            let parted = self.part(before);
            self.peers.remove(&before);
            parted
        });
        if let Some(peer) = self.peers.get_mut(&from) {
            peer.met = Some(met);
        }
        replaced
    }
}

fn new_salt() -> Option<Salt> {
    let mut salt = Salt::default();
    let filled = getrandom::fill(&mut salt);
    filled
        .inspect_err(|error| tracing::error!(%error, "the system gives no random bytes"))
        .ok()?;
    Some(salt)
}
