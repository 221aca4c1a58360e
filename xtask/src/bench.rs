//! `cargo xtask bench WHAT`: our server and its peers, measured side by side in one run.
//!
//! The peers and the load generator are a workspace of their own (`bench/`), built in release into a folder of its
//! own. Absolute figures depend on the machine; the ratios within one round are what counts.

mod core;
mod evm;
mod http;
mod json;
mod program;
mod schema;
mod statistics;

use anyhow::Result;
use clap::{Args, Subcommand};

/// Measure side by side with peers
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Core(core::Arguments),
    Evm(evm::Arguments),
    Http(http::Arguments),
    Json(json::Arguments),
    Schema(schema::Arguments),
}

/// Runs the chosen benchmark.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    match &arguments.what {
        What::Core(arguments) => core::run(arguments),
        What::Evm(arguments) => evm::run(arguments),
        What::Http(arguments) => http::run(arguments),
        What::Json(arguments) => json::run(arguments),
        What::Schema(arguments) => schema::run(arguments),
    }
}
