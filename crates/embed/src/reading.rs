//! A stream of which an item can be waited for without being taken.

use std::collections::VecDeque;

use futures_util::{FutureExt, Stream, StreamExt};
use tokio::{runtime::EnterGuard, sync::Mutex};

use crate::runtime;

/// What is read of a stream, by several who take turns.
pub(crate) struct Reading<S: Stream>(Mutex<Ahead<S>>);

struct Ahead<S: Stream> {
    /// `None` behind the last item.
    stream: Option<S>,
    /// What came and nobody has taken.
    kept: VecDeque<S::Item>,
}

impl<S: Stream + Unpin> Reading<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self(Mutex::new(Ahead {
            stream: Some(stream),
            kept: VecDeque::new(),
        }))
    }

    /// The next item; `None` after the last.
    pub(crate) async fn next(&self) -> Option<S::Item> {
        self.0.lock().await.next().await
    }

    /// Ends when there is an item, or no more will come. Whoever stops waiting loses nothing.
    pub(crate) async fn ready(&self) {
        let mut ahead = self.0.lock().await;
        if ahead.kept.is_empty() {
            let item = ahead.read().await;
            ahead.kept.extend(item);
        }
    }

    /// The next item, or `None` after the last; nothing at all when none is there yet, or another reader waits for it.
    pub(crate) fn take(&self) -> Option<Option<S::Item>> {
        let mut ahead = self.0.try_lock().ok()?;
        let _here = on_the_runtime();
        ahead.next().now_or_never()
    }

    /// Has the stream go on, for one that does its work while it is read. What comes is kept; a reader who waits is woken by
    /// the stream itself.
    pub(crate) fn nudge(&self) {
        let _here = on_the_runtime();
        if let Ok(mut ahead) = self.0.try_lock()
            && let Some(item) = ahead.read().now_or_never()
        {
            ahead.kept.extend(item);
        }
    }
}

/// A stream may start timers and calls of its own while it is read, which need the runtime also on a thread of the program that reads
/// it there and then.
fn on_the_runtime() -> Option<EnterGuard<'static>> {
    // Without a runtime there is no node, and nothing to read.
    runtime().ok().map(|runtime| runtime.enter())
}

impl<S: Stream> std::fmt::Debug for Reading<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // What a stream brings is its reader's.
        f.debug_struct("Reading").finish_non_exhaustive()
    }
}

impl<S: Stream + Unpin> Ahead<S> {
    async fn next(&mut self) -> Option<S::Item> {
        match self.kept.pop_front() {
            Some(kept) => Some(kept),
            None => self.read().await,
        }
    }

    async fn read(&mut self) -> Option<S::Item> {
        let item = self.stream.as_mut()?.next().await;
        if item.is_none() {
            self.stream = None;
        }
        item
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::{FutureExt, stream};

    use super::Reading;

    #[tokio::test]
    async fn what_came_to_a_reader_that_waits_no_more_is_the_next_readers() {
        let reading = Reading::new(stream::iter([1, 2, 3]));
        reading.ready().await;
        reading.ready().await;
        assert_eq!(reading.take(), Some(Some(1)));
        reading.nudge();
        reading.nudge();
        assert_eq!((reading.next().await, reading.take()), (Some(2), Some(Some(3))));
        reading.ready().await;
        assert_eq!(
            reading.take(),
            Some(None),
            "the end is told as often as somebody asks"
        );
        assert_eq!(reading.take(), Some(None));
    }

    #[test]
    fn a_stream_finds_the_runtime_on_whatever_thread_it_is_read() {
        let sleeps = || stream::once(Box::pin(async { tokio::time::sleep(Duration::ZERO).await }));
        let (taken, nudged) = (Reading::new(sleeps()), Reading::new(sleeps()));
        while taken.take().is_none() {
            std::thread::yield_now();
        }
        nudged.nudge();
    }

    #[tokio::test]
    async fn nothing_is_taken_where_nothing_is_or_another_reader_waits() {
        let reading = Reading::new(stream::pending::<u8>());
        assert_eq!(reading.take(), None);
        let waits = reading.ready();
        tokio::pin!(waits);
        assert!(waits.as_mut().now_or_never().is_none());
        assert_eq!(reading.take(), None);
        reading.nudge();
    }
}
