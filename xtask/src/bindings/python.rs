//! The Python package: its wheel in an empty environment, type-checked and tested there.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};
use tempfile::TempDir;
use toolmesh_testkit::paths::{python, repo_root};

use super::{Counts, matrix_folder, run_and_count, surroundings::Surroundings};
use crate::{
    cargo::{run, shown},
    matrix::Language,
    package::python_wheel,
    summary::Summary,
};

/// A virtual environment that has the package alone; dropping it removes it.
#[derive(Debug)]
pub(crate) struct Environment(TempDir);

impl Environment {
    /// Makes one, and installs the wheel into it; no network is asked.
    pub(crate) fn with(wheel: &Path) -> Result<Self> {
        let empty = tempfile::tempdir().context("making a folder for an empty environment")?;
        run(Command::new(python()).args(["-m", "venv"]).arg(empty.path()))?;
        let environment = Self(empty);
        let arguments = [
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-index",
            "--disable-pip-version-check",
        ];
        run(Command::new(environment.interpreter()).args(arguments).arg(wheel))?;
        Ok(environment)
    }

    /// Its interpreter.
    pub(crate) fn interpreter(&self) -> PathBuf {
        self.0.path().join("bin").join("python")
    }

    /// Where its packages are.
    fn packages(&self) -> Result<String> {
        let mut asks = Command::new(self.interpreter());
        asks.args(["-c", "import sysconfig; print(sysconfig.get_path('platlib'))"]);
        let output = asks
            .output()
            .with_context(|| format!("cannot run {}", shown(&asks)))?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}

/// Tests the package; how its programs of the matrix are started.
pub(super) fn test(surroundings: &Surroundings, summary: &mut Summary) -> Result<Language> {
    let environment = Environment::with(&python_wheel(false)?)?;
    let sources = repo_root().join("bindings/python");
    run(Command::new(environment.interpreter()).arg(sources.join("examples/quickstart.py")))?;
    check_types(&sources)?;
    // The tools that test come from the environment of the tests, the package from the empty one.
    let mut pytest = Command::new(python());
    pytest
        .env("PYTHONPATH", environment.packages()?)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider"])
        .arg(sources.join("tests"));
    run_and_count(surroundings.tell(&mut pytest), summary, |told| Counts {
        passed: before(told, "passed"),
        failed: before(told, "failed") + before(told, "error") + before(told, "errors"),
    })?;
    Ok(Language::new("Python", move |side| {
        let mut command = Command::new(environment.interpreter());
        command.arg(matrix_folder().join(format!("{}.py", side.name())));
        command
    }))
}

fn check_types(sources: &Path) -> Result<()> {
    let checked = ["python/toolmesh", "tests", "examples", "../matrix", "../bench"];
    run(Command::new(python())
        .current_dir(sources)
        .env("MYPYPATH", "python")
        .args(["-m", "mypy", "--strict", "--no-incremental"])
        .args(checked))
}

/// The number before a word in the closing line of pytest: `54 passed, 1 failed in 3.21s`.
fn before(told: &str, word: &str) -> u64 {
    let closing = told.lines().last().unwrap_or_default();
    let words: Vec<&str> = closing
        .split([' ', ','])
        .filter(|word| !word.is_empty())
        .collect();
    let found = words.windows(2).find_map(|pair| match pair {
        [number, what] if *what == word => number.parse().ok(),
        _ => None,
    });
    found.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::before;

    #[test]
    fn the_closing_line_of_pytest_is_read() {
        let told = "...F\nsomething passed by\n3 passed, 1 failed, 2 errors in 0.10s\n";
        assert_eq!(
            ["passed", "failed", "errors", "skipped"].map(|word| before(told, word)),
            [3, 1, 2, 0]
        );
    }
}
