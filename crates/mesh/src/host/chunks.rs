//! The events of a call on their way back: those that are there at once go together.

use std::{future::poll_fn, task::Poll};

use futures_util::StreamExt;
use toolmesh_tool::{CallItem, CallStream, ToolEvent};

use super::{
    reply::told,
    way::{Ended, Way},
};
use crate::wire::{Headers, ReplyFrame, STREAMING, Split};

/// How many bytes of frames go together: with what a network adds they are one text of it.
const TOGETHER_BYTES: usize = 32 * 1024;

/// The code of the event that ends a stream in place of one that is too large to send.
const TOO_LARGE: &str = "event_too_large";

/// What a stream has to send. Nothing is held back while the stream waits for anything.
pub(super) struct Chunks<'a> {
    way: Way<'a>,
    together: Vec<Vec<u8>>,
    bytes: usize,
}

impl<'a> Chunks<'a> {
    pub(super) fn new(way: Way<'a>) -> Self {
        Self {
            way,
            together: Vec::new(),
            bytes: 0,
        }
    }

    /// The next item of the call.
    pub(super) async fn next(&mut self, items: &mut CallStream) -> Result<Option<CallItem>, Ended> {
        match poll_fn(|context| Poll::Ready(items.poll_next_unpin(context))).await {
            Poll::Ready(item) => Ok(item),
            Poll::Pending => {
                self.flush().await?;
                Ok(items.next().await)
            }
        }
    }

    /// Sends an event that others follow, now or together with the next ones.
    pub(super) async fn send(&mut self, event: &ToolEvent) -> Result<(), Ended> {
        for frame in Split::new(chunk(event, "continue")).map_err(|_| Ended::TooLarge)? {
            let frame = frame.map_err(|_| Ended::TooLarge)?;
            if !self.way.running.try_pay(frame.len())? {
                self.flush().await?;
                self.way.running.pay(frame.len()).await?;
            }
            self.bytes = self.bytes.saturating_add(frame.len());
            self.together.push(frame);
            if self.bytes >= TOGETHER_BYTES {
                self.flush().await?;
            }
        }
        Ok(())
    }

    /// Sends the last event. One that is too large becomes one that says so.
    pub(super) async fn finish(&mut self, event: &ToolEvent) -> Result<(), Ended> {
        self.flush().await?;
        let sent = self.way.finish(chunk(event, "end")).await;
        if sent == Err(Ended::TooLarge) {
            return self.way.finish(chunk(&too_large(), "end")).await;
        }
        sent
    }

    /// Ends a stream of which no more can be sent.
    pub(super) async fn end_early(&mut self, why: Ended) {
        if why == Ended::TooLarge {
            // A caller that is gone needs no end.
            let _ = self.finish(&too_large()).await;
        }
    }

    async fn flush(&mut self) -> Result<(), Ended> {
        if self.together.is_empty() {
            return Ok(());
        }
        self.bytes = 0;
        let frames = std::mem::take(&mut self.together);
        let sent = self.way.replies.send_all(frames).await;
        sent.map_err(|_| Ended::Caller)
    }
}

fn chunk(event: &ToolEvent, place: &str) -> ReplyFrame {
    let mut headers = Headers::new();
    // A fixed name and a short value always fit.
    let _ = headers.add(STREAMING, place);
    ReplyFrame {
        headers,
        ..told(event.to_value().to_text())
    }
}

fn too_large() -> ToolEvent {
    ToolEvent::Error {
        code: TOO_LARGE.to_owned(),
        message: "An event of the tool is too large to send.".to_owned(),
        details: None,
    }
}
