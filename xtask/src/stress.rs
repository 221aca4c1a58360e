//! `cargo xtask stress`: the test of many callers, watchers and changes, in release and at full size.

use anyhow::Result;
use clap::Args;

use crate::cargo::{cargo, run as run_command};

/// Many callers at once while the catalogue changes, at full size
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Calls that each of the 64 callers makes
    #[arg(long, default_value_t = 10_000)]
    calls: u64,
    /// Other tools in the catalogue
    #[arg(long, default_value_t = 100_000)]
    tools: u64,
}

/// Builds the core's tests in release and runs the one.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut command = cargo(&[
        "test",
        "--release",
        "-p",
        "toolmesh-tool",
        "--test",
        "it",
        "stress::",
        "--",
        "--nocapture",
    ]);
    command
        .env("TOOLMESH_STRESS_CALLS", arguments.calls.to_string())
        .env("TOOLMESH_STRESS_TOOLS", arguments.tools.to_string());
    run_command(&mut command)
}
