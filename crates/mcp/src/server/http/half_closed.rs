//! Clients that close their sending half when their request is whole.
//!
//! Such a client may wait for its answer, or be gone altogether: its socket looks the same. So it gets its answer, and
//! whoever takes long to answer learns that the half is closed ([`Sending::poll_over`]), and finds out by what it writes
//! whether anybody listens: a client that is gone refuses it.
//!
//! The HTTP library reads nothing while it answers. What is read meanwhile, to find the end, is kept for it here.

use std::{
    future::poll_fn,
    io,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Most bytes of a next request that are read while one is answered. More means that the client goes on, and then its end
/// is found when its requests are read.
const AHEAD_BYTES: usize = 64;

/// The client's sending half of a connection, for those who answer; without a connection it is never over.
#[derive(Clone, Default)]
pub(super) struct Sending(Option<Arc<dyn Half>>);

/// What the client does with its half is seen here.
trait Half: Send + Sync {
    /// Ready when the client sends no more.
    fn poll_over(&self, context: &mut Context<'_>) -> Poll<()>;
}

impl Sending {
    /// Ready when the client sends no more; to be asked only between a whole request and its answer.
    pub(super) fn poll_over(&self, context: &mut Context<'_>) -> Poll<()> {
        match &self.0 {
            Some(half) => half.poll_over(context),
            None => Poll::Pending,
        }
    }

    /// Ends when the client sends no more, under the same condition.
    pub(super) async fn over(&self) {
        poll_fn(|context| self.poll_over(context)).await;
    }
}

impl std::fmt::Debug for Sending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sending")
    }
}

/// A connection whose client may close its half.
#[derive(Debug)]
pub(super) struct HalfClosed<T>(Arc<Mutex<Both<T>>>);

#[derive(Debug)]
struct Both<T> {
    stream: T,
    /// What was read to find the end, and is not taken yet.
    ahead: Vec<u8>,
    /// The client sends no more.
    over: bool,
}

impl<T: AsyncRead + Unpin + Send + 'static> HalfClosed<T> {
    /// The connection for the HTTP library, and its half for those who answer.
    pub(super) fn new(stream: T) -> (Self, Sending) {
        let both = Arc::new(Mutex::new(Both {
            stream,
            ahead: Vec::new(),
            over: false,
        }));
        let half: Arc<dyn Half> = Arc::clone(&both) as _;
        (Self(both), Sending(Some(half)))
    }
}

impl<T: AsyncRead + Unpin + Send> Half for Mutex<Both<T>> {
    fn poll_over(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut both = locked(self);
        if both.over {
            return Poll::Ready(());
        }
        if !both.ahead.is_empty() {
            return Poll::Pending;
        }
        let mut bytes = [0; AHEAD_BYTES];
        let mut buffer = ReadBuf::new(&mut bytes);
        let read = ready!(Pin::new(&mut both.stream).poll_read(context, &mut buffer));
        both.ahead.extend_from_slice(buffer.filled());
        // A connection that broke is found broken again by who writes to it.
        both.over = read.is_err() || both.ahead.is_empty();
        if both.over { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for HalfClosed<T> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut both = locked(&self.0);
        if !both.ahead.is_empty() {
            let taken = both.ahead.len().min(buffer.remaining());
            buffer.put_slice(both.ahead.drain(..taken).as_slice());
            return Poll::Ready(Ok(()));
        }
        if both.over {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut both.stream).poll_read(context, buffer)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for HalfClosed<T> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut locked(&self.0).stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut locked(&self.0).stream).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        locked(&self.0).stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut locked(&self.0).stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut locked(&self.0).stream).poll_shutdown(context)
    }
}

fn locked<T>(both: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing here panics while it holds the lock, except a stream that does: then its connection is lost anyway.
    both.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};

    use super::*;

    fn connection() -> (DuplexStream, HalfClosed<DuplexStream>, Sending) {
        let (near, far) = duplex(4 * AHEAD_BYTES);
        let (connection, sending) = HalfClosed::new(far);
        (near, connection, sending)
    }

    #[tokio::test]
    async fn a_half_is_over_when_the_client_closed_it_and_answers_are_still_written() {
        let (mut near, mut connection, sending) = connection();
        assert_eq!(sending.over().now_or_never(), None);
        near.shutdown().await.expect("closed");
        sending.over().await;
        assert_eq!(connection.read(&mut [0; 8]).await.expect("readable"), 0);
        connection.write_all(b"answer").await.expect("written");
        let mut answer = [0; 6];
        near.read_exact(&mut answer).await.expect("the answer");
        assert_eq!(&answer, b"answer");
    }

    #[tokio::test]
    async fn what_was_read_to_find_the_end_is_not_lost() {
        let (mut near, mut connection, sending) = connection();
        let sent: Vec<u8> = (0..).take(2 * AHEAD_BYTES + 1).collect();
        near.write_all(&sent).await.expect("written");
        near.shutdown().await.expect("closed");
        // Whoever goes on sending is not asked any further, so no more than this is kept.
        for _ in 0..3 {
            assert_eq!(sending.over().now_or_never(), None);
        }
        assert_eq!(locked(&connection.0).ahead.len(), AHEAD_BYTES);
        let mut read = Vec::new();
        connection.read_to_end(&mut read).await.expect("readable");
        assert_eq!(read, sent);
    }

    #[test]
    fn without_a_connection_it_is_never_over() {
        assert_eq!(Sending::default().over().now_or_never(), None);
    }
}
