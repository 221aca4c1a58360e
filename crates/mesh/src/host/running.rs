//! The calls that this node is answering.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::{NodeId, engine::Control};

/// Most calls that a node answers at once, over all callers; the dispatcher's own limits come on top.
pub const MAX_RUNNING_CALLS: usize = 8_192;

/// Most chunks that the callers of one stream can have granted ahead.
pub const MAX_CREDITS: usize = 65_536;

/// The calls that this node is answering, by caller and number.
#[derive(Default)]
pub(crate) struct RunningCalls(Mutex<HashMap<Key, Arc<RunningCall>>>);

type Key = (NodeId, u64);

/// One of them.
pub(crate) struct RunningCall {
    pub(crate) cancellation: CancellationToken,
    /// Chunks that may be sent.
    pub(crate) credits: Semaphore,
}

/// The place of a running call; given back when dropped.
pub(crate) struct Place<'a> {
    calls: &'a RunningCalls,
    key: Key,
    pub(crate) call: Arc<RunningCall>,
}

impl RunningCalls {
    fn lock(&self) -> MutexGuard<'_, HashMap<Key, Arc<RunningCall>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a call as running; `None` when there are too many, or the caller used the number already.
    pub(crate) fn enter(&self, key: Key, cancellation: CancellationToken) -> Option<Arc<RunningCall>> {
        let mut calls = self.lock();
        if calls.len() >= MAX_RUNNING_CALLS || calls.contains_key(&key) {
            return None;
        }
        let call = Arc::new(RunningCall {
            cancellation,
            credits: Semaphore::new(0),
        });
        calls.insert(key, Arc::clone(&call));
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

    pub(crate) fn control(&self, key: Key, control: Control) {
        let call = self.lock().get(&key).cloned();
        match (call, control) {
            (None, _) => {}
            (Some(call), Control::Cancel) => call.cancellation.cancel(),
            (Some(call), Control::Grant(credits)) => call.grant(credits),
        }
    }
}

impl RunningCall {
    /// Adds credits, never past the bound: a caller that grants more than it can use gains nothing.
    pub(crate) fn grant(&self, credits: u32) {
        let room = MAX_CREDITS.saturating_sub(self.credits.available_permits());
        let more = usize::try_from(credits).unwrap_or(usize::MAX).min(room);
        self.credits.add_permits(more);
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.calls.lock().remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enter(calls: &RunningCalls, number: u64) -> Option<Arc<RunningCall>> {
        calls.enter((NodeId::new(1), number), CancellationToken::new())
    }

    #[test]
    fn calls_are_bounded_and_each_number_runs_once() {
        let calls = RunningCalls::default();
        for number in 0..MAX_RUNNING_CALLS - 1 {
            assert!(enter(&calls, u64::try_from(number).unwrap()).is_some());
        }
        assert!(enter(&calls, 0).is_none());
        let last = enter(&calls, u64::MAX).unwrap();
        assert!(enter(&calls, u64::MAX - 1).is_none());
        drop(calls.place((NodeId::new(1), u64::MAX), last));
        assert!(enter(&calls, u64::MAX - 1).is_some());
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
