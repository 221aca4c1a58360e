//! What the command prints.

use std::{
    io::{self, IsTerminal as _, Write as _},
    sync::{Arc, Mutex, OnceLock},
    time::{Duration, Instant},
};

use toolmesh::evm::fetch::Progress;

/// How long nothing is shown of an answer that comes in, and then between two lines.
const PROGRESS_PAUSE: Duration = Duration::from_millis(500);

/// Why something that was printed did not get out, once it happened.
static LOST: OnceLock<String> = OnceLock::new();

/// Prints a result on standard output, with a line end. Whoever stops reading early has what they want; any other
/// failure is kept for [`lost`], because the result may be of something that cannot be done again.
pub(crate) fn print(text: &str) {
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
    // When standard error is gone there is nobody left to tell.
    let _ = writeln!(io::stderr().lock(), "toolmesh: {sentence}");
}

/// Tells a person on standard error how it goes.
pub(crate) fn tell(sentence: &str) {
    let _ = writeln!(io::stderr().lock(), "{sentence}");
}

/// Shows how a long answer comes in, on a terminal: one line, written anew.
pub(crate) fn progress() -> Option<Progress> {
    if !io::stderr().is_terminal() {
        return None;
    }
    let last = Mutex::new(Instant::now());
    Some(Arc::new(move |bytes, total| {
        let Ok(mut last) = last.lock() else { return };
        let is_done = total == Some(bytes);
        if last.elapsed() < PROGRESS_PAUSE && !is_done {
            return;
        }
        let is_shown = last.elapsed() >= PROGRESS_PAUSE;
        *last = Instant::now();
        let line = match (is_done, total) {
            (true, _) => String::new(),
            (false, Some(total)) => format!("{} of {} kB", bytes / 1_000, total / 1_000),
            (false, None) => format!("{} kB", bytes / 1_000),
        };
        if is_shown || is_done {
            let _ = write!(io::stderr().lock(), "\r\x1b[K{line}");
        }
    }))
}
