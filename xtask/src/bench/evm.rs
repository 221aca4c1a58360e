//! `cargo xtask bench evm`: the committed interfaces, repeated to 1,400 functions, to tools that can be called.

use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use clap::Args;
use serde_json::Value;

use super::statistics::Spread;
use crate::{
    cargo::{built, cargo, check, run as run_command, shown, target_dir},
    table::Table,
};

/// The committed interfaces to validated tools: reading, and mapping with the schemas compiled
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How many functions a round maps
    #[arg(long, default_value_t = 1_400, value_parser = clap::value_parser!(u32).range(1..))]
    functions: u32,
    /// How many rounds are measured
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
}

/// The program of the `bench` workspace, and the feature that builds it.
const PROGRAM: (&str, &str) = ("evm_toolmesh", "evm-toolmesh");

/// What may pass between the bytes and the tools, in milliseconds.
const BUDGET: f64 = 50.0;

/// Builds, measures, prints.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let (program, feature) = PROGRAM;
    let folder = target_dir()?.join("bench");
    let mut build = cargo(&["build", "--release", "--manifest-path", "bench/Cargo.toml"]);
    build.args(["--bin", program, "--features", feature]);
    run_command(build.env("CARGO_TARGET_DIR", &folder))?;
    let mut command = Command::new(built(&folder, true, program));
    command
        .arg("--folder")
        .arg(toolmesh_testkit::paths::repo_root().join("testdata/solidity"));
    command.args(["--functions", &arguments.functions.to_string()]);
    command.args(["--rounds", &arguments.rounds.to_string()]);
    let shown = shown(&command);
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot run {shown}"))?;
    check(&shown, output.status)?;
    print!("{}", report(&output.stdout)?);
    Ok(())
}

fn report(json: &[u8]) -> Result<String> {
    let figures: Value = serde_json::from_slice(json).context("the program printed no JSON")?;
    let count = |name: &str| {
        figures
            .get(name)
            .and_then(Value::as_u64)
            .with_context(|| format!("the program printed no `{name}`"))
    };
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
    Ok(format!(
        "{}\n{} functions of {} interfaces a round; {verdict} the budget of {BUDGET} ms\n",
        table.render(),
        count("functions")?,
        count("interfaces")?,
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
    fn a_missing_figure_is_named() {
        let error = report(br#"{"interfaces":3}"#).unwrap_err();
        assert_eq!(error.to_string(), "the program printed no `read_milliseconds`");
    }
}
