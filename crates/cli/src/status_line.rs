//! How something long goes, on a terminal: one line of standard error, written anew each time, and taken away before
//! anything else is printed.

use std::{
    io::{self, IsTerminal as _, Write as _},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use crate::render::steers;

/// How long nothing is told at first, and then between two lines: what is over sooner needs no word.
const PAUSE: Duration = Duration::from_millis(500);

/// The most characters of a line: what fits beside each other on the narrowest terminals, so that it stays one line.
const MAX_CHARACTERS: usize = 79;

/// The characters of a bar.
const BAR_CHARACTERS: usize = 20;

/// Whether there is a line on the terminal at present.
static IS_SHOWN: AtomicBool = AtomicBool::new(false);

/// The line, while something goes on.
#[derive(Debug)]
pub(crate) struct StatusLine {
    told: Instant,
}

impl StatusLine {
    /// The line of the terminal; none when standard error is something else.
    pub(crate) fn of_terminal() -> Option<Self> {
        io::stderr().is_terminal().then(|| Self { told: Instant::now() })
    }

    /// Tells how it goes, unless the last word was a moment ago.
    pub(crate) fn tell(&mut self, line: &str) {
        if self.told.elapsed() < PAUSE {
            return;
        }
        self.told = Instant::now();
        IS_SHOWN.store(true, Ordering::Relaxed);
        write(&shown(line));
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        take_away();
    }
}

/// Takes the line away, when there is one.
pub(crate) fn take_away() {
    if IS_SHOWN.swap(false, Ordering::Relaxed) {
        write("");
    }
}

/// Writes the line anew. When standard error is gone there is nobody left to tell.
fn write(line: &str) {
    let mut out = io::stderr().lock();
    let _ = write!(out, "\r\x1b[K{line}").and_then(|()| out.flush());
}

/// A text as it may stand on a terminal: what it holds may be from anywhere.
fn shown(line: &str) -> String {
    // The marks of direction take no place, and so would make the line longer than it is counted.
    let is_safe = |character: &char| !steers(*character) && !matches!(character, '\u{200e}' | '\u{200f}');
    line.chars().filter(is_safe).take(MAX_CHARACTERS).collect()
}

/// A bar for a part of a hundred, with what is done at present.
pub(crate) fn bar(percent: f64, message: &str) -> String {
    let percent = percent.clamp(0.0, 100.0);
    let full: String = (1..=BAR_CHARACTERS)
        .map(|place| {
            let reached = percent * (BAR_CHARACTERS as f64) >= (place as f64) * 100.0;
            if reached { '#' } else { '.' }
        })
        .collect();
    format!("[{full}] {percent:3.0}% {message}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_filled_as_far_as_it_went() {
        assert_eq!(bar(0.0, "a"), "[....................]   0% a");
        assert_eq!(bar(45.0, "logs"), "[#########...........]  45% logs");
        assert_eq!(bar(100.0, ""), "[####################] 100% ");
        assert_eq!(bar(1e9, ""), bar(100.0, ""));
        assert_eq!(bar(-1.0, ""), bar(0.0, ""));
    }

    #[test]
    fn a_line_is_one_line_of_harmless_characters() {
        assert_eq!(shown("a\u{1b}[31m\r\nb\u{202e}c"), "a[31mbc");
        assert_eq!(shown(&"x".repeat(MAX_CHARACTERS)).len(), MAX_CHARACTERS);
        assert_eq!(shown(&"x".repeat(MAX_CHARACTERS + 1)).len(), MAX_CHARACTERS);
    }
}
