//! The closing lines of many test binaries, added up to one of the same form.

use std::{fmt, time::Duration};

/// What the test binaries of one run came to together.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    binaries: u64,
    failed_binaries: u64,
    passed: u64,
    failed: u64,
    ignored: u64,
    measured: u64,
    filtered_out: u64,
}

impl Summary {
    /// Adds one line of output when it is a closing line such as
    /// `test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s`.
    pub(crate) fn read(&mut self, line: &str) {
        let Some((verdict, counts)) = line
            .trim()
            .strip_prefix("test result: ")
            .and_then(|rest| rest.split_once(". "))
        else {
            return;
        };
        self.binaries += 1;
        self.failed_binaries += u64::from(verdict != "ok");
        for count in counts.split("; ") {
            self.add(count);
        }
    }

    /// Prints and adds what tests of another kind came to, in the words of `cargo test`.
    pub(crate) fn tell(&mut self, is_ok: bool, passed: u64, failed: u64) {
        let verdict = if is_ok { "ok" } else { "FAILED" };
        let line = format!("test result: {verdict}. {passed} passed; {failed} failed");
        println!("{line}");
        self.read(&line);
    }

    fn add(&mut self, count: &str) {
        let Some((number, what)) = count.split_once(' ') else {
            return;
        };
        let Ok(number) = number.parse::<u64>() else { return };
        match what {
            "passed" => self.passed += number,
            "failed" => self.failed += number,
            "ignored" => self.ignored += number,
            "measured" => self.measured += number,
            "filtered out" => self.filtered_out += number,
            _ => {}
        }
    }

    /// How many tests passed so far.
    pub(crate) fn passed(&self) -> u64 {
        self.passed
    }

    /// Whether tests ran and none failed.
    pub(crate) fn is_ok(&self) -> bool {
        self.passed > 0 && self.failed == 0 && self.failed_binaries == 0
    }

    /// The closing line; `ok` is the verdict over everything, not only over the tests.
    pub(crate) fn line(&self, ok: bool, took: Duration) -> String {
        let verdict = if ok { "ok" } else { "FAILED" };
        format!(
            "test result: {verdict}. {self}; finished in {:.2}s",
            took.as_secs_f64()
        )
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            passed,
            failed,
            ignored,
            measured,
            filtered_out,
            ..
        } = self;
        write!(
            f,
            "{passed} passed; {failed} failed; {ignored} ignored; {measured} measured; {filtered_out} filtered out"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(lines: &[&str]) -> Summary {
        let mut summary = Summary::default();
        lines.iter().for_each(|line| summary.read(line));
        summary
    }

    #[test]
    fn binaries_are_added_up() {
        let summary = summary(&[
            "running 2 tests",
            "test a_name_is_kept ... ok",
            "test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.00s",
            "test result: ok. 310 passed; 0 failed; 0 ignored; 4 measured; 0 filtered out; finished in 71.20s",
        ]);
        assert!(summary.is_ok());
        assert_eq!(
            summary.line(true, Duration::from_millis(83_100)),
            "test result: ok. 312 passed; 0 failed; 1 ignored; 4 measured; 3 filtered out; finished in 83.10s"
        );
    }

    #[test]
    fn one_failed_test_fails_the_sum() {
        let summary = summary(&[
            "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
            "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
        ]);
        assert!(!summary.is_ok());
    }

    #[test]
    fn a_run_without_tests_is_not_ok() {
        assert!(!summary(&[]).is_ok());
        assert!(
            !summary(&["test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out"]).is_ok()
        );
    }
}
