//! `toolmesh doctor`: does everything work that a configuration names?

use clap::{Args, ValueEnum};
use toolmesh::{
    config::Environment,
    doctor::{Check, Finding, examine},
    json::Value,
};

use super::block_on;
use crate::{exit_code::ExitCode, failure::Failure, output, render::pretty, sources::SourceFlags};

/// What `doctor` takes.
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Files, `-` for standard input, or other kinds of sources
    #[arg(value_name = "SOURCE")]
    sources: Vec<String>,
    /// How the findings are written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    flags: SourceFlags,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// One line for each thing that was looked at
    Text,
    /// An array of objects: `what`, `state` (`works`, `questionable`, `fails`), `text`
    Json,
}

pub(crate) fn run(verb: &Doctor) -> Result<ExitCode, Failure> {
    let environment = Environment::of_process();
    let config = match &verb.flags.config {
        // It may be about a mesh alone.
        Some(_) => verb.flags.with_any_sources(&verb.sources, &environment)?,
        None => verb.flags.configuration(&verb.sources, &environment)?,
    };
    let checks = block_on(async { Ok(examine(&config, &environment).await) })?;
    output::print(&match verb.format {
        Format::Text => lines(&checks),
        Format::Json => pretty(checks.iter().map(Check::to_value).collect::<Value>().view()),
    });
    let failed = checks.iter().find_map(|check| match check.finding {
        Finding::Fails { kind, .. } => Some(kind.into()),
        _ => None,
    });
    Ok(failed.unwrap_or(ExitCode::Done))
}

fn lines(checks: &[Check]) -> String {
    let line = |check: &Check| {
        let (sign, text) = match &check.finding {
            Finding::Works(text) => ("ok  ", text),
            Finding::Questionable(text) => ("hint", text),
            Finding::Fails { reason, .. } => ("FAIL", reason),
        };
        format!("{sign}  {}: {text}", check.what)
    };
    checks.iter().map(line).collect::<Vec<_>>().join("\n")
}
