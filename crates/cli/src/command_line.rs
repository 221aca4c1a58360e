//! What may be said on the command line.

use clap::{Parser, Subcommand};

use crate::verb;

/// Typed interfaces as tools that AI agents can call.
#[derive(Debug, Parser)]
#[command(
    name = "toolmesh",
    version,
    propagate_version = true,
    subcommand_required = true,
    arg_required_else_help = true
)]
#[command(after_help = "\
Exit codes:
  0  done
  1  the tool said no, an instance failed, or arguments were bad
  2  usage or configuration
  3  source or tool not found, or not readable
  4  source invalid
  5  remote unreachable, or lost during a call
  6  refused by policy, or not in this build
  7  local resource (port in use, task store, audit file or state file that cannot be opened,
     standard output that cannot be written)

Logs go to standard error; TOOLMESH_LOG or RUST_LOG chooses them (error, warn, info, debug).")]
pub(crate) struct CommandLine {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// What is to be done.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Serve the tools of sources to MCP clients, on standard input and output or over HTTP
    Serve(verb::serve::Serve),
    /// Show what is in a source, and what became of each entry
    Inspect(verb::inspect::Inspect),
    /// Check whether a source can be used
    Validate(verb::validate::Validate),
    /// List the tools of sources
    Tools(verb::tools::Tools),
    /// Show everything about one tool
    Describe(verb::describe::Describe),
    /// Call one tool and print its result
    Call(verb::call::Call),
    /// Tell what changes in the catalogue, as it changes
    Watch(verb::watch::Watch),
    /// Look over configuration, sources, keys, stores and ports, and say what to do
    Doctor(verb::doctor::Doctor),
    /// Work with JSON Schema
    #[command(subcommand)]
    Schema(verb::schema::Schema),
    /// Write a typed client for the tools of a source
    Generate(verb::generate::Generate),
    /// List the chains that are known by a name
    Networks(verb::networks::Networks),
    /// Look at a mesh of machines, carry it, and make its keys
    #[command(subcommand)]
    Mesh(verb::mesh::Mesh),
    /// Print the completion script for a shell
    Completions(verb::completions::Completions),
}
