//! `cargo xtask bench core`: the way of a call through the dispatcher, around an empty handler.

use std::process::Command;

use anyhow::{Context, Result};
use clap::Args;
use serde_json::Value;

use super::{
    program::{self, output_of},
    statistics::Spread,
};
use crate::{cargo::built, table::Table};

/// What every step of a call costs together, and a large catalogue
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How often each case is measured, in turn
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Processor time of a measurement
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..))]
    milliseconds: u32,
}

/// The cases by their names, and what they are.
const CASES: [(&str, &str); 9] = [
    ("handler", "the empty handler alone"),
    ("pass-through", "a call, any object as arguments, no policies"),
    ("schema", "the same with a schema"),
    ("front", "the same with what an MCP server tells of a request"),
    ("limited", "with a schema and two rate limiters"),
    ("observed", "with a schema and an observer"),
    ("crowded", "with a schema, among 100,000 tools"),
    ("search", "a search in 100,000 tools"),
    ("change", "one tool exchanged among 100,000"),
];

/// Builds, measures in turn, prints.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let folder = program::folder()?;
    program::build(&folder, "core_toolmesh", Some("core-toolmesh"))?;
    let program = built(&folder, true, "core_toolmesh");
    let mut samples = vec![Vec::new(); CASES.len()];
    for round in 1..=arguments.rounds {
        eprintln!("round {round} of {}", arguments.rounds);
        for ((case, _), samples) in CASES.iter().zip(&mut samples) {
            let mut command = Command::new(&program);
            command.args([
                "--case",
                case,
                "--milliseconds",
                &arguments.milliseconds.to_string(),
            ]);
            samples.push(measure(&mut command).with_context(|| format!("measuring {case}"))?);
        }
    }
    let mut table = Table::new(&["case", "what", "microseconds"]);
    for ((case, what), samples) in CASES.iter().zip(samples) {
        let spread = Spread::of(samples).context("nothing was measured")?;
        table.row([(*case).to_owned(), (*what).to_owned(), format!("{spread:.2}")]);
    }
    print!("{}", table.render());
    Ok(())
}

/// Microseconds of one call.
fn measure(command: &mut Command) -> Result<f64> {
    let figures: Value =
        serde_json::from_slice(&output_of(command)?).context("the program printed no JSON")?;
    let nanoseconds = figures.get("call_ns").and_then(Value::as_f64);
    Ok(nanoseconds.context("the program printed no `call_ns`")? / 1e3)
}
