//! Programs that run beside this one, say something line by line, and end when their input does.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};

use crate::cargo::shown;

/// How long a program may take until it says something, or ends: it has some forty calls to make, on a machine that may be busy.
const PATIENCE: Duration = Duration::from_secs(120);

/// A program that runs. Dropping it ends it.
pub(crate) struct Running {
    child: Child,
    lines: mpsc::Receiver<String>,
    shown: String,
}

impl Running {
    /// Starts it.
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let shown = shown(command);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot run {shown}"))?;
        let output = child.stdout.take().context("its output is a pipe")?;
        let (tell, lines) = mpsc::channel();
        thread::spawn(move || {
            let mut read = BufReader::new(output).lines().map_while(Result::ok);
            // Nobody listens to a program that is given up.
            read.all(|line| tell.send(line).is_ok())
        });
        Ok(Self { child, lines, shown })
    }

    /// The next line that it prints.
    pub(crate) fn line(&self) -> Result<String> {
        let line = self.lines.recv_timeout(PATIENCE);
        line.with_context(|| format!("{} printed nothing", self.shown))
    }

    /// Closes its input, upon which it has to end well by itself.
    pub(crate) fn ends(&mut self) -> Result<()> {
        drop(self.child.stdin.take());
        let begin = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait()? {
                ensure!(status.success(), "{}: {status}", self.shown);
                return Ok(());
            }
            ensure!(begin.elapsed() < PATIENCE, "{} does not end", self.shown);
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended already when all went well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_read_line_by_line_and_ends_with_its_input() {
        let mut program = Running::start(&mut Command::new("cat")).unwrap();
        assert!(program.child.try_wait().unwrap().is_none());
        program.ends().unwrap();
        let mut program =
            Running::start(Command::new("sh").args(["-c", "echo one; echo two; exit 3"])).unwrap();
        assert_eq!(program.line().unwrap(), "one");
        assert_eq!(program.line().unwrap(), "two");
        assert!(
            program
                .line()
                .unwrap_err()
                .to_string()
                .contains("printed nothing")
        );
        assert!(program.ends().unwrap_err().to_string().contains("exit status: 3"));
    }
}
