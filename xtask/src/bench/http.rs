//! `cargo xtask bench http`: one `tools/call` after the other over HTTP, on us, on bare axum, and on the official SDKs.

use std::process::Command;

use anyhow::{Context, Result};
use clap::Args;
use toolmesh_testkit::ServerProcess;

use super::{
    contender::{CROWDED, Contender, PYTHON, Prepared, RMCP, Server, TOOLMESH, TYPESCRIPT},
    list::Pages,
    program::output_of,
    sample::{self, Sample, cells, ratio},
};
use crate::table::Table;

/// `tools/call` of an echo tool, 2026-07-28, JSON answers: us, bare axum, rmcp, the TypeScript and the Python SDK
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

/// The floor first: everything is told as a ratio to it. Then us, alone and with a crowded catalogue.
const CONTENDERS: [Contender; 6] = [
    Contender {
        name: "axum, fixed body",
        server: Server::Program("axum_fixed", None, &[]),
        echoes_id: false,
    },
    TOOLMESH,
    CROWDED,
    RMCP,
    TYPESCRIPT,
    PYTHON,
];

/// The load generator's program.
const LOAD: &str = "http_load";

/// Builds, starts all, measures them in turn, prints.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let prepared = Prepared::of(LOAD, &CONTENDERS)?;
    let servers = CONTENDERS
        .iter()
        .map(|contender| {
            let mut command = prepared.command(contender)?;
            Ok(ServerProcess::start_command(command.arg("--http")))
        })
        .collect::<Result<Vec<_>>>()?;
    let mut samples = vec![Vec::new(); servers.len()];
    for round in 1..=arguments.rounds {
        for ((contender, server), samples) in CONTENDERS.iter().zip(&servers).zip(&mut samples) {
            eprintln!("round {round} of {}: {}", arguments.rounds, contender.name);
            let command = Command::new(prepared.program(LOAD));
            let sample = measure(arguments, command, contender, server);
            samples.push(sample.with_context(|| format!("measuring {}", contender.name))?);
        }
    }
    print!("{}", report(arguments, &samples)?);
    let crowded = CONTENDERS
        .iter()
        .position(|contender| contender.name == CROWDED.name);
    let crowded = crowded
        .and_then(|index| servers.get(index))
        .context("the crowded server")?;
    println!("{}", Pages::read(crowded)?);
    Ok(())
}

fn measure(
    arguments: &Arguments,
    mut command: Command,
    contender: &Contender,
    server: &ServerProcess,
) -> Result<Sample> {
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
    Sample::read(&output_of(&mut command)?)
}

/// Medians with their spread; ratios are taken within a round, against the floor of that round.
fn report(arguments: &Arguments, samples: &[Vec<Sample>]) -> Result<String> {
    let heading = ["server"].into_iter().chain(sample::HEADING);
    let heading: Vec<_> = heading.chain(["rate x axum", "CPU x axum"]).collect();
    let mut table = Table::new(&heading);
    let [floor, alone, crowded, ..] = samples else {
        anyhow::bail!("nothing was measured");
    };
    for (contender, own) in CONTENDERS.iter().zip(samples) {
        let ratios = [
            format!("{:.2}", ratio(own, floor, |sample| sample.rate)?),
            format!("{:.2}", ratio(own, floor, |sample| sample.cpu)?),
        ];
        let name = [contender.name.to_owned()];
        table.row(name.into_iter().chain(cells(own)?).chain(ratios));
    }
    let Arguments {
        rounds,
        seconds,
        connections,
        ..
    } = arguments;
    Ok(format!(
        "{}\nmedian (lowest-highest) of {rounds} interleaved rounds of {seconds} s, {connections} connections; \
         server and load share the machine\n\
         a call among 100,000 tools costs {:.2} x the CPU of one in a catalogue of one\n",
        table.render(),
        ratio(crowded, alone, |sample| sample.cpu)?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_told_as_a_ratio_to_bare_axum() {
        let arguments = Arguments {
            rounds: 1,
            seconds: 3,
            warm_up: 2,
            connections: 16,
        };
        let sample = |rate, cpu| {
            vec![Sample {
                rate,
                p50: 1.0,
                p99: 2.0,
                cpu,
            }]
        };
        let samples = [
            sample(100.0, 10.0),
            sample(80.0, 12.0),
            sample(80.0, 12.6),
            sample(50.0, 30.0),
        ];
        let text = report(&arguments, &samples).unwrap();
        let ours = text.lines().find(|line| line.starts_with("toolmesh ")).unwrap();
        assert!(
            ours.contains("0.80 (0.80-0.80)") && ours.contains("1.20 (1.20-1.20)"),
            "{text}"
        );
        assert!(
            text.contains("among 100,000 tools costs 1.05 (1.05-1.05) x"),
            "{text}"
        );
    }
}
