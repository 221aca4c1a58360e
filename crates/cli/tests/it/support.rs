//! Running the binary in the repository's folder, so that no path of a machine is on any screen.

use std::{path::PathBuf, process::Command};

use serde_json::Value;
use toolmesh_testkit::{Finished, paths::repo_root, run_command};

/// The binary under test.
pub(crate) const TOOLMESH: &str = env!("CARGO_BIN_EXE_toolmesh");

/// The example contract, as seen from the folder that commands run in.
pub(crate) const TOKEN: &str = "examples/token.json";

/// The first account of the sandbox, which holds every token at first.
pub(crate) const HOLDER: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

/// The second account of the sandbox.
pub(crate) const RECEIVER: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

/// The binary with these arguments, without variables around the tests that it, or the width of its help, depends on.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(TOOLMESH);
    command.args(arguments).current_dir(repo_root());
    for (name, _) in std::env::vars_os() {
        let foreign = ["TOOLMESH_", "CALIMERO_"];
        let text = name.to_string_lossy().into_owned();
        if foreign.iter().any(|prefix| text.starts_with(prefix)) || name == "RUST_LOG" || name == "COLUMNS" {
            command.env_remove(name);
        }
    }
    command
}

/// Runs the binary to its end.
#[track_caller]
pub(crate) fn toolmesh(arguments: &[&str]) -> Finished {
    run_command(&mut command(arguments))
}

/// Runs the binary with one variable set.
#[track_caller]
pub(crate) fn toolmesh_with(variables: &[(&str, &str)], arguments: &[&str]) -> Finished {
    run_command(command(arguments).envs(variables.iter().copied()))
}

/// What a person sees: the exit code and both outputs.
pub(crate) fn screen(finished: &Finished) -> String {
    let code = finished
        .code()
        .map_or_else(|| "by a signal".to_owned(), |code| code.to_string());
    let mut text = format!("exit code {code}\n");
    for (name, output) in [("stdout", &finished.stdout), ("stderr", &finished.stderr)] {
        if !output.is_empty() {
            text.push_str(&format!("--- {name}\n{}\n", output.trim_end()));
        }
    }
    text.trim_end().to_owned()
}

/// The JSON on standard output of a run that went well.
#[track_caller]
pub(crate) fn json(finished: &Finished) -> Value {
    assert_eq!(finished.code(), Some(0), "{}", screen(finished));
    serde_json::from_str(&finished.stdout).unwrap()
}

/// A folder with these files.
pub(crate) fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// The example artifact.
pub(crate) fn artifact() -> Value {
    let text = std::fs::read_to_string(token_path()).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The example artifact's path from the root.
pub(crate) fn token_path() -> PathBuf {
    repo_root().join(TOKEN)
}
