//! The `toolmesh` command: a thin shell over the `toolmesh` library.
//!
//! One file a verb under `verb/`; what they share stands beside this file: how sources are named on the command line
//! (`sources`), how it ends (`exit_code`, `failure`), what it prints (`output`, `render`).

mod client_block;
mod command_line;
mod exit_code;
mod failure;
mod interrupt;
mod one_source;
mod output;
mod render;
mod sources;
mod status_line;
mod verb;

use clap::Parser as _;
use toolmesh::observe::start_log;

use self::command_line::CommandLine;

fn main() -> std::process::ExitCode {
    // clap ends the process itself: 0 for --help and --version, 2 for what it does not understand.
    let command = CommandLine::parse();
    start_log();
    tls();
    let code = match verb::run(command.verb) {
        Ok(code) => code,
        Err(failure) => {
            output::complain(&failure.to_string());
            failure.code()
        }
    };
    if let Some(reason) = output::lost() {
        output::complain(&format!(
            "the result could not be written to standard output: {reason}"
        ));
        return exit_code::ExitCode::LocalResource.into();
    }
    code.into()
}

/// Chooses the one cryptography of all TLS connections; libraries that would choose for themselves then agree.
fn tls() {
    // It fails only when it was chosen before, which nothing in this process does.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
}
