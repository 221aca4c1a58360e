//! What the command prints.

#[cfg(unix)]
use std::os::fd::AsFd as _;
use std::{
    io::{self, IsTerminal as _, Write as _},
    sync::{Arc, Mutex, OnceLock},
};

#[cfg(unix)]
use tokio::{io::Interest, net::unix::pipe::Sender};
use toolmesh::evm::fetch::Progress;

use crate::{
    render::printable,
    status_line::{self, StatusLine, bar},
};

/// How standard output ended, once something that was printed did not get out.
static ENDED: OnceLock<End> = OnceLock::new();

/// How standard output ended.
#[derive(Debug)]
enum End {
    /// Whoever read it reads no more.
    Closed,
    /// It cannot be written, for this reason.
    Lost(String),
}

/// Prints a result on standard output, with a line end. Whoever stops reading early has what they want; any other
/// failure is kept for [`lost`], because the result may be of something that cannot be done again. Who goes on printing
/// looks at [`is_over`] after each line, and at [`closed`] between them.
pub(crate) fn print(text: &str) {
    status_line::take_away();
    let mut out = io::stdout().lock();
    let written = out
        .write_all(text.as_bytes())
        .and_then(|()| out.write_all(b"\n"))
        .and_then(|()| out.flush());
    if let Err(error) = written {
        ENDED.get_or_init(|| match error.kind() {
            io::ErrorKind::BrokenPipe => End::Closed,
            _ => End::Lost(error.to_string()),
        });
    }
}

/// As [`print`], for what a tool wrote: on a terminal without anything that would steer it, elsewhere to the byte.
pub(crate) fn print_foreign(text: &str) {
    match io::stdout().is_terminal() {
        true => print(&printable(text)),
        false => print(text),
    }
}

/// Whether nothing that is printed reaches anybody any more.
pub(crate) fn is_over() -> bool {
    ENDED.get().is_some()
}

/// Waits until nobody reads standard output any more; for ever where that is no pipe, or the system does not tell.
pub(crate) async fn closed() {
    #[cfg(unix)]
    if let Ok(out) = io::stdout().as_fd().try_clone_to_owned()
        // Only looked at, never written by this: so it may be anything, and go on to block.
        && let Ok(pipe) = Sender::from_owned_fd_unchecked(out)
        && pipe.ready(Interest::ERROR).await.is_ok()
    {
        return;
    }
    std::future::pending().await
}

/// Why output was lost, if it was.
pub(crate) fn lost() -> Option<&'static str> {
    match ENDED.get()? {
        End::Closed => None,
        End::Lost(reason) => Some(reason),
    }
}

/// Says on standard error what went wrong.
pub(crate) fn complain(sentence: &str) {
    tell(&format!("toolmesh: {sentence}"));
}

/// Tells a person on standard error how it goes. What others say stands in it: names, addresses, errors of applications.
pub(crate) fn tell(sentence: &str) {
    status_line::take_away();
    // When standard error is gone there is nobody left to tell.
    let _ = writeln!(io::stderr().lock(), "{}", printable(sentence));
}

/// Shows how a long answer comes in, on a terminal.
pub(crate) fn progress() -> Option<Progress> {
    let line = Mutex::new(StatusLine::of_terminal()?);
    Some(Arc::new(move |bytes, total| {
        if total == Some(bytes) {
            status_line::take_away();
        } else if let Ok(mut line) = line.lock() {
            line.tell(&arrived(bytes, total));
        }
    }))
}

/// How much of an answer is here.
fn arrived(bytes: u64, total: Option<u64>) -> String {
    let kilobytes = |bytes: u64| format!("{} kB", bytes / 1_000);
    match total.filter(|total| *total > 0) {
        Some(total) => bar(
            f64::from(u32::try_from(bytes.saturating_mul(100) / total).unwrap_or(100)),
            &format!("{} of {}", kilobytes(bytes), kilobytes(total)),
        ),
        None => kilobytes(bytes),
    }
}
