//! The tests of the packages of other languages, on the packages themselves: built, installed into an empty environment,
//! type-checked, run.

use std::{path::Path, process::Command};

use anyhow::{Context, Result, bail};
use toolmesh_testkit::paths::{python, repo_root};

use crate::{
    cargo::{run, shown},
    package::python_wheel,
    summary::Summary,
};

/// Tests every package.
pub(crate) fn test(summary: &mut Summary) -> Result<()> {
    test_python(summary).context("testing the Python package")
}

fn test_python(summary: &mut Summary) -> Result<()> {
    let wheel = python_wheel(false)?;
    let empty = tempfile::tempdir().context("making a folder for an empty environment")?;
    let interpreter = empty.path().join("bin").join("python");
    run(Command::new(python()).args(["-m", "venv"]).arg(empty.path()))?;
    let arguments = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--disable-pip-version-check",
    ];
    run(Command::new(&interpreter).args(arguments).arg(&wheel))?;
    let sources = repo_root().join("bindings/python");
    run(Command::new(&interpreter).arg(sources.join("examples/quickstart.py")))?;

    // The tools that test come from the environment of the tests, the package from the empty one.
    let packages = site_packages(&interpreter)?;
    let tests = sources.join("tests");
    run(Command::new(python())
        .current_dir(&sources)
        .env("MYPYPATH", "python")
        .args([
            "-m",
            "mypy",
            "--strict",
            "--no-incremental",
            "python/toolmesh",
            "tests",
            "examples",
        ]))?;
    let output = Command::new(python())
        .env("PYTHONPATH", &packages)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider"])
        .arg(&tests)
        .output()
        .context("running pytest")?;
    let told = String::from_utf8_lossy(&output.stdout);
    print!("{told}{}", String::from_utf8_lossy(&output.stderr));
    let passed = counted(&told, "passed");
    let failed = counted(&told, "failed") + counted(&told, "error") + counted(&told, "errors");
    let verdict = if output.status.success() { "ok" } else { "FAILED" };
    // In the words of `cargo test`, so that these tests are counted like all others.
    let line = format!("test result: {verdict}. {passed} passed; {failed} failed");
    println!("{line}");
    summary.read(&line);
    if !output.status.success() || passed == 0 {
        bail!("pytest: {}", output.status);
    }
    Ok(())
}

fn site_packages(interpreter: &Path) -> Result<String> {
    let mut asks = Command::new(interpreter);
    asks.args(["-c", "import sysconfig; print(sysconfig.get_path('platlib'))"]);
    let output = asks
        .output()
        .with_context(|| format!("cannot run {}", shown(&asks)))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The number before a word in pytest's closing line: `54 passed, 1 failed in 3.21s`.
fn counted(told: &str, word: &str) -> u64 {
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
    use super::counted;

    #[test]
    fn the_closing_line_of_pytest_is_read() {
        let told = "...F\nsomething passed by\n3 passed, 1 failed, 2 errors in 0.10s\n";
        assert_eq!(
            ["passed", "failed", "errors", "skipped"].map(|word| counted(told, word)),
            [3, 1, 2, 0]
        );
    }
}
