//! `toolmesh tools`: the tools of sources.

use clap::{Args, ValueEnum};

use super::listed;
use crate::{
    exit_code::ExitCode,
    failure::Failure,
    output,
    render::{mcp_tools, pretty, tools_json, tools_table},
    sources::SourceFlags,
};

/// What `tools` takes.
#[derive(Debug, Args)]
pub(crate) struct Tools {
    /// Files, `-` for standard input, or other kinds of sources
    #[arg(value_name = "SOURCE")]
    sources: Vec<String>,
    /// How the list is written
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    #[command(flatten)]
    flags: SourceFlags,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// For a terminal
    Table,
    /// An array of tool descriptors
    Json,
    /// An array of tools as OpenAI takes them
    Openai,
    /// An array of tools as Anthropic takes them
    Anthropic,
    /// An array of tools as Gemini takes them
    Gemini,
    /// An array of tools as MCP's `tools/list` gives them
    Mcp,
}

pub(crate) fn run(verb: &Tools) -> Result<ExitCode, Failure> {
    if matches!(verb.format, Format::Openai | Format::Anthropic | Format::Gemini) {
        return Err(Failure::NotInThisBuild {
            what: "the tool format of a model provider",
            instead: "use --format table, json or mcp",
        });
    }
    let assembly = listed(&verb.flags, &verb.sources)?;
    let catalogue = assembly.dispatcher().toolbox().snapshot();
    let tools = catalogue.listed_tools();
    output::print(&match verb.format {
        Format::Json => pretty(tools_json(tools).view()),
        Format::Mcp => pretty(mcp_tools(tools).view()),
        _ => tools_table(tools),
    });
    Ok(ExitCode::Done)
}
