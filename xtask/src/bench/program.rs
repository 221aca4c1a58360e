//! Programs of the `bench` workspace: built in release, each alone, and run for their output.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result};

use crate::cargo::{cargo, check, run as run_command, shown, target_dir};

/// Where the programs are built: a folder of their own.
pub(super) fn folder() -> Result<PathBuf> {
    Ok(target_dir()?.join("bench"))
}

/// Builds one program into the folder, alone with its feature: what another asks of a shared crate is not asked here.
pub(super) fn build(folder: &Path, program: &str, feature: Option<&str>) -> Result<()> {
    let mut command = cargo(&["build", "--release", "--manifest-path", "bench/Cargo.toml"]);
    command.args(["--bin", program]);
    if let Some(feature) = feature {
        command.args(["--features", feature]);
    }
    run_command(command.env("CARGO_TARGET_DIR", folder))
}

/// Runs a command, its errors on the terminal; what it printed.
pub(super) fn output_of(command: &mut Command) -> Result<Vec<u8>> {
    let shown = shown(command);
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot run {shown}"))?;
    check(&shown, output.status)?;
    Ok(output.stdout)
}
