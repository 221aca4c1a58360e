//! `cargo xtask bench bindings`: calls of one tool by programs in each language, beside plain Rust.

use std::process::Command;

use anyhow::{Context, Result};
use clap::Args;
use toolmesh_testkit::paths::{node, repo_root};

use super::{program::output_of, sample::Figures, statistics::Spread};
use crate::{
    bindings::{go::User, node::Project, python::Environment, rust_program, rust_program_built},
    install::install_python,
    matrix::key,
    package::Packages,
    running::Running,
    table::Table,
};

/// What a language costs: calls a second of programs in Python, JavaScript and Go, beside plain Rust
///
/// The packages are built in release (which takes many minutes the first time) and each is installed into an empty environment.
/// One program a language (`bindings/bench`) then calls a tool that gives back a small number, checked by a schema at both ends:
/// alone, with host and caller in one process and no network between them, which is the cost of the binding itself in both roles;
/// as the caller of a host in plain Rust; and as the host of a caller in plain Rust, both in two processes over zenoh on loopback.
/// Each with one call under way, and with many. Ratios are to plain Rust in the same round.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How often each language is measured, in turn
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Milliseconds a measurement takes
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    milliseconds: u32,
    /// Milliseconds of calls before a measurement
    #[arg(long, default_value_t = 500)]
    warm_up: u32,
    /// Calls under way at any time when many are
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u32).range(2..))]
    under_way: u32,
    /// Measure what was built last, here and by `cargo xtask package`, and build nothing but the program in Go
    #[arg(long)]
    built: bool,
}

/// The program in plain Rust.
const RUST: &str = "bench_calls";

/// A language, and how its program is started.
struct Contender {
    name: &'static str,
    start: Box<dyn Fn() -> Command>,
}

impl Contender {
    fn new(name: &'static str, start: impl Fn() -> Command + 'static) -> Self {
        Self {
            name,
            start: Box::new(start),
        }
    }
}

/// What a program is measured as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Alone,
    Caller,
    Host,
}

impl Role {
    const ALL: [Self; 3] = [Self::Alone, Self::Caller, Self::Host];

    fn title(self) -> &'static str {
        match self {
            Self::Alone => "host and caller in one process",
            Self::Caller => "caller of a host in Rust, zenoh",
            Self::Host => "host of a caller in Rust, zenoh",
        }
    }
}

/// Calls a second: of each contender, in each round.
type Rates = Vec<Vec<f64>>;

/// What was measured of one role: with one call under way, and with many.
#[derive(Debug)]
struct Measured {
    role: Role,
    one: Rates,
    many: Rates,
}

/// Builds, installs, measures all in turn, prints.
pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let contenders = contenders(arguments.built)?;
    let none = || vec![Vec::new(); contenders.len()];
    let mut measured = Role::ALL.map(|role| Measured {
        role,
        one: none(),
        many: none(),
    });
    for round in 1..=arguments.rounds {
        for Measured { role, one, many } in &mut measured {
            for (under_way, rates) in [(1, one), (arguments.under_way, many)] {
                eprintln!(
                    "round {round} of {}: {}, {under_way} under way",
                    arguments.rounds,
                    role.title()
                );
                round_of(arguments, &contenders, *role, under_way, rates)?;
            }
        }
    }
    let names: Vec<_> = contenders.iter().map(|contender| contender.name).collect();
    print!("{}", report(arguments, &names, &measured)?);
    Ok(())
}

/// Plain Rust first: everything is told as a ratio to it.
fn contenders(built: bool) -> Result<Vec<Contender>> {
    let programs = repo_root().join("bindings/bench");
    install_python().context("installing what builds the Python package")?;
    let (rust, packages) = if built {
        (rust_program_built(RUST, true)?, Packages::built(true)?)
    } else {
        (rust_program(RUST, true)?, Packages::build(true)?)
    };
    let environment = Environment::with(&packages.python)?;
    let python = programs.join("calls.py");
    let project = Project::with(&packages.node)?;
    project.copy(&programs, "bench")?;
    let go = User::with(&packages.go)?;
    let go_program = go.build("calls", &programs.join("calls.go"))?;
    Ok(vec![
        Contender::new("Rust", move || Command::new(&rust)),
        Contender::new("Python", move || {
            let mut command = Command::new(environment.interpreter());
            command.arg(&python);
            command
        }),
        Contender::new("Node", move || {
            let mut command = Command::new(node());
            command.arg(project.folder().join("bench/calls.mjs"));
            command
        }),
        Contender::new("Go", move || {
            // The program is removed with the module.
            let _ = &go;
            Command::new(&go_program)
        }),
    ])
}

