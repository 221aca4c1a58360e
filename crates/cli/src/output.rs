//! What the command prints.

use std::{
    io::{self, Write as _},
    sync::OnceLock,
};

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
