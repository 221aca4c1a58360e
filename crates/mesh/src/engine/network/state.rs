//! What the parts of a node on a network share.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak},
    time::Instant,
};

use tokio::{runtime::Handle, sync::watch};

use super::{
    Address, Arrivals, Carrier, Me,
    channel::{NotOpened, SEALED},
    message::Message,
    outbox::GREETING,
    peer::{Met, Peer},
};
use crate::{
    Seldom,
    engine::{Audience, Identity, Inbound, NodeId, Presence, ReplyQueue, RowKey},
};

/// A node on a network.
pub(super) struct Network {
    pub(super) weak: Weak<Self>,
    pub(super) me: Me,
    pub(super) identity: Identity,
    pub(super) carrier: Arc<dyn Carrier>,
    pub(super) runtime: Handle,
    pub(super) inbound: OnceLock<Arc<dyn Inbound>>,
    /// Held while this node or another is told of changes, so that all of them come in one order: a row of a node is never
    /// told after the node is gone. What each node was told stands under it.
    pub(super) told: Mutex<Told>,
    state: Mutex<State>,
    /// Counts whatever nodes that join wait for.
    pub(super) progress: watch::Sender<u64>,
    /// How often what strangers send is logged.
    refusals: Seldom,
}

/// The rows that each node was told of.
pub(super) type Told = HashMap<Address, HashSet<RowKey>>;

#[derive(Default)]
pub(super) struct State {
    pub(super) peers: HashMap<Address, Peer>,
    pub(super) by_node: HashMap<NodeId, Address>,
    pub(super) rows: BTreeMap<RowKey, Row>,
    /// Calls under way: the replies of each. Taking it out ends them.
    pub(super) calls: HashMap<CallKey, ReplyQueue>,
    pub(super) is_closed: bool,
    /// This node has seen who is there, and stays.
    pub(super) has_joined: bool,
    /// Another program with this node's certificate was there before.
    pub(super) steps_back: bool,
}

/// The host of a call, and the number that this node gave it.
pub(super) type CallKey = (Address, u64);

#[derive(Clone)]
pub(super) struct Row {
    pub(super) bytes: Arc<[u8]>,
    pub(super) audience: Audience,
}

impl State {
    /// Whether this is how the node was met last.
    pub(super) fn is_current(&self, node: Address, met: &Arc<Met>) -> bool {
        let current = self.peers.get(&node).and_then(|peer| peer.met.as_ref());
        current.is_some_and(|current| Arc::ptr_eq(current, met))
    }
}

impl Network {
    pub(super) fn new(me: Me, identity: Identity, carrier: Arc<dyn Carrier>, runtime: Handle) -> Arc<Self> {
        Arc::new_cyclic(|weak| Self {
            weak: Weak::clone(weak),
            me,
            identity,
            carrier,
            runtime,
            inbound: OnceLock::new(),
            told: Mutex::default(),
            state: Mutex::default(),
            progress: watch::Sender::new(0),
            refusals: Seldom::new(),
        })
    }

