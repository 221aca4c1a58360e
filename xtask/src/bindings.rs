//! The tests of the packages of other languages, on the packages themselves: built, installed into an empty environment,
//! type-checked, run.

mod go;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};
use toolmesh_testkit::paths::{find_on_path, node, node_dir, python, repo_root};

use crate::{
    cargo::{built, cargo, run, shown, target_dir},
    matrix::{self, Language},
    package::{node_package, python_wheel},
    summary::Summary,
};

/// Tests every package.
pub(crate) fn test(summary: &mut Summary) -> Result<()> {
    let languages = [
        rust()?,
        test_python(summary).context("testing the Python package")?,
        test_node(summary).context("testing the package for Node")?,
    ];
    go::test(summary)?;
    matrix::test(&languages, summary).context("testing the languages with each other")
}

/// The programs of the matrix in plain Rust.
fn rust() -> Result<Language> {
    run(&mut cargo(&[
        "build",
        "--locked",
        "--quiet",
        "--package",
        "toolmesh-embed",
        "--examples",
    ]))?;
    let target = target_dir()?;
    Ok(Language::new("Rust", move |side| {
        Command::new(built(&target, false, &format!("examples/matrix_{}", side.name())))
    }))
}

/// Tests the package; how its programs of the matrix are started.
fn test_python(summary: &mut Summary) -> Result<Language> {
    let wheel = python_wheel(false)?;
    let empty = tempfile::tempdir().context("making a folder for an empty environment")?;
    let interpreter = interpreter_of(empty.path());
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
            "../matrix",
        ]))?;
    let mut pytest = Command::new(python());
    pytest
        .env("PYTHONPATH", &packages)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider"])
        .arg(&tests);
    run_and_count(&mut pytest, summary, |told| Counts {
        passed: before(told, "passed"),
        failed: before(told, "failed") + before(told, "error") + before(told, "errors"),
    })?;
    Ok(Language::new("Python", move |side| {
        let mut command = Command::new(interpreter_of(empty.path()));
        command.arg(matrix_folder().join(format!("{}.py", side.name())));
        command
    }))
}

/// The interpreter of a virtual environment.
fn interpreter_of(environment: &Path) -> PathBuf {
    environment.join("bin").join("python")
}

fn matrix_folder() -> PathBuf {
    repo_root().join("bindings/matrix")
}

/// Tests the package; how its programs of the matrix are started.
fn test_node(summary: &mut Summary) -> Result<Language> {
    let package = node_package(false)?;
    let empty = tempfile::tempdir().context("making a folder for an empty project")?;
    let npm = find_on_path("npm").context("`npm` is not on the PATH: install Node.js 20 or newer")?;
    let manifest = empty.path().join("package.json");
    fs::write(&manifest, "{}").with_context(|| format!("writing {}", manifest.display()))?;
    let arguments = [
        "install",
        "--offline",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
    ];
    run(Command::new(npm)
        .current_dir(empty.path())
        .args(arguments)
        .arg(&package))?;

    // The tests are copied beside the installed package, by whose name they import it.
    let project = empty.path();
    let sources = repo_root().join("bindings/node");
    for folder in ["test", "examples"] {
        copy_folder(&sources.join(folder), &project.join(folder))?;
    }
    copy_folder(&matrix_folder(), &project.join("matrix"))?;
    let node = node();
    run(Command::new(&node)
        .current_dir(project)
        .arg("examples/quickstart.mjs"))?;
    let compiler = node_dir().join("node_modules/typescript/bin/tsc");
    let options = [
        "--noEmit", "--strict", "--target", "es2022", "--module", "nodenext",
    ];
    run(Command::new(&node)
        .current_dir(project)
        .arg(compiler)
        .args(options)
        .args(["--lib", "es2022,dom,dom.asynciterable", "test/types.mts"]))?;
    let mut tests = Command::new(&node);
    tests
        .current_dir(project)
        .env("TOOLMESH_REPOSITORY", repo_root())
        .env("TOOLMESH_NODE_DIR", node_dir())
        .args(["--expose-gc", "--test", "--test-reporter", "tap", "test/"]);
    run_and_count(&mut tests, summary, |told| Counts {
        passed: after(told, "# pass"),
        failed: after(told, "# fail"),
    })?;
    Ok(Language::new("Node", move |side| {
        let mut command = Command::new(&node);
        command.arg(empty.path().join("matrix").join(format!("{}.mjs", side.name())));
        command
    }))
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("creating {}", to.display()))?;
    let entries = from
        .read_dir()
        .with_context(|| format!("reading {}", from.display()))?;
    for entry in entries {
        let entry = entry.with_context(|| format!("reading {}", from.display()))?;
        fs::copy(entry.path(), to.join(entry.file_name()))
            .with_context(|| format!("copying {}", entry.path().display()))?;
    }
    Ok(())
}

/// How many tests passed and failed.
struct Counts {
    passed: u64,
    failed: u64,
}

/// Runs the tests of another language, shows what they print, and counts them like those of Cargo.
fn run_and_count(
    command: &mut Command,
    summary: &mut Summary,
    counts: impl Fn(&str) -> Counts,
) -> Result<()> {
    let shown = shown(command);
    let output = command.output().with_context(|| format!("cannot run {shown}"))?;
    let told = String::from_utf8_lossy(&output.stdout);
    print!("{told}{}", String::from_utf8_lossy(&output.stderr));
    let Counts { passed, failed } = counts(&told);
    let is_ok = output.status.success() && passed > 0;
    summary.tell(is_ok, passed, failed);
    if !is_ok {
        bail!("{shown}: {}", output.status);
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

/// The number in the last line that begins with these words: `# pass 42`, as the test runner of Node closes.
fn after(told: &str, words: &str) -> u64 {
    let mut numbers = told
        .lines()
        .filter_map(|line| line.strip_prefix(words)?.trim().parse().ok());
    numbers.next_back().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{after, before};

    #[test]
    fn the_closing_line_of_pytest_is_read() {
        let told = "...F\nsomething passed by\n3 passed, 1 failed, 2 errors in 0.10s\n";
        assert_eq!(
            ["passed", "failed", "errors", "skipped"].map(|word| before(told, word)),
            [3, 1, 2, 0]
        );
    }

    #[test]
    fn the_closing_lines_of_nodes_test_runner_are_read() {
        let told = "ok 1 - # pass 7\n# tests 3\n# pass 2\n# fail 1\n";
        assert_eq!(
            ["# pass", "# fail", "# skipped"].map(|words| after(told, words)),
            [2, 1, 0]
        );
    }
}
