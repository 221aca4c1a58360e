//! `cargo xtask bench mesh`: calls and streams between two processes of a mesh, on us and on the bare network.

use std::process::Command;

use anyhow::{Context, Result};
use clap::Args;
use tempfile::TempDir;

use super::{
    program::{self, output_of},
    sample::{self, Figures, Sample, cells, ratio},
    statistics::Spread,
};
use crate::{
    cargo::{build_toolmesh, built},
    table::Table,
};

/// Calls and streams between two processes on loopback: us with and without certificates, bare zenoh, and net-mesh-sdk when it is
/// asked for
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How often each contender is measured, in turn
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Milliseconds a measurement takes
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u32).range(1..))]
    milliseconds: u32,
    /// Callers at once where there are many
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..))]
    callers: u32,
    /// Events of a stream
    #[arg(long, default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    events: u32,
    /// Measure net-mesh-sdk 0.46 as well, which takes minutes to build
    #[arg(long)]
    net_mesh: bool,
}

/// A program of the `bench` workspace and the feature that builds it.
#[derive(Debug, Clone, Copy)]
struct Contender {
    name: &'static str,
    program: &'static str,
    feature: &'static str,
    /// It bears many callers at once.
    bears_many: bool,
    /// Its nodes have certificates.
    has_certificates: bool,
}

/// The peer that everything is told as a ratio to comes first.
const CONTENDERS: [Contender; 3] = [
    Contender {
        name: "zenoh 1.10, bare",
        program: "mesh_zenoh",
        feature: "mesh-zenoh",
        bears_many: true,
        has_certificates: false,
    },
    Contender {
        name: "toolmesh",
        program: "mesh_toolmesh",
        feature: "mesh-toolmesh",
        bears_many: true,
        has_certificates: false,
    },
    Contender {
        name: "toolmesh, certificates",
        program: "mesh_toolmesh",
        feature: "mesh-toolmesh",
        bears_many: true,
        has_certificates: true,
    },
];

/// The one that is measured on demand. With 32 callers it ends the run by calls that it refuses ("backpressured"), and stands still
/// when these are made once more, so it is not measured with many.
const NET_MESH: Contender = Contender {
    name: "net-mesh-sdk 0.46",
    program: "mesh_net",
    feature: "mesh-net",
    bears_many: false,
    has_certificates: false,
};

/// Tells a program of ours the folder with its certificates.
const KEYS: &str = "TOOLMESH_BENCH_KEYS";

/// What one contender did in each round.
#[derive(Debug, Default)]
struct Measured {
    unary: Vec<Sample>,
    many: Vec<Sample>,
    stream: Vec<Stream>,
}

/// What reading a stream took.
#[derive(Debug, Clone, Copy)]
struct Stream {
    /// Events a second.
    rate: f64,
    /// Microseconds of processor time that the host spent on an event.
    cpu: f64,
}

/// Builds, measures all in turn, prints.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut contenders = CONTENDERS.to_vec();
    contenders.extend(arguments.net_mesh.then_some(NET_MESH));
    let folder = program::folder()?;
    for contender in &contenders {
        program::build(&folder, contender.program, Some(contender.feature))?;
    }
    let keys = keys()?;
    let mut measured: Vec<_> = contenders.iter().map(|_| Measured::default()).collect();
    for round in 1..=arguments.rounds {
        for (contender, measured) in contenders.iter().zip(&mut measured) {
            eprintln!("round {round} of {}: {}", arguments.rounds, contender.name);
            let figures = |case| {
                let mut program = Command::new(built(&folder, true, contender.program));
                if contender.has_certificates {
                    program.env(KEYS, keys.path());
                }
                figures(arguments, program, case)
                    .with_context(|| format!("measuring {case} on {}", contender.name))
            };
            measured.unary.push(Sample::read(&figures("unary")?)?);
            if contender.bears_many {
                measured.many.push(Sample::read(&figures("many")?)?);
            }
            measured.stream.push(Stream::read(&figures("stream")?)?);
        }
    }
    print!("{}", report(&contenders, &measured, arguments)?);
    Ok(())
}

/// A folder with certificates of the nodes that are measured.
fn keys() -> Result<TempDir> {
    let toolmesh = build_toolmesh(true)?;
    let folder = tempfile::tempdir().context("making a folder for certificates")?;
    let mut command = Command::new(toolmesh);
    command.args(["mesh", "keys"]).arg(folder.path());
    output_of(command.args(["--node", "host", "--node", "caller"]))?;
    Ok(folder)
}

