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
    cargo::{as_typed, cargo, run as run_command, target_dir},
    install::start_over,
    reference::PAGE,
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
    let Packages { python, node, go } = Packages::build(!arguments.dev)?;
    for built in [python, node, go] {
        println!("{}", built.display());
    }
    Ok(())
}

/// One package of each language.
#[derive(Debug)]
pub(crate) struct Packages {
    /// The wheel.
    pub(crate) python: PathBuf,
    /// The package for npm.
    pub(crate) node: PathBuf,
    /// The archive of the Go module.
    pub(crate) go: PathBuf,
}

impl Packages {
    /// Builds every package.
    pub(crate) fn build(release: bool) -> Result<Self> {
        Ok(Self {
            python: python_wheel(release)?,
            node: node_package(release)?,
            go: go::module_archive(release)?,
        })
    }

    /// The packages that were built last.
    pub(crate) fn built(release: bool) -> Result<Self> {
        let last = |language| {
            let package = folder_of(release, language).and_then(|folder| only_file(&folder));
            package.context("looking for the packages: run `cargo xtask package` first")
        };
        Ok(Self {
            python: last(PYTHON)?,
            node: last(NODE)?,
            go: last(GO)?,
        })
    }
}

/// Where the package of a language is put, and nothing else.
const PYTHON: &str = "python";
const NODE: &str = "node/packed";
const GO: &str = "go";

fn folder_of(release: bool, language: &str) -> Result<PathBuf> {
    let packages = target_dir()?.join("package");
    Ok(packages.join(profile_of(release)).join(language))
}

/// What Cargo and maturin call the profile.
fn profile_of(release: bool) -> &'static str {
    if release { "release" } else { "dev" }
}

/// Builds the wheel of the Python package, for this system and every Python from 3.10.
pub(crate) fn python_wheel(release: bool) -> Result<PathBuf> {
    let folder = folder_of(release, PYTHON)?;
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
            profile_of(release),
        ])
        .arg("--manifest-path")
        .arg(repo_root().join("bindings/python/Cargo.toml"))
        .arg("--out")
        .arg(&folder);
    run_command(as_typed(&mut maturin))?;
    only_file(&folder)
}

/// Builds the package for Node, with the native module of this system in it.
pub(crate) fn node_package(release: bool) -> Result<PathBuf> {
    run_command(&mut cargo(&[
        "build",
        "--locked",
        "--quiet",
        "--package",
        "toolmesh-napi",
        "--profile",
        profile_of(release),
    ]))?;
    let packed = folder_of(release, NODE)?;
    let staged = packed.with_file_name("staged");
    start_over(&staged)?;
    start_over(&packed)?;
    let sources = repo_root().join("bindings/node");
    for name in ["package.json", "README.md", PAGE] {
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
        .arg(&packed);
    run_command(&mut pack)?;
    only_file(&packed)
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
