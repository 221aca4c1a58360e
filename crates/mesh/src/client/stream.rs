//! The events of a call, as its caller reads them.

use std::{
    marker::PhantomData,
    pin::Pin,
    task::{Context, Poll},
};

use futures_core::Stream;
use futures_util::FutureExt;
use tokio::time::{Instant, Sleep};
use tokio_util::sync::WaitForCancellationFutureOwned;
use toolmesh_json::{Limits, View};
use toolmesh_tool::{CallError, ToolEvent};

use super::attempt::{Sent, failure, lost};
use crate::{
    CallOptions, MISSING_TERMINAL, MISSING_TERMINAL_MESSAGE, RpcError, ToolListChange,
    engine::Control,
    wire::{Parts, ReplyFrame, STREAMING, Status, half},
};

/// What a stream is made of.
pub trait RpcItem: Sized + Send + Unpin + 'static {
    /// Reads one.
    ///
    /// # Errors
    /// Why it is none.
    fn from_view(value: View<'_>) -> Result<Self, String>;

    /// Whether the stream ends here.
    fn is_last(&self) -> bool;

    /// The last item in place of one that did not come.
    ///
    /// # Errors
    /// [`RpcError`] where no item can say so.
    fn failure(code: &str, message: &str) -> Result<Self, RpcError>;
}

impl RpcItem for ToolEvent {
    fn from_view(value: View<'_>) -> Result<Self, String> {
        Self::from_value(value).map_err(|error| error.to_string())
    }

    fn is_last(&self) -> bool {
        self.is_terminal()
    }

    fn failure(code: &str, message: &str) -> Result<Self, RpcError> {
        Ok(Self::Error {
            code: code.to_owned(),
            message: message.to_owned(),
            details: None,
        })
    }
}

impl RpcItem for ToolListChange {
    fn from_view(value: View<'_>) -> Result<Self, String> {
        Self::from_value(value).map_err(|error| error.to_string())
    }

    /// A list changes until nobody looks any more.
    fn is_last(&self) -> bool {
        false
    }

    fn failure(code: &str, message: &str) -> Result<Self, RpcError> {
        match code {
            "cancelled" => Err(RpcError::Cancelled),
            _ => Err(RpcError::Transport(format!("the watch ended: {message}"))),
        }
    }
}

/// The events of a call. Either the first item is the host's refusal (`Err`, and nothing follows), or there are events, the
/// last of which is terminal: where the host's stream ends without one, one is put in its place, of the code
/// [`MISSING_TERMINAL`] where the host ended it so, and `host_lost` where the host was lost ([`RpcError::HostLost`]).
///
/// The host sends only so far ahead as this is read (see [`CallOptions::with_stream_window`]), and a reader that is slow
/// slows only its own call. Dropping the stream cancels the call.
pub struct RpcStreamTyped<T> {
    sent: Sent,
    parts: Parts,
    service: String,
    began: Instant,
    deadline: Pin<Box<Sleep>>,
    /// How many frames are still read once the deadline has passed: those that had come when that was seen.
    still_read: Option<usize>,
    cancelled: Pin<Box<WaitForCancellationFutureOwned>>,
    /// What the frames took that were read since the host was granted more.
    read: u32,
    /// After how much it is granted more.
    batch: u32,
    state: State,
    items: PhantomData<fn() -> T>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing has come.
    Fresh,
    /// Something has.
    Running,
    /// The last chunk was no terminal event.
    Unfinished,
    Over,
}

impl<T: RpcItem> RpcStreamTyped<T> {
    /// The stream of a call that ends at this moment at the latest.
    pub(super) fn new(sent: Sent, service: &str, ends: Instant, options: &CallOptions) -> Self {
        Self {
            sent,
            parts: Parts::default(),
            service: service.to_owned(),
            began: Instant::now(),
            deadline: Box::pin(tokio::time::sleep_until(ends)),
            still_read: None,
            cancelled: Box::pin(options.cancellation.clone().cancelled_owned()),
            read: 0,
            batch: half(options.stream_window()),
            state: State::Fresh,
            items: PhantomData,
        }
    }

    /// The node that runs the call.
    #[must_use]
    pub fn host(&self) -> crate::NodeId {
        self.sent.guard.host
    }

