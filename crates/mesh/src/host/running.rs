//! The calls that this node is answering.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

use super::way::Ended;
use crate::{NodeId, engine::Control, wire::cost};

/// Most calls that a node answers at once, over all callers; the dispatcher's own limits come on top.
pub const MAX_RUNNING_CALLS: usize = 8_192;

/// Most of them for one node: it can neither take every place of the host, nor every slot of its dispatcher.
pub const MAX_RUNNING_CALLS_PER_NODE: usize = 1_024;

/// Most credits that the caller of one stream can have granted ahead.
pub const MAX_CREDITS: usize = 65_536;

/// The calls that this node is answering, by caller and number.
#[derive(Default)]
pub(crate) struct RunningCalls(Mutex<State>);

#[derive(Default)]
struct State {
    calls: HashMap<Key, Arc<RunningCall>>,
    /// How many there are of each caller.
    of_node: HashMap<NodeId, usize>,
}

type Key = (NodeId, u64);

/// One of them.
pub(crate) struct RunningCall {
    pub(crate) cancellation: CancellationToken,
    /// How many credits its caller gave at first.
    window: OnceLock<u32>,
    /// Those that are left.
    credits: Semaphore,
}

/// The place of a running call; given back when dropped.
pub(crate) struct Place<'a> {
    calls: &'a RunningCalls,
    key: Key,
    pub(crate) call: Arc<RunningCall>,
}

impl RunningCalls {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a call as running; `None` when there are too many, or the caller used the number already.
    pub(crate) fn enter(&self, key: Key, cancellation: CancellationToken) -> Option<Arc<RunningCall>> {
        let mut state = self.lock();
        let of_node = state.of_node.get(&key.0).copied().unwrap_or_default();
        let is_full = state.calls.len() >= MAX_RUNNING_CALLS || of_node >= MAX_RUNNING_CALLS_PER_NODE;
        if is_full || state.calls.contains_key(&key) {
            return None;
        }
        let call = Arc::new(RunningCall {
            cancellation,
            window: OnceLock::new(),
            credits: Semaphore::new(0),
        });
        state.calls.insert(key, Arc::clone(&call));
        state.of_node.insert(key.0, of_node + 1);
        Some(call)
    }

    /// The place of a call that [`RunningCalls::enter`] noted.
    pub(crate) fn place(&self, key: Key, call: Arc<RunningCall>) -> Place<'_> {
        Place {
            calls: self,
            key,
            call,
        }
    }

    /// Cancels every call of a node that is gone.
    pub(crate) fn cancel_all_of(&self, caller: NodeId) {
        let state = self.lock();
        for (_, call) in state.calls.iter().filter(|((from, _), _)| *from == caller) {
            call.cancellation.cancel();
        }
    }

    pub(crate) fn control(&self, key: Key, control: Control) {
        let call = self.lock().calls.get(&key).cloned();
        match (call, control) {
            (None, _) => {}
            (Some(call), Control::Cancel) => call.cancellation.cancel(),
            (Some(call), Control::Grant(credits)) => call.grant(credits),
        }
    }
}

impl RunningCall {
    /// Begins with so many credits.
    pub(super) fn open(&self, window: u32) {
        if self.window.set(window).is_ok() {
            self.grant(window);
        }
    }

    /// Waits until the caller's credits pay for a frame of so many bytes.
    pub(super) async fn pay(&self, bytes: usize) -> Result<(), Ended> {
        let cost = self.cost(bytes);
        tokio::select! {
            biased;
            () = self.cancellation.cancelled() => Err(Ended::Caller),
            paid = self.credits.acquire_many(cost) => {
                paid.map_err(|_| Ended::Caller)?.forget();
                Ok(())
            }
        }
    }

    /// As [`RunningCall::pay`]; `false` when it would wait.
    pub(super) fn try_pay(&self, bytes: usize) -> Result<bool, Ended> {
        if self.cancellation.is_cancelled() {
            return Err(Ended::Caller);
        }
        let paid = self.credits.try_acquire_many(self.cost(bytes));
        Ok(paid.map(SemaphorePermit::forget).is_ok())
    }

    fn cost(&self, bytes: usize) -> u32 {
        cost(bytes, self.window.get().copied().unwrap_or_default())
    }

    /// Adds credits, never past the bound: a caller that grants more than it can use gains nothing.
    fn grant(&self, credits: u32) {
        let room = MAX_CREDITS.saturating_sub(self.credits.available_permits());
        let more = usize::try_from(credits).unwrap_or(usize::MAX).min(room);
        self.credits.add_permits(more);
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut state = self.calls.lock();
        state.calls.remove(&self.key);
        let (caller, _) = self.key;
        match state.of_node.get_mut(&caller) {
            Some(calls) if *calls > 1 => *calls -= 1,
            _ => drop(state.of_node.remove(&caller)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enter_as(calls: &RunningCalls, node: u64, number: u64) -> Option<Arc<RunningCall>> {
        calls.enter((NodeId::new(node), number), CancellationToken::new())
    }

    fn enter(calls: &RunningCalls, number: u64) -> Option<Arc<RunningCall>> {
        enter_as(calls, 1, number)
    }

    #[test]
    fn the_calls_of_one_node_are_bounded_and_each_number_runs_once() {
        let calls = RunningCalls::default();
        let most = u64::try_from(MAX_RUNNING_CALLS_PER_NODE).unwrap();
        for number in 1..most {
            assert!(enter(&calls, number).is_some());
        }
        assert!(enter(&calls, 1).is_none());
        let last = enter(&calls, most).unwrap();
        assert!(enter(&calls, 0).is_none());
        drop(calls.place((NodeId::new(1), most), last));
        assert!(enter(&calls, 0).is_some());
    }

    #[test]
    fn the_calls_of_all_nodes_are_bounded() {
        let calls = RunningCalls::default();
        for place in 0..u64::try_from(MAX_RUNNING_CALLS).unwrap() {
            assert!(enter_as(&calls, place / 1_000, place).is_some());
        }
        assert!(enter_as(&calls, 9, 0).is_none());
    }

    #[test]
    fn credits_are_bounded() {
        let calls = RunningCalls::default();
        let call = enter(&calls, 1).unwrap();
        let key = (NodeId::new(1), 1);
        calls.control(key, Control::Grant(u32::try_from(MAX_CREDITS).unwrap() - 1));
        calls.control(key, Control::Grant(2));
        calls.control(key, Control::Grant(u32::MAX));
        assert_eq!(call.credits.available_permits(), MAX_CREDITS);
        calls.control(key, Control::Cancel);
        assert!(call.cancellation.is_cancelled());
    }
}