/// What a program says of one case.
fn figures(arguments: &Arguments, mut command: Command, case: &str) -> Result<Vec<u8>> {
    command.args(["--case", case]);
    for (name, value) in [
        ("--milliseconds", arguments.milliseconds),
        ("--callers", arguments.callers),
        ("--events", arguments.events),
    ] {
        command.args([name, &value.to_string()]);
    }
    output_of(&mut command)
}

impl Stream {
    fn read(json: &[u8]) -> Result<Self> {
        let figures = Figures::read(json)?;
        Ok(Self {
            rate: figures.get("events_per_second")?,
            cpu: figures.get("cpu_microseconds_per_event")?,
        })
    }
}

fn report(contenders: &[Contender], measured: &[Measured], arguments: &Arguments) -> Result<String> {
    let peer = measured.first().context("nothing was measured")?;
    let of =
        |pick: fn(&Measured) -> &Vec<Sample>, way: &str| calls(contenders, measured, pick, pick(peer), way);
    Ok(format!(
        "{}\n{}\n{}\nmedian (lowest-highest) of {} interleaved rounds of {} ms; host and caller share the machine; ratios are \
         taken within a round\n",
        of(|measured| &measured.unary, "one caller")?,
        of(
            |measured| &measured.many,
            &format!("{} callers", arguments.callers)
        )?,
        streams(contenders, measured, &peer.stream, arguments.events)?,
        arguments.rounds,
        arguments.milliseconds
    ))
}

fn calls(
    contenders: &[Contender],
    measured: &[Measured],
    pick: fn(&Measured) -> &Vec<Sample>,
    peer: &[Sample],
    way: &str,
) -> Result<String> {
    let heading: Vec<_> = [way].into_iter().chain(sample::HEADING).collect();
    let heading: Vec<_> = heading
        .into_iter()
        .chain(["p50 x zenoh", "rate x zenoh"])
        .collect();
    let mut table = Table::new(&heading);
    for (contender, measured) in contenders.iter().zip(measured) {
        let own = pick(measured);
        if own.is_empty() {
            continue;
        }
        let ratios = [
            format!("{:.2}", ratio(own, peer, |sample| sample.p50)?),
            format!("{:.2}", ratio(own, peer, |sample| sample.rate)?),
        ];
        let name = [contender.name.to_owned()];
        table.row(name.into_iter().chain(cells(own)?).chain(ratios));
    }
    Ok(table.render())
}

fn streams(contenders: &[Contender], measured: &[Measured], peer: &[Stream], events: u32) -> Result<String> {
    let way = format!("a stream of {events} events");
    let mut table = Table::new(&[&way, "events/s", "CPU us/event", "rate x zenoh"]);
    let spread = |values: Vec<f64>| Spread::of(values).context("nothing was measured");
    for (contender, measured) in contenders.iter().zip(measured) {
        let own = &measured.stream;
        let ratios = own.iter().zip(peer).map(|(own, peer)| own.rate / peer.rate);
        table.row([
            contender.name.to_owned(),
            format!("{:.0}", spread(own.iter().map(|stream| stream.rate).collect())?),
            format!("{:.2}", spread(own.iter().map(|stream| stream.cpu).collect())?),
            format!("{:.2}", spread(ratios.collect())?),
        ]);
    }
    Ok(table.render())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_told_as_a_ratio_to_the_bare_network() {
        let sample = |rate, p50| Sample {
            rate,
            p50,
            p99: 2.0,
            cpu: 1.0,
        };
        let measured = |rate, p50| Measured {
            unary: vec![sample(rate, p50)],
            many: vec![sample(2.0 * rate, p50)],
            stream: vec![Stream { rate, cpu: 1.0 }],
        };
        let alone = Measured {
            many: Vec::new(),
            ..measured(50.0, 9.0)
        };
        let measured = [measured(100.0, 10.0), measured(80.0, 12.0), alone];
        let arguments = Arguments {
            rounds: 1,
            milliseconds: 1,
            callers: 32,
            events: 20_000,
            net_mesh: false,
        };
        let contenders = [CONTENDERS[0], CONTENDERS[1], NET_MESH];
        let text = report(&contenders, &measured, &arguments).unwrap();
        let ours: Vec<_> = text
            .lines()
            .filter(|line| line.starts_with("toolmesh "))
            .collect();
        assert_eq!(ours.len(), 3, "{text}");
        for line in &ours[..2] {
            assert!(line.contains("1.20 (1.20-1.20)"), "{text}");
        }
        assert!(
            ours.iter().all(|line| line.contains("0.80 (0.80-0.80)")),
            "{text}"
        );
        // Nothing is told of what was not measured.
        let rows = text.lines().filter(|line| line.starts_with(NET_MESH.name));
        assert_eq!(rows.count(), 2, "{text}");
    }
}
