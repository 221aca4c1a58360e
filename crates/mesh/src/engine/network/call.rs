//! Calls in both directions.

use std::sync::{
    Arc, Weak,
    atomic::{AtomicBool, Ordering},
};

use toolmesh_tool::BoxFuture;

use super::{
    message::Message,
    peer::Met,
    state::{CallKey, Network},
};
use crate::engine::{Control, EngineError, NodeId, Replies, ReplyQueue};

impl Network {
    pub(super) async fn request(
        self: &Arc<Self>,
        to: NodeId,
        call: u64,
        frame: Vec<u8>,
        replies: ReplyQueue,
    ) -> Result<(), EngineError> {
        let met = {
            let mut state = self.state();
            if state.is_closed {
                return Err(EngineError::Closed);
            }
            if to == self.identity.node {
                state.calls.insert((self.me.address(), call), replies);
                None
            } else {
                let address = *state.by_node.get(&to).ok_or(EngineError::Unreachable(to))?;
                let met = state.peers.get(&address).and_then(|peer| peer.met.clone());
                let met = met.ok_or(EngineError::Unreachable(to))?;
                state.calls.insert((address, call), replies);
                Some(met)
            }
        };
        match met {
            Some(met) => met.send(Message::Request { call, frame }).await,
            None => self.requested_by(Caller::Me, call, frame),
        }
        Ok(())
    }

    pub(super) fn control(&self, to: NodeId, call: u64, control: Control) {
        if to == self.identity.node {
            self.over((self.me.address(), call), control);
            if let Some(inbound) = self.inbound.get() {
                inbound.control(to, call, control);
            }
            return;
        }
        let met = {
            let state = self.state();
            let address = state.by_node.get(&to).copied();
            address.and_then(|address| Some((address, state.peers.get(&address)?.met.clone()?)))
        };
        if let Some((address, met)) = met {
            self.over((address, call), control);
            met.push(Message::Control { call, control });
        }
    }

    /// Of a call that its caller gave up nothing is expected any more.
    fn over(&self, key: CallKey, control: Control) {
        if control == Control::Cancel {
            self.ended(key);
        }
    }

    pub(super) fn replied(&self, key: CallKey, frame: Vec<u8>, is_last: bool) {
        let queue = self.state().calls.get(&key).cloned();
        // One that takes no more, because nobody reads or more came than was granted, ends the call here.
        let is_over = queue.is_none_or(|queue| queue.send(frame).is_err());
        if is_last || is_over {
            self.ended(key);
        }
    }

    pub(super) fn ended(&self, key: CallKey) {
        // The queue is dropped after the lock is free.
        let queue = self.state().calls.remove(&key);
        drop(queue);
    }

    pub(super) fn requested(self: &Arc<Self>, met: &Arc<Met>, call: u64, frame: Vec<u8>) {
        self.requested_by(Caller::Other(Arc::clone(met)), call, frame);
    }

    fn requested_by(self: &Arc<Self>, caller: Caller, call: u64, frame: Vec<u8>) {
        let Some(inbound) = self.inbound.get() else {
            return;
        };
        let identity = match &caller {
            Caller::Me => self.identity.clone(),
            Caller::Other(met) => met.identity.clone(),
        };
        let way_back = WayBack {
            network: Arc::downgrade(self),
            caller,
            call,
            has_begun: AtomicBool::new(false),
            has_ended: AtomicBool::new(false),
        };
        inbound.request(identity, call, frame, Box::new(way_back));
    }
}

enum Caller {
    Me,
    Other(Arc<Met>),
}

/// The way back of one call.
struct WayBack {
    network: Weak<Network>,
    caller: Caller,
    call: u64,
    has_begun: AtomicBool,
    has_ended: AtomicBool,
}

impl WayBack {
    /// Sends frames, of which the last is that of the call where `is_last` says so.
    async fn reply(&self, frames: Vec<Vec<u8>>, is_last: bool) -> Result<(), EngineError> {
        let network = self.network.upgrade().ok_or(EngineError::Closed)?;
        match &self.caller {
            Caller::Me => {
                for frame in frames {
                    network.replied((network.me.address(), self.call), frame, is_last);
                }
            }
            Caller::Other(met) if met.is_gone() => {
                return Err(EngineError::Unreachable(met.identity.node));
            }
            Caller::Other(met) => {
                let begins = !self.has_begun.swap(true, Ordering::AcqRel);
                let call = self.call;
                let mut messages = frames
                    .into_iter()
                    .map(|frame| Message::Reply { call, frame, is_last });
                // One that begins or ends a call is what somebody waits for; others go together.
                match messages.len() {
                    1 if is_last || begins => {
                        for message in messages {
                            met.send(message).await;
                        }
                    }
                    _ => met.stream(&mut messages).await,
                }
            }
        }
        // One that is given up while it waits for room has not ended the call.
        if is_last {
            self.has_ended.store(true, Ordering::Release);
        }
        Ok(())
    }
}

impl Replies for WayBack {
    fn send(&self, frame: Vec<u8>) -> BoxFuture<'_, Result<(), EngineError>> {
        Box::pin(self.reply(vec![frame], false))
    }

    fn send_all(&self, frames: Vec<Vec<u8>>) -> BoxFuture<'_, Result<(), EngineError>> {
        Box::pin(self.reply(frames, false))
    }

    fn finish(&self, frame: Vec<u8>) -> BoxFuture<'_, Result<(), EngineError>> {
        Box::pin(self.reply(vec![frame], true))
    }

    fn finish_now(&self, frame: Vec<u8>) {
        let call = self.call;
        match &self.caller {
            Caller::Me => {
                if let Some(network) = self.network.upgrade() {
                    network.replied((network.me.address(), call), frame, true);
                }
            }
            Caller::Other(met) => {
                let is_last = true;
                met.offer(Message::Reply { call, frame, is_last });
            }
        }
        self.has_ended.store(true, Ordering::Release);
    }
}

impl Drop for WayBack {
    fn drop(&mut self) {
        if self.has_ended.load(Ordering::Acquire) {
            return;
        }
        match &self.caller {
            Caller::Me => {
                if let Some(network) = self.network.upgrade() {
                    network.ended((network.me.address(), self.call));
                }
            }
            Caller::Other(met) if met.is_gone() => {}
            Caller::Other(met) => met.push(Message::End { call: self.call }),
        }
    }
}
