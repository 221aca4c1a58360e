//! `cargo xtask bench schema`: compiling schemas and judging values, on us, on jsonschema, and on boon.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};
use clap::Args;
use serde_json::Value;

use super::{
    program::{self, output_of},
    statistics::Spread,
};
use crate::{cargo::built, table::Table};

/// Compiling schemas and judging values, the meter on: us, jsonschema, boon
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How often each validator is measured on each case, in turn
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Processor time of a measurement
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..))]
    milliseconds: u32,
    /// Only these cases
    #[arg(long)]
    case: Vec<String>,
}

/// A validator with the program of the `bench` workspace that holds it. The product asks for exact numbers of
/// `serde_json`, and a peer in the same build would pay for them.
struct Contender {
    name: &'static str,
    program: &'static str,
}

const CONTENDERS: [Contender; 3] = [
    Contender {
        name: "jsonschema",
        program: "schema_peers",
    },
    Contender {
        name: "toolmesh",
        program: "schema_toolmesh",
    },
    Contender {
        name: "boon",
        program: "schema_peers",
    },
];

/// The programs with the features that build them.
const PROGRAMS: [(&str, &str); 2] = [
    ("schema_peers", "schema-peers"),
    ("schema_toolmesh", "schema-toolmesh"),
];

const CASES: [&str; 7] = [
    "transfer",
    "transfer-invalid",
    "search",
    "search-invalid",
    "large",
    "deep",
    "exponential",
];

/// One measurement, as a program prints it.
#[derive(Debug, Clone, Copy)]
struct Sample {
    compile: f64,
    judge: f64,
    refused: bool,
}

/// Builds, measures in turn, prints.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let programs = build()?;
    let mut table = Table::new(&[
        "case",
        "validator",
        "compile us",
        "judge us",
        "compile, times as fast as jsonschema",
        "judge, times as fast as jsonschema",
    ]);
    let wanted = |case: &&str| arguments.case.is_empty() || arguments.case.iter().any(|only| only == case);
    for case in CASES.into_iter().filter(wanted) {
        let mut samples = vec![Vec::new(); CONTENDERS.len()];
        for round in 1..=arguments.rounds {
            eprintln!("{case}: round {round} of {}", arguments.rounds);
            for (contender, samples) in CONTENDERS.iter().zip(&mut samples) {
                let sample = measure(arguments, &programs, contender, case);
                samples.push(sample.with_context(|| format!("measuring {} on {case}", contender.name))?);
            }
        }
        add_rows(&mut table, case, &samples)?;
    }
    print!("{}", table.render());
    Ok(())
}

/// Builds the programs in release, each alone; the folder they were built into.
fn build() -> Result<PathBuf> {
    let folder = program::folder()?;
    for (program, feature) in PROGRAMS {
        program::build(&folder, program, Some(feature))?;
    }
    Ok(folder)
}

fn measure(arguments: &Arguments, programs: &Path, contender: &Contender, case: &str) -> Result<Sample> {
    let mut command = Command::new(built(programs, true, contender.program));
    command.args(["--validator", contender.name, "--case", case]);
    command.args(["--milliseconds", &arguments.milliseconds.to_string()]);
    sample(&output_of(&mut command)?)
}

fn sample(json: &[u8]) -> Result<Sample> {
    let figures: Value = serde_json::from_slice(json).context("the program printed no JSON")?;
    let figure = |name: &str| {
        figures
            .get(name)
            .and_then(Value::as_f64)
            .with_context(|| format!("the program printed no `{name}`"))
    };
    Ok(Sample {
        compile: figure("compile_ns")?,
        judge: figure("judge_ns")?,
        refused: figures.get("refused").and_then(Value::as_bool).unwrap_or(false),
    })
}

/// Medians with their spread; ratios are taken within a round.
fn add_rows(table: &mut Table, case: &str, samples: &[Vec<Sample>]) -> Result<()> {
    let first = samples.first().context("nothing was measured")?;
    for (contender, own) in CONTENDERS.iter().zip(samples) {
        let microseconds = |pick: fn(&Sample) -> f64| {
            Spread::of(own.iter().map(|sample| pick(sample) / 1e3)).context("nothing was measured")
        };
        let ratio = |pick: fn(&Sample) -> f64| {
            let ratios = own.iter().zip(first).map(|(own, first)| pick(first) / pick(own));
            Spread::of(ratios).context("nothing was measured")
        };
        let refused = own.iter().any(|sample| sample.refused);
        let note = if refused { ", refused: over budget" } else { "" };
        table.row([
            case.to_owned(),
            contender.name.to_owned(),
            format!("{:.2}", microseconds(|sample| sample.compile)?),
            format!("{:.2}{note}", microseconds(|sample| sample.judge)?),
            format!("{:.2}", ratio(|sample| sample.compile)?),
            format!("{:.2}", ratio(|sample| sample.judge)?),
        ]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_taken_within_a_round() {
        let sample = |judge| Sample {
            compile: 1_000.0,
            judge,
            refused: judge > 100.0,
        };
        let mut table = Table::new(&["case"]);
        let samples = [
            vec![sample(10.0), sample(30.0)],
            vec![sample(5.0), sample(15.0)],
            vec![sample(200.0), sample(300.0)],
        ];
        add_rows(&mut table, "small", &samples).unwrap();
        let text = table.render();
        assert!(text.contains("2.00 (2.00-2.00)"), "{text}");
        assert!(text.contains("refused: over budget"), "{text}");
    }
}
