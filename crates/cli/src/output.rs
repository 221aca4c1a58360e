//! What the command prints.

use std::{
    io::{self, Write as _},
    sync::{Arc, Mutex, OnceLock},
};

use toolmesh::evm::fetch::Progress;

use crate::{
    render::printable,
    status_line::{self, StatusLine, bar},
};

/// Why something that was printed did not get out, once it happened.
static LOST: OnceLock<String> = OnceLock::new();

/// Prints a result on standard output, with a line end. Whoever stops reading early has what they want; any other
/// failure is kept for [`lost`], because the result may be of something that cannot be done again.
pub(crate) fn print(text: &str) {
    status_line::take_away();
    let mut out = io::stdout().lock();
    let written = out
        .write_all(text.as_bytes())
        .and_then(|()| out.write_all(b"\n"))
        .and_then(|()| out.flush());
    if let Err(error) = written
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        LOST.get_or_init(|| error.to_string());
    }
}

/// Why output was lost, if it was.
pub(crate) fn lost() -> Option<&'static str> {
    LOST.get().map(String::as_str)
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
