//! The tests of the packages of other languages, on the packages themselves: built, installed into an empty environment,
//! type-checked, run.

pub(crate) mod go;
pub(crate) mod node;
pub(crate) mod python;
mod surroundings;

use std::{path::PathBuf, process::Command};

use anyhow::{Context, Result, bail};
use toolmesh_testkit::paths::repo_root;

use self::surroundings::Surroundings;
use crate::{
    cargo::{built, cargo, run, shown, target_dir},
    matrix::{self, Language, Side},
    summary::Summary,
};

/// Tests every package.
pub(crate) fn test(summary: &mut Summary) -> Result<()> {
    let surroundings = Surroundings::start()?;
    let languages = [
        rust()?,
        python::test(&surroundings, summary).context("testing the Python package")?,
        node::test(&surroundings, summary).context("testing the package for Node")?,
        go::test(&surroundings, summary)?,
    ];
    matrix::test(&languages, summary).context("testing the languages with each other")
}

/// The programs of the matrix in plain Rust.
fn rust() -> Result<Language> {
    let host = rust_program("matrix_host", false)?;
    let caller = rust_program("matrix_caller", false)?;
    Ok(Language::new("Rust", move |side| {
        Command::new(match side {
            Side::Host => &host,
            Side::Caller => &caller,
        })
    }))
}

/// Builds a program in plain Rust that stands beside those of other languages; where it is.
pub(crate) fn rust_program(name: &str, release: bool) -> Result<PathBuf> {
    let profile: &[&str] = if release { &["--release"] } else { &[] };
    let package = ["--package", "toolmesh-embed", "--example", name];
    run(cargo(&["build", "--locked", "--quiet"])
        .args(package)
        .args(profile))?;
    rust_program_built(name, release)
}

/// Where such a program is when it was built.
pub(crate) fn rust_program_built(name: &str, release: bool) -> Result<PathBuf> {
    Ok(built(&target_dir()?, release, &format!("examples/{name}")))
}

/// Where the programs of the matrix are.
fn matrix_folder() -> PathBuf {
    repo_root().join("bindings/matrix")
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
