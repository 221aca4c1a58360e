//! Cargo, called the way the person called us.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
};

use anyhow::{Context, Result, bail};
use toolmesh_testkit::paths::repo_root;

/// A `cargo` command in the root of the repository: the same toolchain that runs this chore.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let program = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(program);
    command.current_dir(repo_root()).args(arguments);
    as_typed(&mut command);
    command
}

/// Takes from a command what Cargo told this program of its own package. Some build scripts read variables of these names and are
/// run anew when one changes, with every crate above them: between a build that a person starts and the same one of a chore.
pub(crate) fn as_typed(command: &mut Command) -> &mut Command {
    for (name, _) in env::vars_os() {
        let is_of_this_package = name
            .to_str()
            .is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"));
        if is_of_this_package {
            command.env_remove(name);
        }
    }
    command
}

/// Where Cargo builds: `CARGO_TARGET_DIR`, the configuration's directory, or `target/`; Cargo itself knows.
pub(crate) fn target_dir() -> Result<PathBuf> {
    let output = cargo(&["metadata", "--no-deps", "--format-version", "1"])
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo metadata")?;
    check("cargo metadata", output.status)?;
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).context("cargo metadata printed no JSON")?;
    let directory = metadata
        .get("target_directory")
        .and_then(serde_json::Value::as_str);
    directory
        .map(PathBuf::from)
        .context("cargo metadata names no target_directory")
}

/// Builds the `toolmesh` command and answers where it is.
pub(crate) fn build_toolmesh(release: bool) -> Result<PathBuf> {
    let profile: &[&str] = if release { &["--release"] } else { &[] };
    run(cargo(&["build", "--quiet", "--package", "toolmesh-cli"]).args(profile))?;
    Ok(built(&target_dir()?, release, "toolmesh"))
}

/// Where a built program of that name is.
pub(crate) fn built(target_dir: &Path, release: bool, program: &str) -> PathBuf {
    let profile = if release { "release" } else { "debug" };
    target_dir
        .join(profile)
        .join(format!("{program}{}", env::consts::EXE_SUFFIX))
}

/// Runs a command with the terminal's own input and output, and fails when it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    let status = command.status().with_context(|| format!("cannot run {shown}"))?;
    check(&shown, status)
}

/// Turns a status that is not success into an error that names the command.
pub(crate) fn check(shown: &str, status: ExitStatus) -> Result<()> {
    if !status.success() {
        bail!("{shown} failed ({status})");
    }
    Ok(())
}

/// A command as a person would type it, without the folder of its program.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program())
        .file_stem()
        .unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_typed() {
        let mut command = Command::new("/somewhere/bin/cargo");
        command.args(["fmt", "--all"]);
        assert_eq!(shown(&command), "cargo fmt --all");
    }

    #[test]
    fn cargo_is_told_nothing_of_this_package() {
        let command = cargo(&[]);
        let removed: Vec<_> = command
            .get_envs()
            .filter_map(|(name, value)| value.is_none().then_some(name))
            .collect();
        for name in ["CARGO_PKG_NAME", "CARGO_MANIFEST_DIR"] {
            assert!(
                env::var_os(name).is_some() && removed.contains(&name.as_ref()),
                "{name}"
            );
        }
    }

    #[test]
    fn cargo_knows_where_it_builds() {
        assert!(target_dir().unwrap().is_absolute());
    }
}