    /// Logs that something of a stranger, or of a node that does not keep to the form, was refused.
    pub(super) fn refused(&self, from: Address, why: impl fmt::Display) {
        if let Some(left_out) = self.refusals.may_write(Instant::now()) {
            let left_out = (left_out > 0).then_some(left_out);
            tracing::warn!(%from, left_out, "refused {why}");
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells this node of a change.
    pub(super) fn presence(&self, of: &Identity, change: Presence) {
        if let Some(inbound) = self.inbound.get() {
            inbound.presence(of, change);
        }
    }

    pub(super) fn moved(&self) {
        self.progress.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Waits until everybody who is there now has told what it announces.
    pub(super) async fn settled(&self) {
        let mut progress = self.progress.subscribe();
        let there = self.carrier.census().await;
        for address in &there {
            self.seen(*address);
        }
        // Who is not known any more has left meanwhile.
        let has_told = |state: &State, address| state.peers.get(address).is_none_or(|peer| peer.has_told);
        let is_settled = |state: &State| there.iter().all(|address| has_told(state, address));
        while !is_settled(&self.state()) {
            if progress.changed().await.is_err() {
                return;
            }
        }
    }

    /// Whether the network shows another node, met or not.
    pub(super) fn sees_any(&self) -> bool {
        self.state().peers.values().any(|peer| peer.is_seen)
    }

    /// Whether no other node was met.
    pub(super) fn is_alone(&self) -> bool {
        self.state().peers.values().all(|peer| peer.met.is_none())
    }

    /// Leaves: calls in both directions end.
    pub(super) fn close(&self) {
        let (peers, calls) = {
            let mut state = self.state();
            state.is_closed = true;
            state.by_node.clear();
            (std::mem::take(&mut state.peers), std::mem::take(&mut state.calls))
        };
        for met in peers.values().filter_map(|peer| peer.met.as_ref()) {
            met.leave();
        }
        drop((peers, calls));
        self.carrier.close();
    }

    fn text(self: &Arc<Self>, from: Address, mut text: Vec<u8>) {
        let (met, anew) = {
            let state = self.state();
            let peer = state.peers.get(&from);
            let anew = peer.and_then(|peer| Some(Arc::clone(&peer.anew.as_ref()?.met)));
            (peer.and_then(|peer| peer.met.clone()), anew)
        };
        if let Some(anew) = anew
            && let Ok(plain) = anew.channel.open(&mut text.clone())
        {
            if self.met_anew(from, &anew) {
                self.messages(from, &anew, plain);
            }
            return;
        }
        // Of a node that was not met yet, or no more: it will greet.
        let Some(met) = met else {
            return;
        };
        match met.channel.open(&mut text) {
            Err(NotOpened::Again) => tracing::debug!(%from, "a text came a second time"),
            Err(NotOpened::Gap) => self.meet_anew(from, &met),
            Err(NotOpened::Forged) => self.ask_again(from),
            Ok(plain) => self.messages(from, &met, plain),
        }
    }

    fn messages(self: &Arc<Self>, from: Address, met: &Arc<Met>, plain: &[u8]) {
        match Message::decode_all(plain) {
            Err(_) => self.refused(from, "what a node sent, which is not understood"),
            Ok(messages) => {
                for message in messages {
                    self.message(from, met, message);
                }
            }
        }
    }

    fn message(self: &Arc<Self>, from: Address, met: &Arc<Met>, message: Message) {
        match message {
            Message::Request { call, frame } => self.requested(met, call, frame),
            Message::Reply { call, frame, is_last } => self.replied((from, call), frame, is_last),
            Message::End { call } => self.ended((from, call)),
            Message::Control { call, control } => {
                if let Some(inbound) = self.inbound.get() {
                    inbound.control(met.identity.node, call, control);
                }
            }
            Message::Put { key, row } => self.heard(from, met, Presence::Put(key, row)),
            Message::Gone { key } => self.heard(from, met, Presence::Gone(key)),
            Message::Told => {
                let mut state = self.state();
                if state.is_current(from, met)
                    && let Some(peer) = state.peers.get_mut(&from)
                {
                    peer.has_told = true;
                }
                drop(state);
                self.moved();
            }
        }
    }
}

/// Where the carrier delivers, as long as the node is there.
pub(super) struct Door(pub(super) Weak<Network>);

impl Arrivals for Door {
    fn alive(&self, node: Address) {
        if let Some(network) = self.0.upgrade() {
            network.seen(node);
        }
    }

    fn gone(&self, node: Address) {
        if let Some(network) = self.0.upgrade() {
            network.lost(node);
        }
    }

    fn arrived(&self, from: Address, text: Vec<u8>) {
        let Some(network) = self.0.upgrade() else {
            return;
        };
        match text.first() {
            Some(&SEALED) => network.text(from, text),
            Some(&GREETING) => network.greeted(from, text.get(1..).unwrap_or_default()),
            _ => tracing::debug!(%from, "something came that is no text of a mesh"),
        }
    }
}
