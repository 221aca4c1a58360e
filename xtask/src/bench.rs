//! `cargo xtask bench WHAT`: our server and its peers, measured side by side in one run. Several may be named, each with
//! its own options behind it: `cargo xtask bench http --rounds 7 stdio`.
//!
//! The peers and the load generator are a workspace of their own (`bench/`), built in release into a folder of its
//! own. Absolute figures depend on the machine; the ratios within one round are what counts.

mod bindings;
mod contender;
mod core;
mod evm;
mod http;
mod json;
mod list;
mod mesh;
mod program;
mod sample;
mod schema;
mod start;
mod statistics;
mod stdio;

use anyhow::Result;
use clap::{Args, CommandFactory as _, Parser, Subcommand};

/// Measure side by side with peers
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Arguments {
    /// Benchmarks by name, each with its own options behind it; `--help` tells of them
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "WHAT"
    )]
    words: Vec<String>,
}

/// Measure side by side with peers; several benchmarks may be named, each with its own options behind it
#[derive(Debug, Parser)]
#[command(name = "cargo xtask bench", bin_name = "cargo xtask bench")]
struct One {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Bindings(bindings::Arguments),
    Core(core::Arguments),
    Evm(evm::Arguments),
    Http(http::Arguments),
    Json(json::Arguments),
    Mesh(mesh::Arguments),
    Schema(schema::Arguments),
    Start(start::Arguments),
    Stdio(stdio::Arguments),
}

/// Runs the chosen benchmarks, one after the other.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    // What cannot be understood is told before anything is measured; clap ends the process then.
    let chosen: Vec<_> = each(&arguments.words).map(One::parse_from).collect();
    chosen.iter().try_for_each(|one| one.what.run())
}

impl What {
    fn run(&self) -> Result<()> {
        match self {
            Self::Bindings(arguments) => bindings::run(arguments),
            Self::Core(arguments) => core::run(arguments),
            Self::Evm(arguments) => evm::run(arguments),
            Self::Http(arguments) => http::run(arguments),
            Self::Json(arguments) => json::run(arguments),
            Self::Mesh(arguments) => mesh::run(arguments),
            Self::Schema(arguments) => schema::run(arguments),
            Self::Start(arguments) => start::run(arguments),
            Self::Stdio(arguments) => stdio::run(arguments),
        }
    }
}

/// The words of each benchmark, behind the name of the program: a name begins the next one.
fn each(words: &[String]) -> impl Iterator<Item = Vec<&str>> {
    let program = One::command();
    let names: Vec<_> = program
        .get_subcommands()
        .map(|what| what.get_name().to_owned())
        .collect();
    let mut parts: Vec<Vec<&str>> = Vec::new();
    for word in words {
        match parts.last_mut() {
            Some(part) if !names.contains(word) => part.push(word),
            _ => parts.push(vec!["cargo xtask bench", word]),
        }
    }
    parts.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_benchmarks_are_named_each_with_its_own_options() {
        let words = ["http", "--rounds", "7", "stdio", "core", "--rounds=3"].map(str::to_owned);
        let parts: Vec<_> = each(&words).map(|part| part[1..].join(" ")).collect();
        assert_eq!(parts, ["http --rounds 7", "stdio", "core --rounds=3"]);
        for part in each(&words) {
            One::try_parse_from(part).unwrap();
        }
    }
}
