//! Programs run as a person runs them: with a terminal around them.

use std::process::Command;

use crate::{
    paths::python,
    process::{Finished, run_command},
};

/// Runs its arguments in a new terminal, whose screen goes to standard output.
const IN_A_TERMINAL: &str =
    "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))";

/// Runs a prepared command in a terminal of its own. Everything that it prints, to either output, is the screen, which
/// is told as the standard output, control characters included.
///
/// # Panics
/// When it cannot be started, or does not end within two minutes.
#[track_caller]
pub fn run_in_terminal(command: &Command) -> Finished {
    let mut wrapped = Command::new(python());
    wrapped
        .args(["-c", IN_A_TERMINAL])
        .arg(command.get_program())
        .args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        wrapped.current_dir(folder);
    }
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => wrapped.env(name, value),
            None => wrapped.env_remove(name),
        };
    }
    run_command(&mut wrapped)
}
