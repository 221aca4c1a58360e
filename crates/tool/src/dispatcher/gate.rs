//! Step 6: a bounded number of calls runs, a bounded number waits, and each has a deadline.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::CallError;

/// How many calls run and wait at once, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallLimits {
    /// Calls that run at once; 32 by default, at least 1.
    pub running: usize,
    /// Calls that wait for a slot; 128 by default.
    pub queued: usize,
    /// Longest time from the entry into the queue to the end; 60 seconds by default. A request may ask for less.
    pub deadline: Duration,
}

impl Default for CallLimits {
    fn default() -> Self {
        Self {
            running: 32,
            queued: 128,
            deadline: Duration::from_secs(60),
        }
    }
}

/// How much is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Calls that run.
    pub running: usize,
    /// Calls that wait for a slot.
    pub queued: usize,
}

pub(super) struct Gate {
    limits: CallLimits,
    slots: Arc<Semaphore>,
    waiting: AtomicUsize,
}

/// A slot, and until when it may be used.
pub(super) struct Pass {
    pub(super) deadline: Instant,
    _slot: OwnedSemaphorePermit,
}

impl Gate {
    pub(super) fn new(limits: CallLimits) -> Self {
        let slots = Arc::new(Semaphore::new(limits.running.clamp(1, Semaphore::MAX_PERMITS)));
        Self {
            limits,
            slots,
            waiting: AtomicUsize::new(0),
        }
    }

    pub(super) fn load(&self) -> Load {
        let slots = self.limits.running.clamp(1, Semaphore::MAX_PERMITS);
        Load {
            running: slots.saturating_sub(self.slots.available_permits()),
            queued: self.waiting.load(Ordering::Acquire),
        }
    }

    /// Waits for a slot within the deadline.
    pub(super) async fn enter(
        &self,
        timeout: Option<Duration>,
        cancellation: &CancellationToken,
    ) -> Result<Pass, CallError> {
        let timeout = timeout.map_or(self.limits.deadline, |asked| asked.min(self.limits.deadline));
        if timeout.is_zero() {
            return Err(CallError::DeadlineExceeded { running: false });
        }
        let deadline = Instant::now() + timeout;
        if let Ok(slot) = Arc::clone(&self.slots).try_acquire_owned() {
            return Ok(Pass {
                deadline,
                _slot: slot,
            });
        }
        let _place = self.queue()?;
        let slot = tokio::select! {
            biased;
            () = cancellation.cancelled() => return Err(CallError::Cancelled),
            slot = tokio::time::timeout_at(deadline.into(), Arc::clone(&self.slots).acquire_owned()) => slot,
        };
        match slot {
            Err(_) => Err(CallError::DeadlineExceeded { running: false }),
            Ok(Err(_)) => Err(CallError::Internal("the gate is closed".to_owned())),
            Ok(Ok(slot)) => Ok(Pass {
                deadline,
                _slot: slot,
            }),
        }
    }

    fn queue(&self) -> Result<Place<'_>, CallError> {
        let free = |waiting| (waiting < self.limits.queued).then_some(waiting + 1);
        match self
            .waiting
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, free)
        {
            Ok(_) => Ok(Place(&self.waiting)),
            Err(_) => Err(CallError::QueueFull),
        }
    }
}

/// A place in the queue, given back when dropped.
struct Place<'a>(&'a AtomicUsize);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: CallLimits = CallLimits {
        running: 2,
        queued: 1,
        deadline: Duration::from_secs(60),
    };

    #[tokio::test]
    async fn one_more_than_running_and_queued_is_refused() {
        let gate = Gate::new(LIMITS);
        let token = CancellationToken::new();
        let (_a, _b) = (
            gate.enter(None, &token).await.unwrap(),
            gate.enter(None, &token).await.unwrap(),
        );
        let mut waiting = std::pin::pin!(gate.enter(None, &token));
        assert!(futures_util::poll!(&mut waiting).is_pending());
        assert!(matches!(
            gate.enter(None, &token).await,
            Err(CallError::QueueFull)
        ));
        assert_eq!(
            gate.load(),
            Load {
                running: 2,
                queued: 1
            }
        );
        drop(_a);
        assert!(waiting.await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn waiting_ends_at_the_deadline_or_when_the_caller_gives_up() {
        let gate = Gate::new(LIMITS);
        let token = CancellationToken::new();
        let _held = (
            gate.enter(None, &token).await.unwrap(),
            gate.enter(None, &token).await.unwrap(),
        );
        let late = gate.enter(Some(Duration::from_millis(5)), &token).await;
        assert!(matches!(
            late,
            Err(CallError::DeadlineExceeded { running: false })
        ));
        token.cancel();
        assert!(matches!(
            gate.enter(None, &token).await,
            Err(CallError::Cancelled)
        ));
    }
}
