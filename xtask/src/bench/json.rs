//! `cargo xtask bench json`: documents into full values and back, by us and by the codecs people use.

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

/// JSON into full values and back, with limits on: us, serde_json, sonic-rs, simd-json
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How often each codec is measured, in turn
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Milliseconds of processor time a measurement takes, of reading and of writing each
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(1..))]
    milliseconds: u32,
}

/// What is measured: a codec, and the program of the `bench` workspace that has it.
struct Contender {
    codec: &'static str,
    program: &'static str,
}

/// The one first that everything is told as a ratio to.
const CONTENDERS: [Contender; 5] = [
    Contender {
        codec: "serde_json",
        program: "json_peers",
    },
    Contender {
        codec: "toolmesh",
        program: "json_toolmesh",
    },
    Contender {
        codec: "serde_json exact",
        program: "json_toolmesh",
    },
    Contender {
        codec: "sonic-rs",
        program: "json_peers",
    },
    Contender {
        codec: "simd-json",
        program: "json_peers",
    },
];

const DOCUMENTS: [&str; 2] = ["large", "small"];

/// One measurement, as the program prints it.
#[derive(Debug, Clone, Copy)]
struct Sample {
    bytes: f64,
    parse: f64,
    write: f64,
    memory: f64,
}

/// Builds, measures all in turn, prints.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let programs = build()?;
    for document in DOCUMENTS {
        let mut samples = vec![Vec::new(); CONTENDERS.len()];
        for round in 1..=arguments.rounds {
            eprintln!("{document}: round {round} of {}", arguments.rounds);
            for (contender, samples) in CONTENDERS.iter().zip(&mut samples) {
                let program = built(&programs, true, contender.program);
                let sample = measure(arguments, &program, contender, document);
                samples.push(sample.with_context(|| format!("measuring {}", contender.codec))?);
            }
        }
        println!("{}", report(document, &samples)?);
    }
    println!(
        "median (lowest-highest) of {} interleaved rounds, {} ms of processor time each; ratios are taken within a \
         round, speed and memory x serde_json's Value; `serde_json exact` keeps exact numbers and the order of members, \
         as toolmesh does",
        arguments.rounds, arguments.milliseconds
    );
    Ok(())
}

/// Builds the two programs in release, each alone, because one asks `serde_json` for more than the other.
fn build() -> Result<PathBuf> {
    let folder = program::folder()?;
    for (program, feature) in [("json_peers", "json-peers"), ("json_toolmesh", "json-toolmesh")] {
        program::build(&folder, program, Some(feature))?;
    }
    Ok(folder)
}

fn measure(arguments: &Arguments, program: &Path, contender: &Contender, document: &str) -> Result<Sample> {
    let mut command = Command::new(program);
    command.args(["--codec", contender.codec, "--document", document]);
    command.args(["--milliseconds", &arguments.milliseconds.to_string()]);
    sample(&output_of(&mut command)?)
}

fn sample(json: &[u8]) -> Result<Sample> {
    let figures: Value = serde_json::from_slice(json).context("the benchmark printed no JSON")?;
    let figure = |name: &str| {
        figures
            .get(name)
            .and_then(Value::as_f64)
            .with_context(|| format!("the benchmark printed no `{name}`"))
    };
    Ok(Sample {
        bytes: figure("bytes")?,
        parse: figure("parse_mb_s")?,
        write: figure("write_mb_s")?,
        memory: figure("memory_bytes")?,
    })
}

/// Medians with their spread; ratios are taken within a round, against the floor of that round.
fn report(document: &str, samples: &[Vec<Sample>]) -> Result<String> {
    let heading = [
        "codec",
        "parse MB/s",
        "write MB/s",
        "memory bytes",
        "parse x",
        "write x",
        "memory x",
    ];
    let mut table = Table::new(&heading);
    let floor = samples.first().context("nothing was measured")?;
    let bytes = floor.first().context("nothing was measured")?.bytes;
    for (contender, own) in CONTENDERS.iter().zip(samples) {
        let spread =
            |pick: fn(&Sample) -> f64| Spread::of(own.iter().map(pick)).context("nothing was measured");
        let ratio = |pick: fn(&Sample) -> f64| {
            let ratios = own.iter().zip(floor).map(|(own, floor)| pick(own) / pick(floor));
            Spread::of(ratios).context("nothing was measured")
        };
        table.row([
            contender.codec.to_owned(),
            format!("{:.0}", spread(|sample| sample.parse)?),
            format!("{:.0}", spread(|sample| sample.write)?),
            format!("{:.0}", spread(|sample| sample.memory)?.median),
            format!("{:.2}", ratio(|sample| sample.parse)?),
            format!("{:.2}", ratio(|sample| sample.write)?),
            format!("{:.2}", ratio(|sample| sample.memory)?.median),
        ]);
    }
    Ok(format!("{document} document, {bytes} bytes\n{}", table.render()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_taken_within_a_round() {
        let sample = |parse| Sample {
            bytes: 300.0,
            parse,
            write: parse,
            memory: 2_000.0 / parse,
        };
        // The machine was twice as slow in the second round; the ratio stayed.
        let samples = vec![
            vec![sample(100.0), sample(50.0)],
            vec![sample(500.0), sample(250.0)],
        ];
        let text = report("small", &samples).unwrap();
        assert!(text.starts_with("small document, 300 bytes\n"), "{text}");
        let ours = text.lines().find(|line| line.starts_with("toolmesh")).unwrap();
        assert!(
            ours.contains("5.00 (5.00-5.00)") && ours.ends_with("0.20"),
            "{text}"
        );
    }

    #[test]
    fn a_missing_figure_is_named() {
        let error = sample(br#"{"bytes": 1}"#).unwrap_err();
        assert_eq!(error.to_string(), "the benchmark printed no `parse_mb_s`");
    }
}
