//! Every chore of the repository: `cargo xtask CHORE`. One file a chore; CONTRIBUTING.md says how to add one.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a chore talks to the person who started it"
)]

mod bench;
mod bindings;
mod cargo;
mod conformance;
mod corpus;
mod fuzz;
mod install;
mod matrix;
mod package;
mod reference;
mod running;
mod stress;
mod summary;
mod table;
mod test;

use std::process::ExitCode;

use clap::Parser;

/// Every chore of the repository.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Chore {
    Test(test::Arguments),
    Bench(bench::Arguments),
    Conformance(conformance::Arguments),
    Corpus(corpus::Arguments),
    Fuzz(fuzz::Arguments),
    Package(package::Arguments),
    Reference(reference::Arguments),
    Stress(stress::Arguments),
}

fn main() -> ExitCode {
    let result = match Chore::parse() {
        Chore::Test(arguments) => test::run(&arguments),
        Chore::Bench(arguments) => bench::run(&arguments),
        Chore::Conformance(arguments) => conformance::run(&arguments),
        Chore::Corpus(arguments) => corpus::run(&arguments),
        Chore::Fuzz(arguments) => fuzz::run(&arguments),
        Chore::Package(arguments) => package::run(&arguments),
        Chore::Reference(arguments) => reference::run(&arguments),
        Chore::Stress(arguments) => stress::run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
