//! The clock of one connection for hyper, which wants a timer before every head and drops it when the head is there.
//!
//! To set one timer of the runtime for each request and to take it back costs more than reading a usual head. Here all
//! sleeps of a connection share one timer that is set. Later heads only have later deadlines: the timer stays where it
//! is, and when it goes off too early it is set anew, once in a whole deadline in place of once a request.

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::{Duration, Instant},
};

use hyper::rt::{Sleep, Timer};

/// The clock of one connection; clones are one clock.
#[derive(Debug, Clone, Default)]
pub(super) struct Alarm {
    /// The timer that is set, if any.
    set: Arc<Mutex<Option<Pin<Box<tokio::time::Sleep>>>>>,
}

/// Something that is over at its deadline.
#[derive(Debug)]
struct Until {
    deadline: tokio::time::Instant,
    alarm: Alarm,
}

impl Timer for Alarm {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(Until {
            deadline: deadline.into(),
            alarm: self.clone(),
        })
    }

    fn now(&self) -> Instant {
        tokio::time::Instant::now().into()
    }
}

impl Sleep for Until {}

impl Future for Until {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut set = self.alarm.set.lock().unwrap_or_else(PoisonError::into_inner);
        let timer = set.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(self.deadline)));
        if timer.deadline() > self.deadline {
            timer.as_mut().reset(self.deadline);
        }
        while timer.as_mut().poll(context).is_ready() {
            if timer.deadline() >= self.deadline {
                return Poll::Ready(());
            }
            timer.as_mut().reset(self.deadline);
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    const STEP: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_sleep_is_over_at_its_own_deadline_whatever_was_slept_before() {
        let alarm = Alarm::default();
        let mut first = alarm.sleep(2 * STEP);
        assert!(first.as_mut().now_or_never().is_none());
        drop(first);
        tokio::time::advance(STEP).await;
        let mut later = alarm.sleep(2 * STEP);
        assert!(later.as_mut().now_or_never().is_none());
        // The timer of the first one goes off now.
        tokio::time::advance(STEP).await;
        assert!(later.as_mut().now_or_never().is_none());
        let begun = tokio::time::Instant::now();
        later.await;
        assert_eq!(begun.elapsed().as_secs(), STEP.as_secs());
    }

    #[tokio::test(start_paused = true)]
    async fn an_earlier_deadline_is_not_slept_over() {
        let alarm = Alarm::default();
        assert!(alarm.sleep(10 * STEP).as_mut().now_or_never().is_none());
        let begun = tokio::time::Instant::now();
        alarm.sleep(STEP).await;
        assert_eq!(begun.elapsed().as_secs(), STEP.as_secs());
        alarm.sleep(STEP).await;
        assert_eq!(begun.elapsed().as_secs(), 2 * STEP.as_secs());
    }
}