    fn end(&mut self, code: &str, message: &str) -> Poll<Option<Result<T, RpcError>>> {
        self.state = State::Over;
        if !self.sent.guard.ended {
            self.sent.guard.ended = true;
            self.sent
                .guard
                .engine
                .control(self.sent.guard.host, self.sent.guard.call, Control::Cancel);
        }
        Poll::Ready(Some(T::failure(code, message)))
    }

    /// Whether the deadline has passed, and what came in time is read. It goes by the clock: a host that always has more to say
    /// would never let the timer be asked.
    fn is_too_late(&mut self) -> bool {
        if self.still_read.is_none() && Instant::now() >= self.deadline.deadline() {
            self.still_read = Some(self.sent.replies.waiting());
        }
        self.still_read == Some(0)
    }

    fn too_late(&mut self) -> Poll<Option<Result<T, RpcError>>> {
        let error = CallError::DeadlineExceeded { running: true };
        self.end(error.code(), &error.public_text())
    }

    fn missing(&mut self) -> Poll<Option<Result<T, RpcError>>> {
        self.sent.guard.ended = true;
        self.end(MISSING_TERMINAL, MISSING_TERMINAL_MESSAGE)
    }

    fn lost(&mut self) -> Poll<Option<Result<T, RpcError>>> {
        self.sent.guard.ended = true;
        let error = lost(self.host(), self.state == State::Running);
        self.end(error.kind(), &error.to_string())
    }

    /// Takes a frame; `Pending` when it was a part that others follow.
    fn frame(&mut self, bytes: &[u8]) -> Poll<Option<Result<T, RpcError>>> {
        self.still_read = self.still_read.map(|frames| frames.saturating_sub(1));
        self.read = self.read.saturating_add(self.sent.replies.cost(bytes));
        match self.parts.take(bytes) {
            Ok(Some(chunk)) => self.chunk(chunk),
            Ok(None) => {
                self.grant();
                Poll::Pending
            }
            Err(error) => self.end("codec_decode", &error.to_string()),
        }
    }

    fn chunk(&mut self, reply: ReplyFrame) -> Poll<Option<Result<T, RpcError>>> {
        if reply.status != Status::Ok {
            self.sent.guard.ended = true;
            let is_refusal = self.state == State::Fresh;
            self.state = State::Over;
            let error = failure(reply, self.sent.guard.host, &self.service, self.began);
            return Poll::Ready(Some(if is_refusal {
                Err(error)
            } else {
                T::failure(error.kind(), &error.to_string())
            }));
        }
        match item::<T>(&reply.body) {
            Err(message) => self.end("codec_decode", &message),
            Ok(item) => {
                let is_end = reply.headers.get(STREAMING) == Some("end");
                self.state = match (item.is_last(), is_end) {
                    (true, _) => State::Over,
                    (false, true) => State::Unfinished,
                    (false, false) => State::Running,
                };
                self.sent.guard.ended = is_end || item.is_last();
                self.grant();
                Poll::Ready(Some(Ok(item)))
            }
        }
    }

    fn grant(&mut self) {
        if self.read >= self.batch && !self.sent.guard.ended {
            self.sent.grant(std::mem::take(&mut self.read));
        }
    }
}

fn item<T: RpcItem>(body: &[u8]) -> Result<T, String> {
    let value = toolmesh_json::parse_with(body, &Limits::answer()).map_err(|error| error.to_string())?;
    T::from_view(value.view())
}

impl<T: RpcItem> Stream for RpcStreamTyped<T> {
    type Item = Result<T, RpcError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        match this.state {
            State::Over => return Poll::Ready(None),
            State::Unfinished => return this.missing(),
            State::Fresh | State::Running => {}
        }
        if this.cancelled.poll_unpin(context).is_ready() {
            let error = CallError::Cancelled;
            return this.end(error.code(), &error.public_text());
        }
        loop {
            if this.is_too_late() {
                return this.too_late();
            }
            match this.sent.replies.poll_recv(context) {
                Poll::Ready(Some(bytes)) => {
                    let item = this.frame(&bytes);
                    if item.is_ready() {
                        return item;
                    }
                }
                Poll::Ready(None) => return this.lost(),
                Poll::Pending => break,
            }
        }
        if this.deadline.poll_unpin(context).is_ready() {
            return this.too_late();
        }
        Poll::Pending
    }
}

impl<T> std::fmt::Debug for RpcStreamTyped<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RpcStreamTyped")
            .field("service", &self.service)
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}
