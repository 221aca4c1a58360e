//! `toolmesh tools`: the tools of sources.

use clap::{Args, ValueEnum};
use toolmesh::{
    assemble::Assembly,
    provider::{self, Provider, listing},
};

use super::{listed, nobody};
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
    /// How the formats of model providers are made
    #[arg(long, value_enum, default_value_t = Mode::Safe)]
    mode: Mode,
    #[command(flatten)]
    flags: SourceFlags,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// So that the provider takes them; what had to be changed is told on standard error
    Safe,
    /// The plain form that programs of the tool mesh share; nothing is checked
    Compat,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// For a terminal
    Table,
    /// An array of tool descriptors
    Json,
    /// An array of tools as OpenAI's Chat Completions takes them
    Openai,
    /// An array of tools as OpenAI's Responses takes them
    OpenaiResponses,
    /// An array of tools as Anthropic takes them
    Anthropic,
    /// An array of tools as Gemini takes them
    Gemini,
    /// An array of tools as MCP's `tools/list` gives them
    Mcp,
}

impl Format {
    /// Whose format it is, unless it is one of our own.
    fn provider(self) -> Option<Provider> {
        match self {
            Self::Openai => Some(Provider::OpenAi),
            Self::OpenaiResponses => Some(Provider::OpenAiResponses),
            Self::Anthropic => Some(Provider::Anthropic),
            Self::Gemini => Some(Provider::Gemini),
            Self::Mcp => Some(Provider::Mcp),
            Self::Table | Self::Json => None,
        }
    }
}

impl From<Mode> for provider::Mode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Safe => Self::Safe,
            Mode::Compat => Self::Compat,
        }
    }
}

pub(crate) fn run(verb: &Tools) -> Result<ExitCode, Failure> {
    listed(&verb.flags, &verb.sources, |assembly| print(verb, assembly))
}

fn print(verb: &Tools, assembly: &Assembly) -> Result<ExitCode, Failure> {
    if let Some(why) = nobody(assembly.mesh()) {
        output::tell(&why);
    }
    let catalogue = assembly.dispatcher().toolbox().snapshot();
    let tools = catalogue.listed_tools();
    output::print(&match (verb.format, verb.format.provider()) {
        // Our own server says more of a tool than a descriptor holds (`_meta`).
        (Format::Mcp, _) if verb.mode == Mode::Safe => pretty(mcp_tools(tools).view()),
        (_, Some(provider)) => {
            let tools = tools.map(|tool| assembly.descriptor(tool));
            let listing = listing(provider::Format::of(provider), verb.mode.into(), tools);
            for warning in &listing.warnings {
                output::tell(&format!("toolmesh: {warning}"));
            }
            pretty(listing.tools.view())
        }
        (Format::Json, None) => pretty(tools_json(tools.map(|tool| assembly.descriptor(tool))).view()),
        (_, None) => tools_table(tools),
    });
    Ok(ExitCode::Done)
}
