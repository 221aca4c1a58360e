//! What the command prints.

use std::io::{self, Write as _};

/// Prints a result on standard output, with a line end. Whoever stops reading early has what they want.
pub(crate) fn print(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out
        .write_all(text.as_bytes())
        .and_then(|()| out.write_all(b"\n"))
        .and_then(|()| out.flush());
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
