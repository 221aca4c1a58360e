//! Comments on a stream that is silent, so that nothing on the way takes it for dead.

use std::{
    future::Future as _,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::{Instant, Sleep, sleep};

use super::half_closed::Sending;

/// How long a stream is silent at most: 15 s, half of what usual proxies wait.
pub(super) const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// A comment: an event that every client ignores.
pub(super) const COMMENT: &[u8] = b":\n\n";

/// How long after the first comment to a client that sends no more the second one is due, and so the longest time in which
/// a client that is gone is noticed: 200 ms. The system learns by the first that nobody listens, and refuses the second.
/// Each further pause is twice as long, up to [`KEEP_ALIVE`].
const FIRST_LOOK: Duration = Duration::from_millis(200);

/// Says when a comment is due: when the stream was silent for long, and, once the client sends no more, soon, to see
/// whether anybody listens.
#[derive(Debug)]
pub(super) struct KeepAlive {
    sleep: Pin<Box<Sleep>>,
    pause: Duration,
    /// The client's half, until it is closed.
    sending: Option<Sending>,
}

impl KeepAlive {
    pub(super) fn new() -> Self {
        Self {
            sleep: Box::pin(sleep(KEEP_ALIVE)),
            pause: KEEP_ALIVE,
            sending: None,
        }
    }

    /// Looks whether anybody listens once the client sends no more.
    pub(super) fn watch(&mut self, sending: Sending) {
        self.sending = Some(sending);
    }

    /// Takes note that something was sent.
    pub(super) fn reset(&mut self) {
        self.sleep.as_mut().reset(Instant::now() + self.pause);
    }

    /// Ready when a comment is due; the next one is then due later.
    pub(super) fn poll_due(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if let Some(sending) = &self.sending
            && sending.poll_over(context).is_ready()
        {
            self.sending = None;
            self.pause = FIRST_LOOK;
            self.reset();
            return Poll::Ready(());
        }
        let due = self.sleep.as_mut().poll(context);
        if due.is_ready() {
            self.pause = KEEP_ALIVE.min(self.pause * 2);
            self.reset();
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use futures_util::FutureExt as _;

    use super::{super::half_closed::HalfClosed, *};

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
    async fn a_client_that_sends_no_more_is_looked_for_at_once_soon_and_then_seldom() {
        let (near, far) = tokio::io::duplex(8);
        let (_connection, sending) = HalfClosed::new(far);
        let mut keep_alive = KeepAlive::new();
        keep_alive.watch(sending);
        let mut due = async || {
            let due = poll_fn(|context| keep_alive.poll_due(context)).now_or_never();
            due.is_some()
        };
        assert!(!due().await);
        drop(near);
        assert!(due().await && !due().await);
        let mut pause = FIRST_LOOK;
        for _ in 0..10 {
            tokio::time::advance(pause - Duration::from_millis(2)).await;
            assert!(!due().await, "{pause:?}");
            tokio::time::advance(Duration::from_millis(3)).await;
            assert!(due().await, "{pause:?}");
            pause = KEEP_ALIVE.min(pause * 2);
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
