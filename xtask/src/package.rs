//! `cargo xtask package`: the packages of other languages, as files that their own tools install.

pub(crate) mod go;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};
use clap::Args;
use toolmesh_testkit::paths::{find_on_path, python, repo_root};

use crate::{
    cargo::{cargo, run as run_command, target_dir},
    install::start_over,
};

/// Build the packages of other languages: a wheel for Python, a package for Node, an archive for Go
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Build without optimisation, in a few seconds: for tests
    #[arg(long)]
    dev: bool,
}

/// Builds every package and prints where it is.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let release = !arguments.dev;
    for built in [
        python_wheel(release)?,
        node_package(release)?,
        go::module_archive(release)?,
    ] {
        println!("{}", built.display());
    }
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

/// Builds the package for Node, with the native module of this system in it.
pub(crate) fn node_package(release: bool) -> Result<PathBuf> {
    let profile = if release { "release" } else { "dev" };
    run_command(&mut cargo(&[
        "build",
        "--locked",
        "--quiet",
        "--package",
        "toolmesh-napi",
        "--profile",
        profile,
    ]))?;
    let folder = target_dir()?.join("package").join(profile).join("node");
    let staged = folder.join("staged");
    start_over(&staged)?;
    start_over(&folder.join("packed"))?;
    let sources = repo_root().join("bindings/node");
    for name in ["package.json", "README.md"] {
        copy(&sources.join(name), &staged.join(name))?;
    }
    let lib = staged.join("lib");
    start_over(&lib)?;
    for file in files(&sources.join("lib"))? {
        let name = file.file_name().context("a file has a name")?;
        copy(&file, &lib.join(name))?;
    }
    copy(&native_module(release)?, &lib.join("toolmesh.node"))?;
    let npm = find_on_path("npm").context("`npm` is not on the PATH: install Node.js 20 or newer")?;
    let mut pack = Command::new(npm);
    pack.current_dir(&staged)
        .args(["pack", "--silent", "--pack-destination"])
        .arg(folder.join("packed"));
    run_command(&mut pack)?;
    only_file(&folder.join("packed"))
}

/// The shared library that Cargo built for Node.
fn native_module(release: bool) -> Result<PathBuf> {
    let folder = if release { "release" } else { "debug" };
    let name = format!(
        "{}toolmesh_napi{}",
        env::consts::DLL_PREFIX,
        env::consts::DLL_SUFFIX
    );
    Ok(target_dir()?.join(folder).join(name))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).with_context(|| format!("copying {}", from.display()))?;
    Ok(())
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = folder.read_dir();
    let entries = entries.with_context(|| format!("reading {}", folder.display()))?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    paths
        .collect::<Result<_, _>>()
        .with_context(|| format!("reading {}", folder.display()))
}

fn only_file(folder: &Path) -> Result<PathBuf> {
    match files(folder)?.as_slice() {
        [file] => Ok(file.clone()),
        _ => bail!("{} does not hold one file", folder.display()),
    }
}
