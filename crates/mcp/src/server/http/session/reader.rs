//! A stream of a session as the body of a response.

use std::{
    sync::Arc,
    task::{Context, Poll},
    time::SystemTime,
};

use bytes::Bytes;
use futures_util::{FutureExt as _, future::BoxFuture};

use super::{Session, log::Cursor};
use crate::server::{
    expiry::come,
    http::{
        half_closed::Sending,
        keep_alive::{COMMENT, KeepAlive},
    },
};

/// How long a client waits before it comes back for the rest, in milliseconds: one second.
const RETRY_MILLIS: u32 = 1_000;

/// Reads one stream of a session, as server-sent events.
pub(in crate::server::http) struct Reader {
    session: Arc<Session>,
    cursor: Cursor,
    /// The event without a message that tells the client where it is, until it is sent.
    priming: bool,
    keep_alive: KeepAlive,
    /// Comes when the caller is known no more.
    end: Option<BoxFuture<'static, ()>>,
}

impl Reader {
    pub(super) fn new(session: Arc<Session>, cursor: Cursor) -> Self {
        let priming = session.peer.revision.primes_streams;
        Self {
            session,
            cursor,
            priming,
            keep_alive: KeepAlive::new(),
            end: None,
        }
    }

    /// Reads no longer than until then; whoever is known again may come back.
    pub(super) fn until(mut self, end: Option<SystemTime>) -> Self {
        self.end = end.map(|end| come(Some(end)).boxed());
        self
    }

    /// Looks whether anybody listens once the client sends no more.
    pub(in crate::server::http) fn watch(&mut self, sending: Sending) {
        self.keep_alive.watch(sending);
    }

    /// The next piece of the stream.
    pub(in crate::server::http) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if std::mem::take(&mut self.priming) {
            let Cursor { stream, taken, .. } = self.cursor;
            let text = format!("id: {stream}-{taken}\nretry: {RETRY_MILLIS}\ndata: \n\n");
            return Poll::Ready(Some(text.into()));
        }
        if let Some(end) = &mut self.end
            && end.poll_unpin(context).is_ready()
        {
            return Poll::Ready(None);
        }
        let next = self.session.log.poll_next(&mut self.cursor, context);
        if let Poll::Ready(event) = next {
            self.keep_alive.reset();
            let stream = self.cursor.stream;
            return Poll::Ready(event.map(|(number, message)| written(stream, number, &message)));
        }
        let due = self.keep_alive.poll_due(context);
        due.map(|()| Some(Bytes::from_static(COMMENT)))
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.session.log.left(&self.cursor);
    }
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Reader").field(&self.cursor).finish()
    }
}

/// One event; a message has no raw line ends, so it is one `data` line.
fn written(stream: u64, number: u64, message: &[u8]) -> Bytes {
    let mut out = format!("id: {stream}-{number}\nevent: message\ndata: ").into_bytes();
    out.extend_from_slice(message);
    out.extend_from_slice(b"\n\n");
    out.into()
}

/// What a `Last-Event-ID` names: a stream, and the last event of it that arrived.
pub(super) fn read_event_id(text: &str) -> Option<(u64, u64)> {
    let (stream, number) = text.split_once('-')?;
    Some((stream.parse().ok()?, number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_id_names_a_stream_and_a_number() {
        assert_eq!(read_event_id("3-17"), Some((3, 17)));
        for text in ["", "3", "3-", "-1", "a-1", "3-1-1", "99999999999999999999-1"] {
            assert_eq!(read_event_id(text), None, "{text}");
        }
    }

    #[test]
    fn an_event_has_id_kind_and_one_line_of_data() {
        assert_eq!(written(3, 17, b"{}"), "id: 3-17\nevent: message\ndata: {}\n\n");
    }
}
