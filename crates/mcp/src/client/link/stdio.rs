//! A program that speaks MCP on its standard input and output.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    process::{ChildStderr, ChildStdin, ChildStdout},
    sync::mpsc,
};
use tokio_util::sync::{CancellationToken, DropGuard, WaitForCancellationFuture};

use super::{Command, Outgoing, program::Program};
use crate::{
    client::{
        calling::{Calling, GiveUp},
        changes::Changes,
        error::ClientError,
        limits::{MESSAGE_BYTES, OUTGOING_QUEUE, json, shortened},
        message,
        router::{Outbox, Router},
    },
    jsonrpc::{EnvelopeError, peek_id, read},
    lines::{Line, Lines},
};

/// Bytes that one read asks for: a pipe's usual capacity.
const READ_BYTES: usize = 64 * 1024;

/// Most bytes of a line that a program writes to its standard error: 8 KiB; the rest is cut.
const LOG_LINE_BYTES: u64 = 8 * 1024;

/// A running program. Dropping this closes its standard input, and kills it when it does not end by that.
pub(in crate::client) struct StdioLink {
    inner: Arc<Inner>,
    _stop: DropGuard,
}

struct Inner {
    router: Arc<Router>,
    outgoing: mpsc::Sender<String>,
    closed: CancellationToken,
}

impl StdioLink {
    /// Starts `command`.
    pub(in crate::client) fn open(command: &Command, changes: Arc<Changes>) -> Result<Self, ClientError> {
        let mut child = command.start()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(ClientError::closed());
        };
        let (outgoing, lines) = mpsc::channel(OUTGOING_QUEUE);
        let stop = CancellationToken::new();
        let inner = Arc::new(Inner {
            router: Arc::new(Router::new(changes)),
            outgoing,
            closed: CancellationToken::new(),
        });
        let last_words = LastWords::default();
        tokio::spawn(write(stdin, lines, stop.clone(), inner.closed.clone()));
        tokio::spawn(log(stderr, last_words.clone()));
        tokio::spawn(attend(Arc::clone(&inner), stdout, last_words));
        tokio::spawn(Program::new(child).bury(stop.clone()));
        Ok(Self {
            inner,
            _stop: stop.drop_guard(),
        })
    }

    pub(super) async fn begin(&self, request: Outgoing) -> Result<Calling, ClientError> {
        let router = &self.inner.router;
        let id = router.next_id();
        let asks = request.asks;
        let give_up = self.give_up(id, request.method);
        let line = message::request(id, request.method, request.with_id(id));
        let calling = router.enter(id, asks, give_up);
        self.send(line).await?;
        Ok(calling)
    }

    pub(super) async fn notify(&self, method: &'static str) -> Result<(), ClientError> {
        self.send(message::notification(method, None)).await
    }

    pub(super) fn closed(&self) -> WaitForCancellationFuture<'_> {
        self.inner.closed.cancelled()
    }

    async fn send(&self, line: String) -> Result<(), ClientError> {
        if self.inner.closed.is_cancelled() {
            return Err(ClientError::closed());
        }
        let sent = self.inner.outgoing.send(line).await;
        sent.map_err(|_| ClientError::closed())
    }

    fn give_up(&self, id: u64, method: &'static str) -> GiveUp {
        let inner = Arc::clone(&self.inner);
        GiveUp::new(move || {
            inner.router.forget(id);
            // A client must not cancel its handshake.
            if method != "initialize" {
                inner.send(message::cancelled(id));
            }
        })
    }
}

impl Outbox for Inner {
    fn send(&self, message: String) {
        // A server that does not read its input needs no answers and learns of no cancellation.
        let _ = self.outgoing.try_send(message);
    }
}

