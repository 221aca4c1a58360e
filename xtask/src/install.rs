//! Installs what the tests need and Cargo does not bring: npm packages, a Python virtual environment, PostgreSQL.
//!
//! PostgreSQL comes from the system's packages and is installed once. Each of the others is installed anew only when the committed list of pinned versions changed: the stamp beside an installation
//! is a copy of the list it was made from, written last.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result};
use toolmesh_testkit::{
    Postgres,
    paths::{
        conformance_dir, find_on_path, inspector_dir, node_dir, python_dir, python_interpreter, repo_root,
        tests_dir,
    },
};

use crate::cargo::run;

/// The name of the stamp in an installation's folder.
const STAMP: &str = ".installed-from";

/// Lists of what the Python environment holds: the MCP client, what builds and tests our own package, the packages of model
/// providers, a type checker, a client of Calimero nodes.
const PYTHON_LISTS: [&str; 5] = [
    "requirements.txt",
    "requirements-bindings.txt",
    "requirements-providers.txt",
    "requirements-types.txt",
    "requirements-calimero.txt",
];

/// Installs what is missing or out of date.
pub(crate) fn install() -> Result<()> {
    install_node().context("installing the npm packages of the tests")?;
    install_python().context("installing the Python packages of the tests")?;
    install_conformance().context("installing the conformance suite")?;
    install_packages(&clients().join("inspector"), &inspector_dir())
        .context("installing the MCP Inspector")?;
    install_postgres().context("installing PostgreSQL")
}

/// Installs the official MCP conformance suite, and the Node.js that it needs: newer than the one that we ask for.
pub(crate) fn install_conformance() -> Result<()> {
    install_packages(&clients().join("conformance"), &conformance_dir())
}

/// The configuration by which Debian's packages create and start no database of their own.
const NO_CLUSTER: &str = "/etc/postgresql-common/createcluster.conf";

/// Installs Debian's PostgreSQL when there is none and this is root; otherwise the tests that need it say so.
fn install_postgres() -> Result<()> {
    let Some(apt) = find_on_path("apt-get").filter(|_| !Postgres::is_installed() && is_root()) else {
        return Ok(());
    };
    let configuration = Path::new(NO_CLUSTER);
    if !configuration.exists() {
        let folder = configuration.parent().unwrap_or(configuration);
        fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
        fs::write(configuration, "create_main_cluster = false\n")
            .with_context(|| format!("writing {NO_CLUSTER}"))?;
    }
    run(Command::new(&apt).args(["update", "--quiet"]))?;
    let arguments = ["install", "--yes", "--quiet", "--no-install-recommends"];
    run(Command::new(&apt)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .args(arguments)
        // The file above is kept when the package brings its own.
        .args(["--option", "Dpkg::Options::=--force-confold", "postgresql"]))
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}

fn install_node() -> Result<()> {
    install_packages(&clients().join("typescript"), &node_dir())
}

/// Installs the servers from npm that the benchmarks compare with; where they are.
pub(crate) fn install_peers() -> Result<PathBuf> {
    let target = tests_dir().join("bench");
    install_packages(&repo_root().join("bench").join("typescript"), &target)?;
    Ok(target)
}

/// Installs the npm packages that a folder lists.
fn install_packages(source: &Path, target: &Path) -> Result<()> {
    let lock = read(&source.join("package-lock.json"))?;
    if is_current(target, &lock) && target.join("node_modules").is_dir() {
        return Ok(());
    }
    let npm = find_on_path("npm").context("`npm` is not on the PATH: install Node.js 20 or newer")?;
    start_over(target)?;
    for name in ["package.json", "package-lock.json"] {
        fs::copy(source.join(name), target.join(name)).with_context(|| format!("copying {name}"))?;
    }
    // Scripts of packages are not run: programs for this platform come as packages of their own.
    let arguments = [
        "ci",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
    ];
    run(Command::new(npm).current_dir(target).args(arguments))?;
    stamp(target, &lock)
}

/// Installs the Python environment of the tests; the benchmarks use its `mcp`.
pub(crate) fn install_python() -> Result<()> {
    let target = python_dir();
    let requirements = PYTHON_LISTS.map(|name| clients().join("python").join(name));
    let list = requirements
        .iter()
        .map(|path| read(path))
        .collect::<Result<Vec<_>>>()?
        .concat();
    if is_current(&target, &list) && starts(&python_interpreter()) {
        return Ok(());
    }
    let python = find_on_path("python3")
        .or_else(|| find_on_path("python"))
        .context("`python3` is not on the PATH: install Python 3.10 or newer, with its venv module")?;
    start_over(&target)?;
    run(Command::new(python).args(["-m", "venv"]).arg(&target))?;
    let arguments = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    let mut pip = Command::new(python_interpreter());
    pip.args(arguments);
    for path in &requirements {
        pip.arg("--requirement").arg(path);
    }
    run(&mut pip)?;
    stamp(&target, &list)
}

fn clients() -> PathBuf {
    repo_root().join("crates").join("testkit").join("clients")
}

/// Whether the folder was filled from exactly this list, to the end.
fn is_current(target: &Path, list: &str) -> bool {
    fs::read_to_string(target.join(STAMP)).is_ok_and(|stamp| stamp == list)
}

fn stamp(target: &Path, list: &str) -> Result<()> {
    let path = target.join(STAMP);
    fs::write(&path, list).with_context(|| format!("writing {}", path.display()))
}

/// Empties the folder, so that nothing of an older list or a broken attempt stays.
pub(crate) fn start_over(target: &Path) -> Result<()> {
    if target.exists() {
        fs::remove_dir_all(target).with_context(|| format!("removing {}", target.display()))?;
    }
    fs::create_dir_all(target).with_context(|| format!("creating {}", target.display()))
}

/// Whether the interpreter starts at all: a virtual environment breaks when the Python under it is replaced.
fn starts(interpreter: &Path) -> bool {
    let status = Command::new(interpreter)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_installation_is_current_only_for_the_list_it_was_made_from() {
        let folder = std::env::temp_dir().join(format!("xtask-install-{}", std::process::id()));
        start_over(&folder).unwrap();
        assert!(!is_current(&folder, "mcp==2.3.0\n"));
        stamp(&folder, "mcp==2.3.0\n").unwrap();
        assert!(is_current(&folder, "mcp==2.3.0\n"));
        assert!(!is_current(&folder, "mcp==2.3.1\n"));
        start_over(&folder).unwrap();
        assert!(!is_current(&folder, "mcp==2.3.0\n"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
