//! Comments on a stream that is silent, so that nothing on the way takes it for dead.

use std::{
    future::Future as _,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::{Instant, Sleep, sleep};

/// How long a stream is silent at most: 15 s, half of what usual proxies wait.
pub(super) const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// A comment: an event that every client ignores.
pub(super) const COMMENT: &[u8] = b":\n\n";

/// Says when a comment is due.
#[derive(Debug)]
pub(super) struct KeepAlive(Pin<Box<Sleep>>);

impl KeepAlive {
    pub(super) fn new() -> Self {
        Self(Box::pin(sleep(KEEP_ALIVE)))
    }

    /// Takes note that something was sent.
    pub(super) fn reset(&mut self) {
        self.0.as_mut().reset(Instant::now() + KEEP_ALIVE);
    }

    /// Ready when a comment is due; the next one is then due later.
    pub(super) fn poll_due(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let due = self.0.as_mut().poll(context);
        if due.is_ready() {
            self.reset();
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_comment_is_due_after_the_silence_and_not_before() {
        let mut keep_alive = KeepAlive::new();
        for _ in 0..2 {
            for (passed, is_due) in [
                (KEEP_ALIVE - Duration::from_millis(2), false),
                (Duration::from_millis(3), true),
            ] {
                tokio::time::advance(passed).await;
                let due = poll_fn(|context| keep_alive.poll_due(context)).now_or_never();
                assert_eq!(due.is_some(), is_due);
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_sent_puts_the_comment_off() {
        let mut keep_alive = KeepAlive::new();
        tokio::time::advance(KEEP_ALIVE - Duration::from_millis(2)).await;
        keep_alive.reset();
        tokio::time::advance(KEEP_ALIVE - Duration::from_millis(2)).await;
        assert!(
            poll_fn(|context| keep_alive.poll_due(context))
                .now_or_never()
                .is_none()
        );
    }
}
