//! One message a line, over any pair of byte streams.
//!
//! One task owns a connection: it reads lines, starts calls, and writes answers as they finish, all in one loop, so
//! that a call which is ready at once costs no hand-over. A call that has to wait goes on in a task of its own.

mod awake;
mod connection;
mod output;
mod pipes;
mod select;

use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    task::{Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite},
    time::{Sleep, sleep},
};

use super::McpServer;
use crate::lines::Lines;
pub(super) use awake::Awake;
use connection::Connection;
use output::Output;
pub(super) use pipes::open;

/// Bytes that one read asks for: a pipe's usual capacity.
const READ_BYTES: usize = 64 * 1024;

/// How long a client is waited for that takes nothing, once all calls have ended or failed after a stop: 2 s.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Why serving a connection ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Reading from the client failed.
    #[error("reading from the client failed; check what is connected to standard input")]
    Read(#[source] std::io::Error),
    /// Writing to the client failed.
    #[error("writing to the client failed; check what is connected to standard output")]
    Write(#[source] std::io::Error),
}

/// Serves one connection until the input ends and every call is answered, or the client closes its end. When `stop` ends
/// first, nothing more is read: calls under way are finished, and those that are not within the grace time fail. What the client
/// has not taken soon after that is lost.
pub(super) async fn serve(
    server: &McpServer,
    mut reader: impl AsyncRead + Unpin + Send,
    mut writer: impl AsyncWrite + Unpin + Send,
    mut awake: Awake,
    stop: impl Future<Output = ()> + Send,
) -> Result<(), ServeError> {
    let mut stop = pin!(stop);
    let mut grace = Grace::NotBegun;
    let mut lines = Lines::new(server.limits().json.bytes());
    let mut output = Output::default();
    let mut connection = Connection::new(server.clone());
    let mut input_ended = false;
    let mut unflushed = false;
    loop {
        connection.settle(&mut lines, &mut output);
        let unwritten = output.rest().len();
        if lines.is_drained() && connection.is_idle() && unwritten == 0 && !unflushed {
            return Ok(());
        }
        let may_read = !input_ended && connection.has_room(&output);
        let is_answered = unwritten == 0 && !unflushed && connection.is_idle();
        if may_read
            && is_answered
            && let Some(asked) = awake.look()
        {
            match asked {
                Ok([]) => input_ended = end(&mut lines, &mut connection),
                Ok(bytes) => lines.input(bytes.len()).extend_from_slice(bytes),
                Err(error) => return gone_or(error, ServeError::Read),
            }
            continue;
        }
        tokio::select! {
            biased;
            pushed = push(&mut writer, output.rest()), if unwritten > 0 || unflushed => match pushed {
                Ok(Pushed { count: 0, flushed: false }) => return Ok(()),
                Ok(Pushed { count, flushed }) => {
                    output.advance(count);
                    unflushed = !flushed;
                }
                Err(error) => return gone_or(error, ServeError::Write),
            },
            () = &mut stop, if matches!(grace, Grace::NotBegun) => {
                grace = Grace::Lasts(Box::pin(sleep(server.limits().grace)));
                input_ended = true;
                lines.stop();
                connection.close();
            }
            () = grace.over() => {
                if matches!(grace, Grace::LastWords(_)) {
                    return Ok(());
                }
                grace = Grace::LastWords(Box::pin(sleep(LAST_WORDS)));
                connection.give_up(&mut output);
            }
            news = connection.news(), if connection::may_write(&output) => connection.tell(news, &mut output),
            read = reader.read_buf(lines.input(READ_BYTES)), if may_read => match read {
                Ok(0) => input_ended = end(&mut lines, &mut connection),
                Ok(_) => awake.arrived(),
                Err(error) => return gone_or(error, ServeError::Read),
            },
        }
    }
}

/// Takes note that the input has ended.
fn end(lines: &mut Lines, connection: &mut Connection) -> bool {
    lines.end();
    connection.close();
    true
}

/// The time that calls have once the server was told to stop.
enum Grace {
    NotBegun,
    Lasts(Pin<Box<Sleep>>),
    /// It is over, and the client has a moment to take the last answers.
    LastWords(Pin<Box<Sleep>>),
}

impl Grace {
    /// Waits for its end, and then for that of the last words; for ever while it has not begun.
    async fn over(&mut self) {
        match self {
            Self::Lasts(time) | Self::LastWords(time) => time.await,
            Self::NotBegun => std::future::pending().await,
        }
    }
}

/// What one step of writing did.
struct Pushed {
    /// Bytes that were written.
    count: usize,
    /// Everything is written and flushed.
    flushed: bool,
}

/// Writes some of `rest`, and flushes when nothing is left. Nothing is lost when the future is dropped: it ends with what
/// it wrote, though the flushing may not be over.
async fn push(writer: &mut (impl AsyncWrite + Unpin), rest: &[u8]) -> std::io::Result<Pushed> {
    poll_fn(|context| {
        let count = match rest {
            [] => 0,
            rest => ready!(Pin::new(&mut *writer).poll_write(context, rest))?,
        };
        let flushing = match count == rest.len() {
            true => Pin::new(&mut *writer).poll_flush(context)?,
            false => Poll::Pending,
        };
        match flushing {
            Poll::Pending if rest.is_empty() => Poll::Pending,
            flushing => Poll::Ready(Ok(Pushed {
                count,
                flushed: flushing.is_ready(),
            })),
        }
    })
    .await
}

/// A client that closed its end is no failure of the server.
fn gone_or(error: std::io::Error, wrap: impl FnOnce(std::io::Error) -> ServeError) -> Result<(), ServeError> {
    match error.kind() {
        std::io::ErrorKind::BrokenPipe | std::io::ErrorKind::ConnectionReset => Ok(()),
        _ => Err(wrap(error)),
    }
}
