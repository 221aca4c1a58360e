//! One call at a time: whose turn it is, and whether the one whose turn it is was given up.

use std::sync::Arc;

use tokio::sync::{Mutex, OwnedMutexGuard, watch};

/// The turns of one context.
#[derive(Debug)]
pub(crate) struct Turns {
    lock: Arc<Mutex<()>>,
    /// Whether a call runs that was given up: nobody knows when it ends.
    stuck: watch::Sender<bool>,
}

impl Default for Turns {
    fn default() -> Self {
        Self {
            lock: Arc::default(),
            stuck: watch::Sender::new(false),
        }
    }
}

/// A turn; it ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    turns: Arc<Turns>,
    _guard: OwnedMutexGuard<()>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.turns.stuck.send_replace(false);
    }
}

impl Turns {
    /// Waits until it is one's turn; `None` when that may never be, because a call that was given up runs.
    pub(crate) async fn take(self: &Arc<Self>) -> Option<Turn> {
        let mut stuck = self.stuck.subscribe();
        tokio::select! {
            biased;
            _ = stuck.wait_for(|stuck| *stuck) => None,
            guard = Arc::clone(&self.lock).lock_owned() => Some(Turn {
                turns: Arc::clone(self),
                _guard: guard,
            }),
        }
    }

    /// The call whose turn it is was given up. `is_over` is asked afterwards, because the call may end meanwhile.
    pub(crate) fn give_up(&self, is_over: impl FnOnce() -> bool) {
        self.stuck.send_replace(true);
        if is_over() {
            self.stuck.send_replace(false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_next_turn_begins_when_the_last_one_ends() {
        let turns = Arc::new(Turns::default());
        let first = turns.take().await.unwrap();
        let mut second = std::pin::pin!(turns.take());
        assert!(futures_util::poll!(second.as_mut()).is_pending());
        drop(first);
        assert!(second.await.is_some());
    }

    #[tokio::test]
    async fn nobody_waits_for_a_call_that_was_given_up_until_it_ends_after_all() {
        let turns = Arc::new(Turns::default());
        let first = turns.take().await.unwrap();
        let mut waiting = std::pin::pin!(turns.take());
        assert!(futures_util::poll!(waiting.as_mut()).is_pending());
        turns.give_up(|| false);
        assert!(waiting.await.is_none());
        assert!(turns.take().await.is_none());
        drop(first);
        assert!(turns.take().await.is_some());
    }

    #[tokio::test]
    async fn a_call_that_ended_while_it_was_given_up_stops_nobody() {
        let turns = Arc::new(Turns::default());
        drop(turns.take().await);
        turns.give_up(|| true);
        assert!(turns.take().await.is_some());
    }
}
