//! What operators see: the log at the levels that nobody has to ask for.

use std::{
    io,
    sync::{Mutex, Once},
    time::{Duration, Instant},
};

use tracing::Level;

/// How long a line may take; on a machine that does much else "soon" may be long.
const SOON: Duration = Duration::from_secs(60);

static LINES: Mutex<Vec<u8>> = Mutex::new(Vec::new());

struct Lines;

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LINES.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Begins to keep what the whole test program logs; what is looked for has to name something that only one test has.
pub(crate) fn keep() {
    static BEGIN: Once = Once::new();
    BEGIN.call_once(|| {
        tracing_subscriber::fmt()
            .with_max_level(Level::WARN)
            .with_ansi(false)
            .with_writer(|| Lines)
            .init();
    });
}

/// The lines so far that have all of these in them.
pub(crate) fn lines(parts: &[&str]) -> Vec<String> {
    let lines = String::from_utf8_lossy(&LINES.lock().unwrap()).into_owned();
    let found = lines
        .lines()
        .filter(|line| parts.iter().all(|part| line.contains(part)));
    found.map(str::to_owned).collect()
}

/// Waits for a line with all of these in it.
pub(crate) async fn has_line(parts: &[&str]) -> String {
    let began = Instant::now();
    loop {
        if let Some(line) = lines(parts).into_iter().next() {
            return line;
        }
        assert!(
            began.elapsed() < SOON,
            "no line with {parts:?} in:\n{}",
            lines(&[]).join("\n")
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
