//! `cargo xtask fuzz`: every fuzz target for some seconds each, from the corpus that is checked in.
//!
//! What the fuzzer finds stays in the target folder; an input worth keeping is copied to `fuzz/corpus/` by hand. The
//! fuzzer, `cargo-fuzz`, is installed into the target folder when it is missing; it needs a nightly toolchain.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};
use clap::Args;
use toolmesh_testkit::paths::{find_on_path, repo_root};

use crate::cargo::{cargo, run as run_command, target_dir};

/// The version that is installed.
const FUZZER: &str = "cargo-fuzz@0.13.2";

/// Inputs are at most this long: the targets' bounds are met well before.
const MAX_LENGTH: u32 = 65_536;

/// Fuzz every target
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How long each target runs
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
    /// Only this target
    #[arg(long)]
    target: Vec<String>,
}

/// Runs one target after the other; the first that fails ends it.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let targets = targets()?;
    if let Some(unknown) = arguments.target.iter().find(|name| !targets.contains(name)) {
        bail!(
            "there is no fuzz target `{unknown}`; there are {}",
            targets.join(", ")
        );
    }
    let chosen = |name: &&String| arguments.target.is_empty() || arguments.target.contains(name);
    let folder = target_dir()?;
    let path = path_with_fuzzer(&folder)?;
    for target in targets.iter().filter(chosen) {
        fuzz(arguments, &folder, &path, target)?;
    }
    Ok(())
}

/// The targets: one a file.
fn targets() -> Result<Vec<String>> {
    let folder = fuzz_dir().join("fuzz_targets");
    let entries = fs::read_dir(&folder).with_context(|| format!("reading {}", folder.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let path = entry
            .with_context(|| format!("reading {}", folder.display()))?
            .path();
        let name = path.file_stem().and_then(|name| name.to_str());
        names.extend(name.map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

fn fuzz_dir() -> PathBuf {
    repo_root().join("fuzz")
}

/// The search path with the fuzzer on it, which is installed when nobody has it.
fn path_with_fuzzer(target_dir: &Path) -> Result<OsString> {
    let tools = target_dir.join("tools");
    let before = env::var_os("PATH").unwrap_or_default();
    if find_on_path("cargo-fuzz").is_some() {
        return Ok(before);
    }
    if !tools.join("bin").join("cargo-fuzz").is_file() {
        run_command(cargo(&["install", "--locked", FUZZER, "--root"]).arg(&tools))?;
    }
    let folders = std::iter::once(tools.join("bin")).chain(env::split_paths(&before));
    env::join_paths(folders).context("a folder of PATH cannot stand in it")
}

fn fuzz(arguments: &Arguments, target_dir: &Path, path: &OsString, target: &str) -> Result<()> {
    let found = target_dir.join("fuzz-corpus").join(target);
    let artifacts = target_dir.join("fuzz-artifacts").join(target);
    for folder in [&found, &artifacts] {
        fs::create_dir_all(folder).with_context(|| format!("creating {}", folder.display()))?;
    }
    eprintln!("{target}: {} s", arguments.seconds);
    let mut command = Command::new("cargo");
    command
        .current_dir(fuzz_dir())
        .env("PATH", path)
        .env("CARGO_TARGET_DIR", target_dir.join("fuzz"))
        // The nightly toolchain chooses its own.
        .env_remove("CARGO")
        .env_remove("RUSTC")
        .args(["+nightly", "fuzz", "run", "--fuzz-dir", ".", target])
        .arg(&found)
        .arg(fuzz_dir().join("corpus").join(target))
        .arg("--")
        .arg(format!("-max_total_time={}", arguments.seconds))
        .arg(format!("-max_len={MAX_LENGTH}"))
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .arg("-print_final_stats=1")
        .stdin(Stdio::null());
    run_command(&mut command).with_context(|| {
        format!(
            "fuzzing {target}: an input that fails is in {}",
            artifacts.display()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_a_corpus_and_every_corpus_a_target() {
        let targets = targets().unwrap();
        assert!(!targets.is_empty());
        for target in &targets {
            let corpus = fuzz_dir().join("corpus").join(target);
            let seeds = fs::read_dir(&corpus).unwrap_or_else(|error| panic!("{}: {error}", corpus.display()));
            assert!(seeds.count() > 0, "{target} has no seed");
        }
        for entry in fs::read_dir(fuzz_dir().join("corpus")).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(targets.contains(&name), "{name} is no target");
        }
    }
}
