//! `cargo xtask bench http`: one `tools/call` after the other over HTTP, on us, on bare axum, and on rmcp.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};
use clap::Args;
use serde_json::Value;
use toolmesh_testkit::ServerProcess;

use super::{
    program::{self, output_of},
    statistics::Spread,
};
use crate::{cargo::built, table::Table};

/// `tools/call` of an echo tool, 2026-07-28, JSON answers: us, bare axum, rmcp
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How often each server is measured, in turn
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Seconds a measurement takes
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    seconds: u32,
    /// Seconds of load before a measurement
    #[arg(long, default_value_t = 2)]
    warm_up: u32,
    /// Connections kept busy, one request at a time each
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..))]
    connections: u32,
}

/// What is measured: a program of the `bench` workspace with the feature that builds it, and whether it answers with
/// the id that was asked.
struct Contender {
    name: &'static str,
    program: &'static str,
    feature: Option<&'static str>,
    echoes_id: bool,
}

/// The floor first: everything is told as a ratio to it.
const CONTENDERS: [Contender; 3] = [
    Contender {
        name: "axum, fixed body",
        program: "axum_fixed",
        feature: None,
        echoes_id: false,
    },
    Contender {
        name: "toolmesh",
        program: "toolmesh_echo",
        feature: Some("toolmesh"),
        echoes_id: true,
    },
    Contender {
        name: "rmcp 3.11, stateless",
        program: "rmcp_echo",
        feature: Some("rmcp"),
        echoes_id: true,
    },
];

/// The load generator's program.
const LOAD: &str = "load";

/// One measurement, as the load generator prints it.
#[derive(Debug, Clone, Copy)]
struct Sample {
    rate: f64,
    p50: f64,
    p99: f64,
    cpu: f64,
}

/// Builds, starts all, measures them in turn, prints.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let programs = build()?;
    let servers: Vec<ServerProcess> = CONTENDERS
        .iter()
        .map(|contender| ServerProcess::start(built(&programs, true, contender.program), &[]))
        .collect();
    let mut samples = vec![Vec::new(); servers.len()];
    for round in 1..=arguments.rounds {
        for ((contender, server), samples) in CONTENDERS.iter().zip(&servers).zip(&mut samples) {
            eprintln!("round {round} of {}: {}", arguments.rounds, contender.name);
            let sample = measure(arguments, &built(&programs, true, LOAD), contender, server);
            samples.push(sample.with_context(|| format!("measuring {}", contender.name))?);
        }
    }
    print!("{}", report(arguments, &samples)?);
    Ok(())
}

/// Builds the contenders and the load generator in release, each alone; the folder they were built into.
fn build() -> Result<PathBuf> {
    let folder = program::folder()?;
    program::build(&folder, LOAD, None)?;
    for contender in &CONTENDERS {
        program::build(&folder, contender.program, contender.feature)?;
    }
    Ok(folder)
}

fn measure(
    arguments: &Arguments,
    load: &Path,
    contender: &Contender,
    server: &ServerProcess,
) -> Result<Sample> {
    let mut command = Command::new(load);
    command.args(["--url", server.url(), "--process", &server.id().to_string()]);
    for (name, value) in [
        ("--connections", arguments.connections),
        ("--warm-up", arguments.warm_up),
        ("--seconds", arguments.seconds),
    ] {
        command.args([name, &value.to_string()]);
    }
    if contender.echoes_id {
        command.arg("--check-id");
    }
    sample(&output_of(&mut command)?)
}

fn sample(json: &[u8]) -> Result<Sample> {
    let figures: Value = serde_json::from_slice(json).context("the load generator printed no JSON")?;
    let figure = |name: &str| {
        figures
            .get(name)
            .and_then(Value::as_f64)
            .with_context(|| format!("the load generator printed no `{name}`"))
    };
    Ok(Sample {
        rate: figure("requests_per_second")?,
        p50: figure("p50_microseconds")?,
        p99: figure("p99_microseconds")?,
        cpu: figure("cpu_microseconds_per_request")?,
    })
}

/// Medians with their spread; ratios are taken within a round, against the floor of that round.
fn report(arguments: &Arguments, samples: &[Vec<Sample>]) -> Result<String> {
    let heading = [
        "server",
        "requests/s",
        "p50 us",
        "p99 us",
        "CPU us/request",
        "rate x axum",
        "CPU x axum",
    ];
    let mut table = Table::new(&heading);
    let floor = samples.first().context("nothing was measured")?;
    for (contender, own) in CONTENDERS.iter().zip(samples) {
        let spread =
            |pick: fn(&Sample) -> f64| Spread::of(own.iter().map(pick)).context("nothing was measured");
        let ratio = |pick: fn(&Sample) -> f64| {
            let ratios = own.iter().zip(floor).map(|(own, floor)| pick(own) / pick(floor));
            Spread::of(ratios).context("nothing was measured")
        };
        table.row([
            contender.name.to_owned(),
            format!("{:.0}", spread(|sample| sample.rate)?),
            format!("{:.0}", spread(|sample| sample.p50)?),
            format!("{:.0}", spread(|sample| sample.p99)?),
            format!("{:.1}", spread(|sample| sample.cpu)?),
            format!("{:.2}", ratio(|sample| sample.rate)?),
            format!("{:.2}", ratio(|sample| sample.cpu)?),
        ]);
    }
    let Arguments {
        rounds,
        seconds,
        connections,
        ..
    } = arguments;
    Ok(format!(
        "{}\nmedian (lowest-highest) of {rounds} interleaved rounds of {seconds} s, {connections} connections; \
         server and load share the machine\n",
        table.render()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_taken_within_a_round() {
        let arguments = Arguments {
            rounds: 2,
            seconds: 3,
            warm_up: 2,
            connections: 16,
        };
        let sample = |rate, cpu| Sample {
            rate,
            p50: 1.0,
            p99: 2.0,
            cpu,
        };
        // The machine was twice as slow in the second round; the ratio stayed.
        let rows = vec![
            vec![sample(100.0, 10.0), sample(50.0, 20.0)],
            vec![sample(80.0, 12.0), sample(40.0, 24.0)],
            vec![sample(50.0, 30.0), sample(25.0, 60.0)],
        ];
        let text = report(&arguments, &rows).unwrap();
        let ours = text.lines().find(|line| line.starts_with("toolmesh")).unwrap();
        assert!(
            ours.contains("0.80 (0.80-0.80)") && ours.contains("1.20 (1.20-1.20)"),
            "{text}"
        );
    }

    #[test]
    fn a_missing_figure_is_named() {
        let error = sample(br#"{"requests_per_second": 1.0}"#).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the load generator printed no `p50_microseconds`"
        );
    }
}
