//! `toolmesh describe`: everything about one tool.

use clap::Args;
use toolmesh::{assemble::Assembly, tool::CatalogueTool};

use super::{call::no_such_tool, listed};
use crate::{exit_code::ExitCode, failure::Failure, output, render, sources::SourceFlags};

/// What `describe` takes.
#[derive(Debug, Args)]
pub(crate) struct Describe {
    /// The tool's name, or another name that it answers to
    tool: String,
    /// Files, `-` for standard input, or other kinds of sources
    #[arg(value_name = "SOURCE")]
    sources: Vec<String>,
    #[command(flatten)]
    flags: SourceFlags,
}

/// The nodes of the mesh that serve the tool, each with its version.
fn servers(assembly: &Assembly, entry: &CatalogueTool) -> Vec<String> {
    let servers = assembly.servers(entry).into_iter();
    servers
        .map(|server| format!("{} ({}) {}", server.name, server.node, server.version))
        .collect()
}

pub(crate) fn run(verb: &Describe) -> Result<ExitCode, Failure> {
    listed(&verb.flags, &verb.sources, |assembly| print(verb, assembly))
}

fn print(verb: &Describe, assembly: &Assembly) -> Result<ExitCode, Failure> {
    let catalogue = assembly.dispatcher().toolbox().snapshot();
    let entry = catalogue
        .tool(&verb.tool, None)
        .ok_or_else(|| no_such_tool(&verb.tool, assembly))?;
    output::print(&render::describe(entry, &servers(assembly, entry)));
    Ok(ExitCode::Done)
}
