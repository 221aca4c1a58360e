//! The package for Node: installed into an empty project, type-checked and tested there.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result};
use tempfile::TempDir;
use toolmesh_testkit::paths::{find_on_path, node, node_dir, repo_root};

use super::{Counts, matrix_folder, run_and_count, surroundings::Surroundings};
use crate::{cargo::run, matrix::Language, package::node_package, summary::Summary};

/// A project that has the package alone; dropping it removes it.
#[derive(Debug)]
pub(crate) struct Project(TempDir);

impl Project {
    /// Makes one, and installs the package into it; no network is asked.
    pub(crate) fn with(package: &Path) -> Result<Self> {
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
            .arg(package))?;
        Ok(Self(empty))
    }

    /// Where it is.
    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    /// Copies the files of a folder into one of the project: programs beside the installed package import it by its name.
    pub(crate) fn copy(&self, from: &Path, name: &str) -> Result<()> {
        let to = self.folder().join(name);
        fs::create_dir_all(&to).with_context(|| format!("creating {}", to.display()))?;
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
}

/// How long a test may take, in milliseconds: one that waits for what never comes has failed.
const PATIENCE: &str = "--test-timeout=300000";

/// Tests the package; how its programs of the matrix are started.
pub(super) fn test(surroundings: &Surroundings, summary: &mut Summary) -> Result<Language> {
    let project = Project::with(&node_package(false)?)?;
    let sources = repo_root().join("bindings/node");
    for folder in ["test", "examples"] {
        project.copy(&sources.join(folder), folder)?;
    }
    project.copy(&matrix_folder(), "matrix")?;
    let node = node();
    run(Command::new(&node)
        .current_dir(project.folder())
        .arg("examples/quickstart.mjs"))?;
    check_types(&node, project.folder())?;
    let mut tests = Command::new(&node);
    tests
        .current_dir(project.folder())
        .env("TOOLMESH_REPOSITORY", repo_root())
        .env("TOOLMESH_NODE_DIR", node_dir())
        .args([
            "--expose-gc",
            "--test",
            PATIENCE,
            "--test-reporter",
            "tap",
            "test/",
        ]);
    run_and_count(surroundings.tell(&mut tests), summary, |told| Counts {
        passed: after(told, "# pass"),
        failed: after(told, "# fail"),
    })?;
    Ok(Language::new("Node", move |side| {
        let mut command = Command::new(&node);
        command.arg(
            project
                .folder()
                .join("matrix")
                .join(format!("{}.mjs", side.name())),
        );
        command
    }))
}

fn check_types(node: &Path, project: &Path) -> Result<()> {
    let compiler = node_dir().join("node_modules/typescript/bin/tsc");
    let options = [
        "--noEmit", "--strict", "--target", "es2022", "--module", "nodenext",
    ];
    run(Command::new(node)
        .current_dir(project)
        .arg(compiler)
        .args(options)
        .args(["--lib", "es2022,dom,dom.asynciterable", "test/types.mts"]))
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
    use super::after;

    #[test]
    fn the_closing_lines_of_nodes_test_runner_are_read() {
        let told = "ok 1 - # pass 7\n# tests 3\n# pass 2\n# fail 1\n";
        assert_eq!(
            ["# pass", "# fail", "# skipped"].map(|words| after(told, words)),
            [2, 1, 0]
        );
    }
}
