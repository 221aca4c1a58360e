//! Programs in the background, with what they print, and programs run to their end.

use std::{
    ffi::OsStr,
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

/// How long a program that should end is waited for: a debug build on a busy machine, generously.
const RUN_LIMIT: Duration = Duration::from_secs(120);

/// How often a running program is asked whether it ended.
const POLL: Duration = Duration::from_millis(5);

/// A program in the background. Its output is collected; it is killed when this is dropped.
#[derive(Debug)]
pub struct Running {
    child: Child,
    name: String,
    stdout: Arc<Output>,
    stderr: Arc<Output>,
}

impl Running {
    /// Starts the command with its standard output and error collected; standard input as the command says.
    ///
    /// # Panics
    /// When it cannot be started.
    #[track_caller]
    pub fn start(command: &mut Command) -> Self {
        let name = Path::new(command.get_program()).display().to_string();
        let mut child = match command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn() {
            Ok(child) => child,
            Err(error) => panic!("cannot start {name}: {error}"),
        };
        let stdout = Output::collect(child.stdout.take());
        let stderr = Output::collect(child.stderr.take());
        Self {
            child,
            name,
            stdout,
            stderr,
        }
    }

    /// The operating system's number of the process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The child itself, for its standard input.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// What it printed on standard output so far.
    #[must_use]
    pub fn stdout(&self) -> String {
        self.stdout.text()
    }

    /// What it printed on standard error so far.
    #[must_use]
    pub fn stderr(&self) -> String {
        self.stderr.text()
    }

    /// Waits for a line of standard output for which `pick` answers something.
    ///
    /// # Panics
    /// When no such line came in time, or the program ended without it.
    #[track_caller]
    pub fn stdout_line<T>(&self, what: &str, limit: Duration, pick: impl Fn(&str) -> Option<T>) -> T {
        self.stdout
            .line(limit, |_, line| pick(line))
            .unwrap_or_else(|| self.missing(what))
    }

    /// Waits for the line of standard output with that index, from 0.
    ///
    /// # Panics
    /// When it did not come in time, or the program ended before it.
    #[track_caller]
    pub fn stdout_line_at(&self, index: usize, limit: Duration) -> String {
        let line = self
            .stdout
            .line(limit, |at, line| (at == index).then(|| line.to_owned()));
        line.unwrap_or_else(|| self.missing(&format!("line {index} of its standard output")))
    }

    /// Waits for a line of standard error for which `pick` answers something.
    ///
    /// # Panics
    /// When no such line came in time, or the program ended without it.
    #[track_caller]
    pub fn stderr_line<T>(&self, what: &str, limit: Duration, pick: impl Fn(&str) -> Option<T>) -> T {
        self.stderr
            .line(limit, |_, line| pick(line))
            .unwrap_or_else(|| self.missing(what))
    }

    /// Waits for the program to end by itself, and tells how.
    ///
    /// # Panics
    /// When it does not end in time.
    #[track_caller]
    pub fn finish(mut self, limit: Duration) -> Finished {
        let end = Instant::now() + limit;
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if Instant::now() < end => thread::sleep(POLL),
                Ok(None) => panic!(
                    "{} did not end within {limit:?}; it said: {}",
                    self.name,
                    self.stderr()
                ),
                Err(error) => panic!("cannot wait for {}: {error}", self.name),
            }
        };
        self.stdout.wait_for_end(end);
        self.stderr.wait_for_end(end);
        Finished {
            status,
            stdout: self.stdout(),
            stderr: self.stderr(),
        }
    }

    #[track_caller]
    fn missing(&self, what: &str) -> ! {
        panic!(
            "{} did not print {what}\n--- its stdout\n{}\n--- its stderr\n{}",
            self.name,
            self.stdout(),
            self.stderr()
        )
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail only when the process is gone already, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How a program ended, and everything it printed.
#[derive(Debug)]
pub struct Finished {
    /// The status it ended with.
    pub status: ExitStatus,
    /// Standard output, with invalid UTF-8 replaced.
    pub stdout: String,
    /// Standard error, with invalid UTF-8 replaced.
    pub stderr: String,
}

impl Finished {
    /// The exit code; `None` when a signal ended it.
    #[must_use]
    pub fn code(&self) -> Option<i32> {
        self.status.code()
    }
}

/// Runs a program with nothing on its standard input, and waits for its end.
///
/// # Panics
/// When it cannot be started, or does not end within two minutes.
#[track_caller]
pub fn run(program: impl AsRef<OsStr>, arguments: &[&str]) -> Finished {
    run_command(Command::new(program).args(arguments))
}

/// Runs a prepared command with nothing on its standard input, and waits for its end.
///
/// # Panics
/// When it cannot be started, or does not end within two minutes.
#[track_caller]
pub fn run_command(command: &mut Command) -> Finished {
    Running::start(command.stdin(Stdio::null())).finish(RUN_LIMIT)
}

/// What came through one pipe so far, and whether it has ended.
#[derive(Debug, Default)]
struct Output {
    state: Mutex<OutputState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct OutputState {
    bytes: Vec<u8>,
    ended: bool,
}

impl OutputState {
    /// The complete lines; everything once the pipe has ended.
    fn readable(&self) -> &[u8] {
        let complete = self
            .bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        if self.ended {
            &self.bytes
        } else {
            self.bytes.get(..complete).unwrap_or_default()
        }
    }
}

impl Output {
    fn collect(pipe: Option<impl Read + Send + 'static>) -> Arc<Self> {
        let output = Arc::new(Self::default());
        let Some(pipe) = pipe else {
            output.state().ended = true;
            return output;
        };
        let shared = Arc::clone(&output);
        thread::spawn(move || shared.drain(pipe));
        output
    }

    fn drain(&self, pipe: impl Read) {
        let mut reader = BufReader::new(pipe);
        loop {
            let taken = match reader.fill_buf() {
                Ok(chunk) => {
                    self.state().bytes.extend_from_slice(chunk);
                    chunk.len()
                }
                Err(_) => 0,
            };
            if taken == 0 {
                self.state().ended = true;
            }
            self.changed.notify_all();
            if taken == 0 {
                return;
            }
            reader.consume(taken);
        }
    }

    fn state(&self) -> MutexGuard<'_, OutputState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.state().bytes).into_owned()
    }

    /// The first complete line that `pick` takes; `None` at the limit or when the pipe ended without one.
    fn line<T>(&self, limit: Duration, pick: impl Fn(usize, &str) -> Option<T>) -> Option<T> {
        let end = Instant::now() + limit;
        let mut state = self.state();
        loop {
            let text = String::from_utf8_lossy(state.readable());
            let picked = text
                .lines()
                .enumerate()
                .find_map(|(index, line)| pick(index, line));
            let left = end.saturating_duration_since(Instant::now());
            if picked.is_some() || state.ended || left.is_zero() {
                return picked;
            }
            state = self
                .changed
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// Waits until the pipe is closed, so that nothing printed is missed; a grandchild may hold it open.
    fn wait_for_end(&self, end: Instant) {
        let mut state = self.state();
        while !state.ended {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = self
                .changed
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::null());
        command
    }

    #[test]
    fn a_finished_program_tells_its_code_and_both_outputs() {
        let finished = run_command(&mut shell("echo out; echo err >&2; exit 3"));
        assert_eq!(
            (
                finished.code(),
                finished.stdout.as_str(),
                finished.stderr.as_str()
            ),
            (Some(3), "out\n", "err\n")
        );
    }

    #[test]
    fn a_line_is_picked_while_the_program_still_runs() {
        let running = Running::start(&mut shell("echo starting >&2; echo ready 42 >&2; sleep 60"));
        let number = running.stderr_line("its number", Duration::from_secs(10), |line| {
            line.strip_prefix("ready ").map(str::to_owned)
        });
        assert_eq!(number, "42");
    }

    #[test]
    #[should_panic(expected = "did not print its number")]
    fn a_program_that_ends_without_the_line_fails_at_once() {
        let running = Running::start(&mut shell("echo no such luck >&2"));
        running.stderr_line("its number", Duration::from_secs(60), |line| {
            line.strip_prefix("ready ").map(drop)
        });
    }

    #[test]
    fn a_dropped_program_is_gone() {
        let running = Running::start(&mut shell("exec sleep 60"));
        let id = running.id().to_string();
        assert!(Path::new("/proc").join(&id).exists() || !Path::new("/proc/self").exists());
        drop(running);
        assert!(!Path::new("/proc").join(&id).exists());
    }
}