/// Measures every contender once.
fn round_of(
    arguments: &Arguments,
    contenders: &[Contender],
    role: Role,
    under_way: u32,
    rates: &mut Rates,
) -> Result<()> {
    let rust = contenders.first().context("plain Rust is measured")?;
    for (contender, rates) in contenders.iter().zip(rates) {
        let load = [under_way, arguments.warm_up, arguments.milliseconds].map(|number| number.to_string());
        let output = match role {
            Role::Alone => output_of((contender.start)().arg("alone").args(load)),
            Role::Caller => between(rust, contender, &load),
            Role::Host => between(contender, rust, &load),
        };
        let told = output.with_context(|| format!("measuring {} as {}", contender.name, role.title()))?;
        rates.push(rate(&told)?);
    }
    Ok(())
}

/// What a caller says of a host, both in processes of their own.
fn between(host: &Contender, caller: &Contender, load: &[String]) -> Result<Vec<u8>> {
    let key = key();
    let mut host = Running::start((host.start)().args(["host", &key]))?;
    let place = host.line()?;
    let told = output_of((caller.start)().args(["caller", &key, &place]).args(load))?;
    host.ends()?;
    Ok(told)
}

/// Calls a second, of what a program printed.
fn rate(told: &[u8]) -> Result<f64> {
    let figures = Figures::read(told)?;
    Ok(figures.get("calls")? / figures.get("seconds")?)
}

fn report(arguments: &Arguments, names: &[&str], measured: &[Measured]) -> Result<String> {
    let tables = measured.iter().map(|measured| table(arguments, names, measured));
    Ok(format!(
        "{}\nmedian (lowest-highest) of {} interleaved rounds of {} ms; host and caller share the machine; ratios are taken \
         within a round\n",
        tables.collect::<Result<Vec<_>>>()?.join("\n"),
        arguments.rounds,
        arguments.milliseconds
    ))
}

fn table(arguments: &Arguments, names: &[&str], measured: &Measured) -> Result<String> {
    let many = format!("calls/s, {} under way", arguments.under_way);
    let mut table = Table::new(&[
        measured.role.title(),
        "calls/s, one under way",
        "x Rust",
        &many,
        "x Rust",
    ]);
    for (at, name) in names.iter().enumerate() {
        let [one, of_one] = cells(&measured.one, at)?;
        let [many, of_many] = cells(&measured.many, at)?;
        table.row([(*name).to_owned(), one, of_one, many, of_many]);
    }
    Ok(table.render())
}

/// The calls a second of a contender, and as a ratio to those of plain Rust in the same round.
fn cells(rates: &Rates, at: usize) -> Result<[String; 2]> {
    let (own, rust) = rates.get(at).zip(rates.first()).context("nothing was measured")?;
    let ratios = own.iter().zip(rust).map(|(own, rust)| own / rust);
    let spread = |values: Option<Spread>| values.context("nothing was measured");
    Ok([
        format!("{:.0}", spread(Spread::of(own.iter().copied()))?),
        format!("{:.2}", spread(Spread::of(ratios))?),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_told_as_a_ratio_to_plain_rust_of_the_same_round() {
        let arguments = Arguments {
            rounds: 2,
            milliseconds: 1000,
            warm_up: 500,
            under_way: 32,
            built: false,
        };
        // The machine was twice as slow in the second round; the ratios stayed.
        let measured = Role::ALL.map(|role| Measured {
            role,
            one: vec![vec![1000.0, 500.0], vec![250.0, 125.0]],
            many: vec![vec![8000.0, 4000.0], vec![4000.0, 2000.0]],
        });
        let text = report(&arguments, &["Rust", "Python"], &measured).unwrap();
        let python: Vec<_> = text.lines().filter(|line| line.starts_with("Python")).collect();
        assert_eq!(python.len(), 3, "{text}");
        for line in python {
            assert!(
                line.contains("188 (125-250)") && line.contains("0.25 (0.25-0.25)"),
                "{text}"
            );
            assert!(line.contains("0.50 (0.50-0.50)"), "{text}");
        }
    }

    #[test]
    fn a_rate_is_taken_of_the_time_that_passed_in_truth() {
        let told = rate(br#"{"calls": 3000, "seconds": 1.5}"#).unwrap();
        assert!((told - 2000.0).abs() < f64::EPSILON, "{told}");
        assert!(rate(br#"{"calls": 1}"#).is_err());
    }
}
