//! `toolmesh inspect`: what is in a source, and what became of each entry.

use clap::{Args, ValueEnum};
use toolmesh::{assemble::interface, evm::generate::solidity_interface, inspect::inspect};

use super::block_on;
use crate::{
    exit_code::ExitCode,
    failure::Failure,
    one_source::OneSource,
    output,
    render::{inspection_markdown, inspection_table, pretty},
};

/// What `inspect` takes.
#[derive(Debug, Args)]
pub(crate) struct Inspect {
    #[command(flatten)]
    source: OneSource,
    /// How the report is written
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// For a terminal
    Table,
    /// One JSON object
    Json,
    /// A Markdown page
    Markdown,
    /// A Solidity interface
    Solidity,
}

pub(crate) fn run(verb: &Inspect) -> Result<ExitCode, Failure> {
    let (source, surroundings) = verb.source.resolve()?;
    let report = block_on(async {
        if matches!(verb.format, Format::Solidity) {
            return Ok(solidity_interface(&interface(&source, &surroundings).await?));
        }
        let inspection = inspect(&source, &surroundings).await?;
        Ok(match verb.format {
            Format::Json => pretty(inspection.to_value().view()),
            Format::Markdown => inspection_markdown(&inspection),
            Format::Table | Format::Solidity => inspection_table(&inspection),
        })
    })?;
    output::print(report.trim_end());
    Ok(ExitCode::Done)
}
