//! `cargo xtask bench stdio`: `tools/call` over standard input and output, one at a time and many under way, on us and on
//! the official SDKs.

use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;

use super::{
    contender::{CROWDED, Contender, PYTHON, Prepared, RMCP, Server, TOOLMESH, TYPESCRIPT},
    program::output_of,
    sample::{self, Sample, cells, ratio},
};
use crate::table::Table;

/// `tools/call` of an echo tool, 2026-07-28, over pipes: us, rmcp, the TypeScript and the Python SDK, and `cat`
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How often each server is measured, in turn
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Milliseconds a measurement takes
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..))]
    milliseconds: u32,
    /// Milliseconds of load before a measurement
    #[arg(long, default_value_t = 1000)]
    warm_up: u32,
    /// Calls that are under way at any time when many are; they have to fit one pipe
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    window: u32,
}

/// The floor first: what gives back each line shows how fast the load itself is. Then the peer that everything is told as
/// a ratio to; then us, alone and with a crowded catalogue.
const CONTENDERS: [Contender; 6] = [
    Contender {
        name: "cat",
        server: Server::System("cat"),
        echoes_id: true,
    },
    RMCP,
    TOOLMESH,
    CROWDED,
    TYPESCRIPT,
    PYTHON,
];

/// The load generator's program.
const LOAD: &str = "stdio_load";

/// Builds, measures all in turn, prints.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let prepared = Prepared::of(LOAD, &CONTENDERS)?;
    let ways = [("one at a time", 1), ("pipelined", arguments.window)];
    let mut samples = ways.map(|_| vec![Vec::new(); CONTENDERS.len()]);
    for round in 1..=arguments.rounds {
        for ((way, window), samples) in ways.iter().zip(&mut samples) {
            for (contender, samples) in CONTENDERS.iter().zip(samples) {
                eprintln!("round {round} of {}, {way}: {}", arguments.rounds, contender.name);
                let sample = measure(arguments, &prepared, *window, contender);
                samples.push(sample.with_context(|| format!("measuring {}", contender.name))?);
            }
        }
    }
    for ((way, window), samples) in ways.iter().zip(&samples) {
        println!("{}", report(&format!("{way} ({window} under way)"), samples)?);
    }
    println!(
        "median (lowest-highest) of {} interleaved rounds of {} ms; server and load share the machine; ratios are taken \
         within a round",
        arguments.rounds, arguments.milliseconds
    );
    Ok(())
}

fn measure(arguments: &Arguments, prepared: &Prepared, window: u32, contender: &Contender) -> Result<Sample> {
    let server = prepared.command(contender)?;
    let mut command = Command::new(prepared.program(LOAD));
    for (name, value) in [
        ("--window", window),
        ("--warm-up", arguments.warm_up),
        ("--milliseconds", arguments.milliseconds),
    ] {
        command.args([name, &value.to_string()]);
    }
    command
        .arg("--")
        .arg(server.get_program())
        .args(server.get_args());
    for (name, value) in server.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    Sample::read(&output_of(&mut command)?)
}

fn report(way: &str, samples: &[Vec<Sample>]) -> Result<String> {
    let heading = [way].into_iter().chain(sample::HEADING);
    let heading: Vec<_> = heading.chain(["rate x rmcp", "CPU x rmcp"]).collect();
    let mut table = Table::new(&heading);
    let [floor, peer, alone, crowded, ..] = samples else {
        bail!("nothing was measured");
    };
    for (contender, own) in CONTENDERS.iter().zip(samples) {
        let ratios = [
            format!("{:.2}", ratio(own, peer, |sample| sample.rate)?),
            format!("{:.2}", ratio(own, peer, |sample| sample.cpu)?),
        ];
        let name = [contender.name.to_owned()];
        table.row(name.into_iter().chain(cells(own)?).chain(ratios));
    }
    Ok(format!(
        "{}the load against cat is {:.2} x as fast as against toolmesh; a call among 100,000 tools costs {:.2} x the CPU \
         of one in a catalogue of one\n",
        table.render(),
        ratio(floor, alone, |sample| sample.rate)?,
        ratio(crowded, alone, |sample| sample.cpu)?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_told_as_a_ratio_to_rmcp() {
        let sample = |rate, cpu| {
            vec![Sample {
                rate,
                p50: 1.0,
                p99: 2.0,
                cpu,
            }]
        };
        let samples = [
            sample(200.0, 1.0),
            sample(40.0, 20.0),
            sample(80.0, 10.0),
            sample(80.0, 11.0),
        ];
        let text = report("way", &samples).unwrap();
        let ours = text.lines().find(|line| line.starts_with("toolmesh ")).unwrap();
        assert!(
            ours.contains("2.00 (2.00-2.00)") && ours.contains("0.50 (0.50-0.50)"),
            "{text}"
        );
        assert!(text.contains("is 2.50 (2.50-2.50) x") && text.contains("costs 1.10 (1.10-1.10) x"));
    }
}
