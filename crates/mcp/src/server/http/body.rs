//! Bodies: reading one within the limit, and the two kinds that are sent.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::{Body, Frame, SizeHint};

use super::{refusal::Refusal, session::Reader, stream::Events};

/// Reads a body of at most `limit` bytes.
///
/// # Errors
/// [`Refusal`] when it is larger, too slow, or breaks off.
pub(super) async fn read<B>(body: B, limit: usize, timeout: Duration) -> Result<Bytes, Refusal>
where
    B: Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    // A body that says beforehand that it is too large is not read at all.
    if body.size_hint().lower() > u64::try_from(limit).unwrap_or(u64::MAX) {
        return Err(Refusal::TooLarge);
    }
    match tokio::time::timeout(timeout, Limited::new(body, limit).collect()).await {
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Refusal::TooLarge),
        Ok(Err(_)) => Err(Refusal::Broken),
        Err(_) => Err(Refusal::Timeout),
    }
}

/// The body of a response.
#[derive(Debug)]
pub struct ResponseBody(Kind);

#[derive(Debug)]
enum Kind {
    /// All of it is there; nothing when it is sent or empty.
    Full(Option<Bytes>),
    /// It comes as server-sent events.
    Events(Box<Events>),
    /// It comes as server-sent events that can be asked for again.
    Session(Box<Reader>),
}

impl ResponseBody {
    pub(super) fn empty() -> Self {
        Self(Kind::Full(None))
    }

    pub(super) fn full(bytes: Vec<u8>) -> Self {
        Self(Kind::Full(Some(bytes.into())))
    }

    pub(super) fn events(events: Events) -> Self {
        Self(Kind::Events(Box::new(events)))
    }

    pub(super) fn session(reader: Reader) -> Self {
        Self(Kind::Session(Box::new(reader)))
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut self.0 {
            Kind::Full(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Kind::Events(events) => events
                .poll_next(context)
                .map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes)))),
            Kind::Session(reader) => reader
                .poll_next(context)
                .map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.0, Kind::Full(None))
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Kind::Full(bytes) => SizeHint::with_exact(
                bytes
                    .as_ref()
                    .map_or(0, |bytes| u64::try_from(bytes.len()).unwrap_or(u64::MAX)),
            ),
            Kind::Events(_) | Kind::Session(_) => SizeHint::default(),
        }
    }
}
