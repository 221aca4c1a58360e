//! Where an engine puts the replies of a call.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
};

use tokio::sync::mpsc;

use super::EngineError;
use crate::wire::{MAX_HEADER_NAME_BYTES, MAX_HEADER_VALUE_BYTES, MAX_HEADERS, PART_BYTES, cost};

/// Credits beyond those that it was granted which a host may take: a refusal in place of what was to come, and a terminal event that says why
/// there is no more.
const SLACK: u64 = 2;

/// Largest frame of a reply: a body, and every header at its longest.
pub const MAX_REPLY_FRAME_BYTES: usize =
    PART_BYTES + MAX_HEADERS * (MAX_HEADER_NAME_BYTES + MAX_HEADER_VALUE_BYTES + 3) + 16;

/// Where an engine puts the replies of one call; dropping it, and every clone, ends them. It never waits, and it takes no more
/// than the caller granted: a host that does not keep to its credits fills nobody's memory, and loses the call.
#[derive(Debug, Clone)]
pub struct ReplyQueue {
    frames: mpsc::UnboundedSender<Vec<u8>>,
    window: u32,
    taken: Arc<AtomicU64>,
    granted: Arc<AtomicU64>,
}

/// The caller's end of a [`ReplyQueue`].
#[derive(Debug)]
pub struct ReplyReader {
    frames: mpsc::UnboundedReceiver<Vec<u8>>,
    window: u32,
    granted: Arc<AtomicU64>,
}

impl ReplyQueue {
    /// A queue for a call whose host has so many credits before it is granted more. A frame takes one for each
    /// [`CREDIT_BYTES`](crate::CREDIT_BYTES) that it begins, and at most half of the window.
    #[must_use]
    pub fn new(window: u32) -> (Self, ReplyReader) {
        let (sender, frames) = mpsc::unbounded_channel();
        let granted = Arc::new(AtomicU64::new(u64::from(window) + SLACK));
        let queue = Self {
            frames: sender,
            window,
            taken: Arc::default(),
            granted: Arc::clone(&granted),
        };
        let reader = ReplyReader {
            frames,
            window,
            granted,
        };
        (queue, reader)
    }

    /// Takes one frame.
    ///
    /// # Errors
    /// [`EngineError::Excess`] when the host sent more than it was granted, or too much at once: the engine drops the queue
    /// then, which ends the call. [`EngineError::Ended`] when the caller wants no more.
    pub fn send(&self, frame: Vec<u8>) -> Result<(), EngineError> {
        let cost = u64::from(cost(frame.len(), self.window));
        let taken = self.taken.fetch_add(cost, Ordering::Relaxed).saturating_add(cost);
        if taken > self.granted.load(Ordering::Acquire) || frame.len() > MAX_REPLY_FRAME_BYTES {
            return Err(EngineError::Excess);
        }
        self.frames.send(frame).map_err(|_| EngineError::Ended)
    }
}

impl ReplyReader {
    /// The next frame; `None` when there are no more.
    pub async fn recv(&mut self) -> Option<Vec<u8>> {
        self.frames.recv().await
    }

    /// As [`ReplyReader::recv`], for a stream.
    pub(crate) fn poll_recv(&mut self, context: &mut Context<'_>) -> Poll<Option<Vec<u8>>> {
        self.frames.poll_recv(context)
    }

    /// How many frames have come and are not read.
    pub(crate) fn waiting(&self) -> usize {
        self.frames.len()
    }

    /// How many credits a frame took, to be granted again once it is read.
    pub(crate) fn cost(&self, frame: &[u8]) -> u32 {
        cost(frame.len(), self.window)
    }

    /// Gives the host more credits; to be told here before the host is told.
    pub fn grant(&self, credits: u32) {
        self.granted.fetch_add(u64::from(credits), Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_sends_what_it_was_granted_and_not_a_frame_more() {
        let (queue, mut reader) = ReplyQueue::new(3);
        for _ in 0..5 {
            assert_eq!(queue.send(vec![0]), Ok(()));
        }
        assert_eq!(queue.send(vec![0]), Err(EngineError::Excess));
        reader.grant(2);
        assert_eq!(queue.send(vec![0]), Ok(()));
        assert_eq!(queue.send(vec![0]), Err(EngineError::Excess));
        assert_eq!(std::iter::from_fn(|| reader.frames.try_recv().ok()).count(), 6);
    }

    #[test]
    fn a_frame_has_a_bound_and_nobody_is_no_reader() {
        let (queue, reader) = ReplyQueue::new(3);
        assert_eq!(queue.send(vec![0; MAX_REPLY_FRAME_BYTES]), Ok(()));
        let too_large = vec![0; MAX_REPLY_FRAME_BYTES + 1];
        assert_eq!(queue.send(too_large), Err(EngineError::Excess));
        drop(reader);
        assert_eq!(queue.send(vec![0]), Err(EngineError::Ended));
    }
}
