//! `cargo xtask bench evm`: the committed interfaces, repeated to 1,400 functions, to tools that can be called.

use std::{path::PathBuf, process::Command};

use anyhow::{Context, Result};
use clap::Args;
use serde_json::Value;
use toolmesh_testkit::paths::repo_root;

use super::{
    program::{self, output_of},
    statistics::Spread,
};
use crate::{cargo::built, table::Table};

/// The committed interfaces to validated tools: reading, and mapping with the schemas compiled
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How many functions a round maps
    #[arg(long, default_value_t = 1_400, value_parser = clap::value_parser!(u32).range(1..))]
    functions: u32,
    /// How many rounds are measured
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// A Python that has the package abi-to-mcp 0.1.0, to measure its mapper over the same interfaces
    #[arg(long, value_name = "PROGRAM")]
    python: Option<PathBuf>,
}

/// The peer in Python.
const PEER: &str = "bench/python/abi_to_mcp_corpus.py";

/// The program of the `bench` workspace, and the feature that builds it.
const PROGRAM: (&str, &str) = ("evm_toolmesh", "evm-toolmesh");

/// How many characters of a failure are shown.
const SHOWN: usize = 120;

/// What may pass between the bytes and the tools, in milliseconds.
const BUDGET: f64 = 50.0;

/// Builds, measures, prints.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let (name, feature) = PROGRAM;
    let folder = program::folder()?;
    program::build(&folder, name, Some(feature))?;
    let mut command = Command::new(built(&folder, true, name));
    let interfaces = repo_root().join("testdata/solidity");
    command.arg("--folder").arg(&interfaces);
    command.args(["--functions", &arguments.functions.to_string()]);
    command.args(["--rounds", &arguments.rounds.to_string()]);
    print!("{}", report(&output_of(&mut command)?)?);
    if let Some(python) = &arguments.python {
        let mut peer = Command::new(python);
        peer.arg(repo_root().join(PEER)).arg(&interfaces);
        peer.arg(arguments.rounds.to_string());
        print!("{}", peer_report(&output_of(&mut peer)?)?);
    }
    Ok(())
}

fn peer_report(json: &[u8]) -> Result<String> {
    let figures: Value = serde_json::from_slice(json).context("the peer printed no JSON")?;
    let count = |name| number(&figures, name);
    let measured = milliseconds(&figures, "milliseconds")?;
    let spread = Spread::of(measured).context("nothing was measured")?;
    let functions = count("functions")?;
    let failures = failures(&figures)?;
    let (mapped, empty) = (count("interfaces")?, count("without_functions")?);
    let mut text = format!(
        "abi-to-mcp 0.1.0 maps {mapped} of {} interfaces: {functions} functions in {spread:.2} ms, {:.1} us a function \
         (nothing is compiled or checked); {empty} have no function\n",
        mapped + empty + u64::try_from(failures.len())?,
        spread.median * 1e3 / functions.max(1) as f64,
    );
    for (file, error) in failures {
        text.push_str(&format!("  it fails on {file}: {error}\n"));
    }
    Ok(text)
}

/// The files that the peer fails on, and its own words.
fn failures(figures: &Value) -> Result<Vec<(String, String)>> {
    let list = figures
        .get("failures")
        .and_then(Value::as_array)
        .context("the peer printed no `failures`")?;
    let text = |failure: &Value, name: &str| {
        let text = failure.get(name).and_then(Value::as_str).unwrap_or_default();
        text.chars().take(SHOWN).collect::<String>()
    };
    Ok(list
        .iter()
        .map(|failure| (text(failure, "file"), text(failure, "error")))
        .collect())
}

fn number(figures: &Value, name: &str) -> Result<u64> {
    figures
        .get(name)
        .and_then(Value::as_u64)
        .with_context(|| format!("the program printed no `{name}`"))
}

fn report(json: &[u8]) -> Result<String> {
    let figures: Value = serde_json::from_slice(json).context("the program printed no JSON")?;
    let count = |name| number(&figures, name);
    let read = milliseconds(&figures, "read_milliseconds")?;
    let map = milliseconds(&figures, "map_milliseconds")?;
    let both: Vec<f64> = read.iter().zip(&map).map(|(read, map)| read + map).collect();
    let mut table = Table::new(&["stage", "ms"]);
    for (stage, measured) in [("read", &read), ("map", &map), ("both", &both)] {
        let spread = Spread::of(measured.iter().copied()).context("nothing was measured")?;
        table.row([stage.to_owned(), format!("{spread:.2}")]);
    }
    let median = Spread::of(both.iter().copied())
        .context("nothing was measured")?
        .median;
    let verdict = if median < BUDGET { "within" } else { "over" };
    let functions = count("functions")?;
    Ok(format!(
        "{}\n{functions} functions of {} interfaces a round, {:.1} us a function; {verdict} the budget of {BUDGET} ms\n",
        table.render(),
        count("interfaces")?,
        median * 1e3 / functions.max(1) as f64,
    ))
}

fn milliseconds(figures: &Value, name: &str) -> Result<Vec<f64>> {
    let list = figures
        .get(name)
        .and_then(Value::as_array)
        .with_context(|| format!("the program printed no `{name}`"))?;
    Ok(list.iter().filter_map(Value::as_f64).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_added_round_by_round_and_compared_with_the_budget() {
        let json = br#"{"interfaces":3,"functions":40,"read_milliseconds":[1.0,2.0,3.0],"map_milliseconds":[9.0,8.0,7.0]}"#;
        let text = report(json).unwrap();
        assert!(
            text.contains("10.00 (10.00-10.00)") && text.contains("within the budget"),
            "{text}"
        );
        let slow = br#"{"interfaces":3,"functions":40,"read_milliseconds":[1.0],"map_milliseconds":[90.0]}"#;
        assert!(report(slow).unwrap().contains("over the budget"));
    }

    #[test]
    fn the_peer_is_told_with_what_it_could_not_map() {
        let json = br#"{"interfaces":2,"without_functions":1,"failures":[{"file":"a.json","error":"TypeError: no"}],"functions":100,"milliseconds":[2.0,4.0,3.0]}"#;
        assert_eq!(
            peer_report(json).unwrap(),
            "abi-to-mcp 0.1.0 maps 2 of 4 interfaces: 100 functions in 3.00 (2.00-4.00) ms, 30.0 us a function (nothing is \
             compiled or checked); 1 have no function\n  it fails on a.json: TypeError: no\n"
        );
    }

    #[test]
    fn a_missing_figure_is_named() {
        let error = report(br#"{"interfaces":3}"#).unwrap_err();
        assert_eq!(error.to_string(), "the program printed no `read_milliseconds`");
    }
}
