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

/// Most bytes of requests that it answers for one node at once: fifteen of the largest. What a request says is kept as long as
/// its call runs.
pub const MAX_RUNNING_BYTES_PER_NODE: usize = 256 << 20;

/// Most credits that the caller of one stream can have granted ahead.
pub const MAX_CREDITS: usize = 65_536;

/// The calls that this node is answering, by caller and number.
#[derive(Default)]
pub(crate) struct RunningCalls(Mutex<State>);

#[derive(Default)]
struct State {
    calls: HashMap<Key, Arc<RunningCall>>,
    /// What those of each caller take.
    of_node: HashMap<NodeId, Taken>,
}

/// What the calls of one caller take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Taken {
    calls: usize,
    /// Of their requests.
    bytes: usize,
}

impl Taken {
    /// The same with a call more; `None` when that is too much.
    fn with_call(self, bytes: usize) -> Option<Self> {
        let taken = Self {
            calls: self.calls.checked_add(1)?,
            bytes: self.bytes.checked_add(bytes)?,
        };
        let is_within =
            taken.calls <= MAX_RUNNING_CALLS_PER_NODE && taken.bytes <= MAX_RUNNING_BYTES_PER_NODE;
        is_within.then_some(taken)
    }

    fn without_call(self, bytes: usize) -> Self {
        Self {
            calls: self.calls.saturating_sub(1),
            bytes: self.bytes.saturating_sub(bytes),
        }
    }
}

type Key = (NodeId, u64);

/// One of them.
pub(crate) struct RunningCall {
    pub(crate) cancellation: CancellationToken,
    /// How long its request is.
    bytes: usize,
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

    /// Notes a call with a request of so many bytes as running; `None` when that is too much, or the caller used the number
    /// already.
    pub(crate) fn enter(
        &self,
        key: Key,
        bytes: usize,
        cancellation: CancellationToken,
    ) -> Option<Arc<RunningCall>> {
        let mut state = self.lock();
        let taken = state.of_node.get(&key.0).copied().unwrap_or_default();
        let taken = taken.with_call(bytes)?;
        if state.calls.len() >= MAX_RUNNING_CALLS || state.calls.contains_key(&key) {
            return None;
        }
        let call = Arc::new(RunningCall {
            cancellation,
            bytes,
            window: OnceLock::new(),
            credits: Semaphore::new(0),
        });
        state.calls.insert(key, Arc::clone(&call));
        state.of_node.insert(key.0, taken);
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
        let taken = state.of_node.get(&caller).copied().unwrap_or_default();
        let left = taken.without_call(self.call.bytes);
        if left.calls > 0 {
            state.of_node.insert(caller, left);
        } else {
            state.of_node.remove(&caller);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enter_as(calls: &RunningCalls, node: u64, number: u64) -> Option<Arc<RunningCall>> {
        enter_with(calls, (node, number), 0)
    }

    fn enter_with(
        calls: &RunningCalls,
        (node, number): (u64, u64),
        bytes: usize,
    ) -> Option<Arc<RunningCall>> {
        calls.enter((NodeId::new(node), number), bytes, CancellationToken::new())
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
    fn the_bytes_of_one_nodes_requests_are_bounded_and_given_back() {
        let calls = RunningCalls::default();
        assert!(enter_with(&calls, (1, 0), MAX_RUNNING_BYTES_PER_NODE + 1).is_none());
        let most = enter_with(&calls, (1, 1), MAX_RUNNING_BYTES_PER_NODE - 1).unwrap();
        let last = enter_with(&calls, (1, 2), 1).unwrap();
        assert!(enter_with(&calls, (1, 3), 1).is_none());
        assert!(enter_with(&calls, (1, 4), usize::MAX).is_none());
        assert!(enter_with(&calls, (2, 1), 1).is_some());
        drop(calls.place((NodeId::new(1), 1), most));
        assert!(enter_with(&calls, (1, 3), MAX_RUNNING_BYTES_PER_NODE - 1).is_some());
        assert!(enter_with(&calls, (1, 5), 1).is_none());
        drop(calls.place((NodeId::new(1), 2), last));
        assert!(enter_with(&calls, (1, 5), 1).is_some());
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
