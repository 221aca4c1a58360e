//! Where the repository is, and the things that `cargo xtask test` installed.

use std::{
    env,
    path::{Path, PathBuf},
};

/// The variable that moves [`tests_dir`], so that several clones share one installation.
pub const TESTS_DIR_VARIABLE: &str = "TOOLMESH_TESTS_DIR";

/// The root of the repository: the folder of the workspace's `Cargo.toml`.
#[must_use]
pub fn repo_root() -> PathBuf {
    let crate_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    crate_dir.ancestors().nth(2).unwrap_or(crate_dir).to_path_buf()
}

/// The folder of what the tests need and Cargo does not bring: `node/` with the npm packages and `python/`, a
/// virtual environment. `TOOLMESH_TESTS_DIR` when set, else `.tests` in the repository (ignored by git).
#[must_use]
pub fn tests_dir() -> PathBuf {
    env::var_os(TESTS_DIR_VARIABLE)
        .filter(|value| !value.is_empty())
        .map_or_else(|| repo_root().join(".tests"), PathBuf::from)
}

/// The folder whose `node_modules` holds the npm packages.
#[must_use]
pub fn node_dir() -> PathBuf {
    tests_dir().join("node")
}

/// The folder whose `node_modules` holds the official MCP conformance suite.
#[must_use]
pub fn conformance_dir() -> PathBuf {
    tests_dir().join("conformance")
}

/// The conformance suite's program, to be run by [`conformance_node`].
#[must_use]
pub fn conformance_suite() -> PathBuf {
    let package = Path::new("node_modules/@modelcontextprotocol/conformance/dist/index.js");
    conformance_dir().join(package)
}

/// The folder whose `node_modules` holds the MCP Inspector.
#[must_use]
pub fn inspector_dir() -> PathBuf {
    tests_dir().join("inspector")
}

/// The Inspector's program, to be run by [`conformance_node`].
///
/// # Panics
/// When it is not installed.
#[must_use]
#[track_caller]
pub fn inspector_program() -> PathBuf {
    let package = Path::new("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
    let program = inspector_dir().join(package);
    assert!(
        program.is_file(),
        "no MCP Inspector for the tests at {}: run `cargo xtask test --only install` once",
        program.display()
    );
    program
}

/// The Node.js that the conformance suite and the Inspector need: the one that came with the suite, or, on a system for
/// which none comes, the one on the path.
#[must_use]
pub fn conformance_node() -> PathBuf {
    let modules = conformance_dir().join("node_modules");
    let packages = modules.read_dir().into_iter().flatten().filter_map(Result::ok);
    let mut programs = packages
        .filter(|package| package.file_name().to_string_lossy().starts_with("node-"))
        .map(|package| package.path().join("bin").join(program_name("node")));
    let found = programs.find(|program| program.is_file());
    found.unwrap_or_else(|| PathBuf::from("node"))
}

/// The folder of the Python virtual environment.
#[must_use]
pub fn python_dir() -> PathBuf {
    tests_dir().join("python")
}

/// The virtual environment's interpreter, whether it is installed or not; [`python`] insists.
#[must_use]
pub fn python_interpreter() -> PathBuf {
    if cfg!(windows) {
        python_dir().join("Scripts").join("python.exe")
    } else {
        python_dir().join("bin").join("python")
    }
}

/// A script of an outside client or server: `language` is `python` or `typescript`.
#[must_use]
pub fn client_script(language: &str, script: &str) -> PathBuf {
    repo_root()
        .join("crates/testkit/clients")
        .join(language)
        .join(script)
}

/// The Python interpreter that has the `mcp` package.
///
/// # Panics
/// When it is not installed.
#[must_use]
#[track_caller]
pub fn python() -> PathBuf {
    let interpreter = python_interpreter();
    assert!(
        interpreter.is_file(),
        "no Python for the tests at {}: run `cargo xtask test --only install` once",
        interpreter.display()
    );
    interpreter
}

/// The `node` on the path.
///
/// # Panics
/// When there is none, or the npm packages are not installed.
#[must_use]
#[track_caller]
pub fn node() -> PathBuf {
    let modules = node_dir().join("node_modules");
    assert!(
        modules.is_dir(),
        "no npm packages for the tests at {}: run `cargo xtask test --only install` once",
        modules.display()
    );
    find_on_path("node").unwrap_or_else(|| panic!("`node` is not on the PATH: install Node.js 20 or newer"))
}

/// The anvil that `cargo xtask test` installed: the program itself, not npm's wrapper script around it.
#[must_use]
pub fn installed_anvil() -> Option<PathBuf> {
    // npm installs the one platform package that fits, named @foundry-rs/anvil-<system>-<processor>.
    let scope = node_dir().join("node_modules").join("@foundry-rs");
    let mut packages = scope.read_dir().ok()?.filter_map(Result::ok);
    packages.find_map(|package| {
        let is_platform_package = package.file_name().to_string_lossy().starts_with("anvil-");
        let program = package.path().join("bin").join(program_name("anvil"));
        (is_platform_package && program.is_file()).then_some(program)
    })
}

/// A program of that name in one of the folders of `PATH`.
#[must_use]
pub fn find_on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|dir| dir.join(program_name(name)))
        .find(|candidate| candidate.is_file())
}

fn program_name(name: &str) -> String {
    format!("{name}{}", env::consts::EXE_SUFFIX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_root_is_the_workspace() {
        let manifest = std::fs::read_to_string(repo_root().join("Cargo.toml")).unwrap();
        assert!(manifest.contains("[workspace]"));
    }

    #[test]
    fn a_program_that_does_not_exist_is_not_found_on_the_path() {
        assert_eq!(find_on_path("no-such-program-anywhere"), None);
    }

    #[test]
    fn a_program_that_exists_is_found_on_the_path() {
        let cargo = find_on_path("cargo").expect("tests run under cargo");
        assert!(cargo.is_absolute());
    }
}
