//! `cargo xtask package`: the packages of other languages, as files that their own tools install.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};
use clap::Args;
use toolmesh_testkit::paths::{python, repo_root};

use crate::{
    cargo::{run as run_command, target_dir},
    install::start_over,
};

/// Build the packages of other languages: a wheel for Python
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Build without optimisation, in a few seconds: for tests
    #[arg(long)]
    dev: bool,
}

/// Builds every package and prints where it is.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let wheel = python_wheel(!arguments.dev)?;
    println!("{}", wheel.display());
    Ok(())
}

/// Builds the wheel of the Python package, for this system and every Python from 3.10.
pub(crate) fn python_wheel(release: bool) -> Result<PathBuf> {
    let profile = if release { "release" } else { "dev" };
    let folder = target_dir()?.join("package").join(profile).join("python");
    start_over(&folder)?;
    let mut maturin = Command::new(python());
    maturin
        .args([
            "-m",
            "maturin",
            "build",
            "--quiet",
            "--locked",
            "--strip",
            "--profile",
            profile,
        ])
        .arg("--manifest-path")
        .arg(repo_root().join("bindings/python/Cargo.toml"))
        .arg("--out")
        .arg(&folder);
    run_command(&mut maturin)?;
    only_file(&folder)
}

fn only_file(folder: &Path) -> Result<PathBuf> {
    let mut files = folder
        .read_dir()
        .with_context(|| format!("reading {}", folder.display()))?
        .map(|entry| entry.map(|entry| entry.path()));
    match (files.next().transpose()?, files.next()) {
        (Some(file), None) => Ok(file),
        _ => bail!("{} does not hold one file", folder.display()),
    }
}
