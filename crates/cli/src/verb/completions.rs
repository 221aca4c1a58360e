//! `toolmesh completions`: the completion script for a shell.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use crate::{command_line::CommandLine, exit_code::ExitCode, output};

/// What `completions` takes.
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

pub(crate) fn run(verb: &Completions) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(verb.shell, &mut CommandLine::command(), "toolmesh", &mut script);
    output::print(String::from_utf8_lossy(&script).trim_end());
    ExitCode::Done
}
