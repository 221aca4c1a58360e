//! `toolmesh inspect`: what is in a source, and what became of each entry.

use clap::{Args, ValueEnum};
use toolmesh::{assemble::Location, inspect::inspect};

use crate::{
    exit_code::ExitCode,
    failure::Failure,
    output,
    render::{inspection_markdown, inspection_table, pretty},
};

/// What `inspect` takes.
#[derive(Debug, Args)]
pub(crate) struct Inspect {
    /// A file, `-` for standard input, or another kind of source
    source: String,
    /// The contract, when the source holds several: its name, or FILE.sol:NAME
    #[arg(long, value_name = "NAME")]
    contract: Option<String>,
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
    if matches!(verb.format, Format::Solidity) {
        return Err(Failure::NotInThisBuild {
            what: "a report as a Solidity interface",
            instead: "use --format table, json or markdown",
        });
    }
    let inspection = inspect(&Location::parse(&verb.source), verb.contract.as_deref())?;
    output::print(&match verb.format {
        Format::Json => pretty(inspection.to_value().view()),
        Format::Markdown => inspection_markdown(&inspection),
        Format::Table | Format::Solidity => inspection_table(&inspection),
    });
    Ok(ExitCode::Done)
}
