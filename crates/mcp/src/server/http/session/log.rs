//! What a session sent and may be asked for again: a bounded log of events, by stream.
//!
//! A stream is written by one call (or by the watcher of changes: the general stream) and read by one response at a time. An
//! event is `<stream>-<number>`; whoever comes back names the last one that arrived, and reads on from there. Old events
//! are forgotten when the log is full, so a client that stays away too long misses some, and sees it by the numbers. What a reader
//! who is there has still to take is not forgotten: instead its writer waits.

use std::{
    collections::{BTreeMap, VecDeque},
    pin::pin,
    sync::{Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use tokio::sync::Notify;

/// Most events that one session keeps: 1,024.
pub(in crate::server) const MAX_EVENTS: usize = 1_024;

/// Most bytes of the events that one session keeps: 1 MiB, besides the newest event and what readers have still to take.
pub(in crate::server) const MAX_EVENT_BYTES: usize = 1024 * 1024;

/// Most events that wait for a stream's reader; then the writer waits.
pub(in crate::server) const MAX_UNREAD: u64 = 64;

/// Most bytes that wait for a stream's reader, besides the newest event: 1 MiB; then the writer waits.
pub(in crate::server) const MAX_UNREAD_BYTES: usize = 1024 * 1024;

/// The stream of what belongs to no call.
pub(super) const GENERAL: u64 = 0;

/// The events of a session.
#[derive(Debug)]
pub(super) struct EventLog {
    state: Mutex<State>,
    /// A reader took something, or went away.
    read: Notify,
}

#[derive(Debug, Default)]
struct State {
    streams: BTreeMap<u64, Stream>,
    /// The stream and number of every kept event, oldest first.
    order: VecDeque<(u64, u64)>,
    bytes: usize,
    last_stream: u64,
}

#[derive(Debug, Default)]
struct Stream {
    /// Numbers and messages, by number.
    events: VecDeque<(u64, Bytes)>,
    /// The number of the last event that was written.
    last: u64,
    /// The number of the last event that a reader took.
    taken: u64,
    /// Nothing comes any more.
    over: bool,
    /// The reader is to end when it has taken what is there.
    leaving: bool,
    reader: Option<Waker>,
    /// Counts the readers: only the newest one reads.
    readers: u64,
    reading: bool,
}

/// A place in a stream to read on from.
#[derive(Debug)]
pub(super) struct Cursor {
    pub(super) stream: u64,
    /// The number of the last event that was taken.
    pub(super) taken: u64,
    reader: u64,
}

impl EventLog {
    pub(super) fn new() -> Self {
        let mut state = State::default();
        state.streams.insert(GENERAL, Stream::default());
        Self {
            state: Mutex::new(state),
            read: Notify::new(),
        }
    }

    /// Opens a stream for a call.
    pub(super) fn open(&self) -> u64 {
        let mut state = self.state();
        state.last_stream += 1;
        let number = state.last_stream;
        state.streams.insert(number, Stream::default());
        number
    }

    /// Writes an event. Waits while the stream's reader is behind; without a reader it waits for nobody.
    pub(super) async fn push(&self, stream: u64, message: impl Into<Bytes>) {
        let message = message.into();
        loop {
            let mut read = pin!(self.read.notified());
            read.as_mut().enable();
            if self.try_push(stream, &message) {
                return;
            }
            read.await;
        }
    }

    /// False when the reader is too far behind.
    fn try_push(&self, number: u64, message: &Bytes) -> bool {
        let mut state = self.state();
        let Some(stream) = state.streams.get_mut(&number).filter(|stream| !stream.over) else {
            // The session is over, and nobody reads.
            return true;
        };
        if stream.is_behind() {
            return false;
        }
        stream.last += 1;
        stream.events.push_back((stream.last, message.clone()));
        let (waker, last) = (stream.reader.take(), stream.last);
        state.order.push_back((number, last));
        state.bytes += message.len();
        state.forget_old();
        drop(state);
        waker.into_iter().for_each(Waker::wake);
        true
    }

    /// Ends a stream; what it holds can still be read.
    pub(super) fn finish(&self, number: u64) {
        let mut state = self.state();
        let waker = state.streams.get_mut(&number).and_then(|stream| {
            stream.over = true;
            stream.reader.take()
        });
        state.drop_if_done(number);
        drop(state);
        waker.into_iter().for_each(Waker::wake);
    }

    /// Lets the reader of a stream go, when it has taken what is there.
    pub(super) fn let_go(&self, number: u64) {
        let mut state = self.state();
        let waker = state.streams.get_mut(&number).and_then(|stream| {
            stream.leaving = true;
            stream.reader.take()
        });
        drop(state);
        waker.into_iter().for_each(Waker::wake);
    }

    /// Ends every stream and forgets everything.
    pub(super) fn close(&self) {
        let mut state = self.state();
        let streams = std::mem::take(&mut state.streams);
        *state = State::default();
        drop(state);
        streams
            .into_values()
            .filter_map(|stream| stream.reader)
            .for_each(Waker::wake);
        self.read.notify_waiters();
    }

    /// Begins to read a stream after event `taken`, or after what readers before took. Whoever read it before reads no
    /// more. `None` when there is no such stream or event.
    pub(super) fn read(&self, number: u64, taken: Option<u64>) -> Option<Cursor> {
        let mut state = self.state();
        let stream = state.streams.get_mut(&number)?;
        let taken = taken.unwrap_or(stream.taken);
        if taken > stream.last {
            return None;
        }
        stream.readers += 1;
        stream.taken = taken;
        stream.reading = true;
        stream.leaving = false;
        let (reader, waker) = (stream.readers, stream.reader.take());
        drop(state);
        waker.into_iter().for_each(Waker::wake);
        self.read.notify_waiters();
        Some(Cursor {
            stream: number,
            taken,
            reader,
        })
    }

    /// Takes the next event of a stream; `None` when nothing comes any more, or somebody else reads.
    pub(super) fn poll_next(
        &self,
        cursor: &mut Cursor,
        context: &mut Context<'_>,
    ) -> Poll<Option<(u64, Bytes)>> {
        let mut state = self.state();
        let stream = state.streams.get_mut(&cursor.stream);
        let Some(stream) = stream.filter(|stream| stream.readers == cursor.reader) else {
            return Poll::Ready(None);
        };
        let place = stream
            .events
            .partition_point(|(number, _)| *number <= cursor.taken);
        if let Some((number, message)) = stream.events.get(place).cloned() {
            cursor.taken = number;
            stream.taken = number;
            state.forget_old();
            drop(state);
            self.read.notify_waiters();
            return Poll::Ready(Some((number, message)));
        }
        if stream.over || stream.leaving {
            return Poll::Ready(None);
        }
        stream.reader = Some(context.waker().clone());
        Poll::Pending
    }

    /// Takes note that a reader is gone.
    pub(super) fn left(&self, cursor: &Cursor) {
        let mut state = self.state();
        if let Some(stream) = state.streams.get_mut(&cursor.stream)
            && stream.readers == cursor.reader
        {
            stream.reading = false;
            stream.reader = None;
        }
        state.forget_old();
        state.drop_if_done(cursor.stream);
        drop(state);
        self.read.notify_waiters();
    }

    /// Whether somebody reads any of the streams.
    pub(super) fn is_read(&self) -> bool {
        self.state().streams.values().any(|stream| stream.reading)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing here panics while it holds the lock, and every state is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stream {
    /// Whether a reader who is there has still to take an event.
    fn awaits(&self, number: u64) -> bool {
        self.reading && number > self.taken
    }

    /// Whether the reader has to take something before more is written.
    fn is_behind(&self) -> bool {
        let unread = self.events.iter().rev();
        let unread = unread.take_while(|(number, _)| self.awaits(*number));
        let bytes: usize = unread.map(|(_, message)| message.len()).sum();
        self.reading && (self.last - self.taken >= MAX_UNREAD || bytes >= MAX_UNREAD_BYTES)
    }
}

impl State {
    /// Forgets what is oldest until the log is within its bounds, but neither the newest event nor what a reader awaits.
    fn forget_old(&mut self) {
        while self.order.len() > 1 && (self.order.len() > MAX_EVENTS || self.bytes > MAX_EVENT_BYTES) {
            let older = self.order.iter().take(self.order.len() - 1);
            let mut older = older.copied().enumerate();
            let is_awaited = |stream, number| {
                let stream = self.streams.get(&stream);
                stream.is_some_and(|stream| stream.awaits(number))
            };
            let found = older.find(|(_, (stream, number))| !is_awaited(*stream, *number));
            let Some((place, (number, _))) = found else {
                return;
            };
            self.order.remove(place);
            // Of each stream the oldest goes first: readers take in order.
            let forgotten = self
                .streams
                .get_mut(&number)
                .and_then(|stream| stream.events.pop_front());
            self.bytes -= forgotten.map_or(0, |(_, message)| message.len());
            self.drop_if_done(number);
        }
    }

    fn drop_if_done(&mut self, number: u64) {
        let done = |stream: &Stream| stream.over && stream.events.is_empty() && !stream.reading;
        if number != GENERAL && self.streams.get(&number).is_some_and(done) {
            self.streams.remove(&number);
        }
    }
}

#[cfg(test)]
mod tests;
