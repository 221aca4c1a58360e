//! Bodies: reading one within the limit, and the two kinds that are sent.

use std::{
    convert::Infallible,
    future::{Future, poll_fn},
    pin::{Pin, pin},
    task::{Context, Poll},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::{Body, Frame, SizeHint};

use super::{half_closed::Sending, refusal::Refusal, session::Reader, stream::Events};

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
    match within(timeout, whole(Limited::new(body, limit))).await {
        Some(Ok(bytes)) => Ok(bytes),
        Some(Err(error)) if error.is::<LengthLimitError>() => Err(Refusal::TooLarge),
        Some(Err(_)) => Err(Refusal::Broken),
        None => Err(Refusal::Timeout),
    }
}

/// All data of a body; what came in one piece is not copied.
async fn whole<B: Body<Data = Bytes>>(body: B) -> Result<Bytes, B::Error> {
    let mut body = pin!(body);
    let mut first = Bytes::new();
    let mut joined = BytesMut::new();
    while !body.is_end_stream() {
        let Some(frame) = body.frame().await else { break };
        // Trailers say nothing here.
        let Ok(data) = frame?.into_data() else { continue };
        if first.is_empty() {
            first = data;
            continue;
        }
        if joined.is_empty() {
            joined.extend_from_slice(&first);
        }
        joined.extend_from_slice(&data);
    }
    Ok(if joined.is_empty() { first } else { joined.freeze() })
}

/// Waits at most `time` for `work`; `None` when that was not enough.
///
/// A body that came together with its head is there at the second asking, after the connection was told that somebody
/// wants it. Only what is not there then is waited for by the clock: a timer costs more than reading such a body.
async fn within<T>(time: Duration, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    let mut asked = false;
    let at_once = poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending if asked => Poll::Ready(None),
        Poll::Pending => {
            asked = true;
            context.waker().wake_by_ref();
            Poll::Pending
        }
    });
    match at_once.await {
        Some(done) => Some(done),
        None => tokio::time::timeout(time, work).await.ok(),
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

    /// The same body; a stream looks whether its client still listens once the client sends no more.
    pub(super) fn watching(mut self, sending: &Sending) -> Self {
        match &mut self.0 {
            Kind::Full(_) => {}
            Kind::Events(events) => events.watch(sending.clone()),
            Kind::Session(reader) => reader.watch(sending.clone()),
        }
        self
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

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use http::HeaderMap;
    use http_body_util::StreamBody;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(1);

    fn pieces(frames: Vec<Frame<Bytes>>) -> impl Body<Data = Bytes, Error = Infallible> {
        StreamBody::new(stream::iter(frames.into_iter().map(Ok)))
    }

    #[tokio::test]
    async fn a_body_in_one_piece_is_not_copied_and_one_in_several_is_joined() {
        let piece = |text: &'static str| Frame::data(Bytes::from_static(text.as_bytes()));
        let whole = Bytes::from_static(b"whole");
        let read_back = read(pieces(vec![Frame::data(whole.clone())]), 5, PATIENCE).await;
        assert_eq!(read_back.as_ref().map(|bytes| bytes.as_ptr()), Ok(whole.as_ptr()));
        let several = vec![
            piece(""),
            piece("a"),
            piece("bc"),
            Frame::trailers(HeaderMap::new()),
            piece("d"),
        ];
        assert_eq!(
            read(pieces(several), 4, PATIENCE).await.as_deref(),
            Ok(&b"abcd"[..])
        );
        assert_eq!(
            read(pieces(Vec::new()), 4, PATIENCE).await.as_deref(),
            Ok(&b""[..])
        );
    }

    #[tokio::test]
    async fn a_body_in_pieces_may_have_its_bound_and_not_a_byte_more() {
        let body = |last: &'static str| {
            let piece = |text: &'static str| Frame::data(Bytes::from_static(text.as_bytes()));
            pieces(vec![piece("abc"), piece(last)])
        };
        assert_eq!(read(body("d"), 4, PATIENCE).await.as_deref(), Ok(&b"abcd"[..]));
        assert_eq!(read(body("de"), 4, PATIENCE).await, Err(Refusal::TooLarge));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_come_is_waited_for_as_long_as_said() {
        let begun = tokio::time::Instant::now();
        let silent = StreamBody::new(stream::pending::<Result<Frame<Bytes>, Infallible>>());
        assert_eq!(read(silent, 4, PATIENCE).await, Err(Refusal::Timeout));
        assert_eq!(begun.elapsed().as_secs(), PATIENCE.as_secs());
    }
}
