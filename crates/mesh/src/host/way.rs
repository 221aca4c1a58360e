//! The way back to a caller: every frame against a credit.

use super::running::RunningCall;
use crate::{
    engine::Replies,
    wire::{Headers, ReplyFrame, Split, Status},
};

/// Why nothing more is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// The caller is gone, or gave up.
    Caller,
    /// What was to be sent is too large.
    TooLarge,
}

/// The way back of one call.
#[derive(Clone, Copy)]
pub(super) struct Way<'a> {
    pub(super) running: &'a RunningCall,
    pub(super) replies: &'a dyn Replies,
}

impl Way<'_> {
    /// Sends a reply that others follow, in as many frames as it takes.
    pub(super) async fn send(&self, reply: ReplyFrame) -> Result<(), Ended> {
        for frame in Split::new(reply).map_err(|_| Ended::TooLarge)? {
            let frame = frame.map_err(|_| Ended::TooLarge)?;
            self.running.pay(frame.len()).await?;
            self.replies.send(frame).await.map_err(|_| Ended::Caller)?;
        }
        Ok(())
    }

    /// Sends the last reply of a call.
    pub(super) async fn finish(&self, reply: ReplyFrame) -> Result<(), Ended> {
        let mut frames = Split::new(reply).map_err(|_| Ended::TooLarge)?.peekable();
        while let Some(frame) = frames.next() {
            let frame = frame.map_err(|_| Ended::TooLarge)?;
            self.running.pay(frame.len()).await?;
            let sent = match frames.peek() {
                Some(_) => self.replies.send(frame).await,
                None => self.replies.finish(frame).await,
            };
            sent.map_err(|_| Ended::Caller)?;
        }
        Ok(())
    }

    /// Sends the one answer of a call. One that is too large becomes one that says so.
    pub(super) async fn answer(&self, reply: ReplyFrame) {
        if self.finish(reply).await == Err(Ended::TooLarge) {
            let too_large = refusal(Status::Internal, "The result is too large for one answer.");
            // A caller that is gone needs no answer.
            let _ = self.finish(too_large).await;
        }
    }
}

/// A refusal: a status and a fixed text.
pub(super) fn refusal(status: Status, text: &str) -> ReplyFrame {
    ReplyFrame {
        status,
        headers: Headers::new(),
        body: text.as_bytes().to_vec(),
    }
}

/// Sends a refusal where no credit was given yet.
pub(super) async fn send_refusal(replies: &dyn Replies, status: Status, text: &str) {
    // Without headers and with a short text there is nothing that could be too large.
    if let Ok(frame) = refusal(status, text).encode() {
        // A caller that is gone needs no answer.
        let _ = replies.finish(frame).await;
    }
}

/// As [`send_refusal`], where nothing has to be waited for.
pub(super) fn offer_refusal(replies: &dyn Replies, status: Status, text: &str) {
    if let Ok(frame) = refusal(status, text).encode() {
        replies.finish_now(frame);
    }
}