/// Writes what is sent, until there is nothing more or the connection is given up; then the pipe closes.
async fn write(
    mut stdin: ChildStdin,
    mut lines: mpsc::Receiver<String>,
    stop: CancellationToken,
    closed: CancellationToken,
) {
    loop {
        let line = tokio::select! {
            biased;
            line = lines.recv() => line,
            () = stop.cancelled() => None,
        };
        let Some(mut line) = line else { return };
        line.push('\n');
        let written = tokio::select! {
            written = stdin.write_all(line.as_bytes()) => written,
            () = stop.cancelled() => return,
        };
        if written.is_err() || stdin.flush().await.is_err() {
            return closed.cancel();
        }
    }
}

/// Takes what the program writes until it writes no more; then nothing is waited for any longer.
async fn attend(inner: Arc<Inner>, stdout: ChildStdout, last_words: LastWords) {
    let why = match listen(&inner, stdout).await {
        Ok(()) => last_words.told(),
        Err(error) => format!(": {error}"),
    };
    inner.closed.cancel();
    inner.router.end_all(&why);
}

const TOO_LONG: ClientError = ClientError::Protocol("a message has more than 16 MiB");

async fn listen(inner: &Arc<Inner>, mut stdout: impl AsyncRead + Unpin) -> Result<(), ClientError> {
    let outbox: Arc<dyn Outbox> = Arc::clone(inner) as _;
    let mut lines = Lines::new(MESSAGE_BYTES);
    let mut noise = Noise::default();
    loop {
        while let Some(line) = lines.next() {
            match line {
                Line::Whole(bytes) => take(inner, bytes, &outbox, &mut noise),
                Line::TooLong => return Err(TOO_LONG),
            }
        }
        // Whether such a line ever ends is not waited for.
        if lines.is_overlong() {
            return Err(TOO_LONG);
        }
        if lines.is_drained() {
            return Ok(());
        }
        match stdout.read_buf(lines.input(READ_BYTES)).await {
            Ok(1..) => {}
            Ok(0) | Err(_) => lines.end(),
        }
    }
}

fn take(inner: &Inner, bytes: &[u8], outbox: &Arc<dyn Outbox>, noise: &mut Noise) {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return;
    }
    match read(bytes, &json()) {
        Ok(message) => inner.router.take(message, None, outbox),
        Err(error) => match peek_id(bytes) {
            // Whoever waits for it learns at once that there is nothing to wait for.
            Some(id) => inner.router.end(id, Err(unreadable(&error))),
            // Programs print banners where only messages belong; what is no message answers nothing.
            None => noise.heard(&error),
        },
    }
}

fn unreadable(error: &EnvelopeError) -> ClientError {
    tracing::warn!(%error, "an answer of an upstream server cannot be read");
    ClientError::Protocol("an answer is no message within the limits of JSON")
}

/// Counts the lines that are no messages, and tells of the first, the second, the fourth, the eighth..., so that a program
/// that prints without end does not fill the log.
#[derive(Default)]
struct Noise(u64);

impl Noise {
    fn heard(&mut self, error: &EnvelopeError) {
        self.0 += 1;
        if self.0.is_power_of_two() {
            let lines = self.0;
            tracing::warn!(%error, lines, "an upstream server wrote a line that is no message");
        }
    }
}

/// What the program said last on its standard error, to explain its end.
#[derive(Clone, Default)]
struct LastWords(Arc<Mutex<String>>);

impl LastWords {
    fn keep(&self, line: &str) {
        line.clone_into(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn told(&self) -> String {
        let words = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if words.is_empty() {
            String::new()
        } else {
            format!("; its last words: {}", shortened(&words))
        }
    }
}

/// Passes the program's standard error on to the log, line by line.
async fn log(stderr: ChildStderr, last_words: LastWords) {
    let mut reader = BufReader::new(stderr);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut reader)
            .take(LOG_LINE_BYTES)
            .read_until(b'\n', &mut line)
            .await
        {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                let text = String::from_utf8_lossy(&line);
                let text = text.trim_end();
                if !text.is_empty() {
                    tracing::debug!(target: "toolmesh_mcp::upstream", "{text}");
                    last_words.keep(text);
                }
            }
        }
    }
}
