//! `toolmesh watch`: what changes in the catalogue, as it changes.

use std::pin::pin;

use clap::{Args, ValueEnum};
use toolmesh::{
    assemble::Use,
    config::Environment,
    json::Value,
    tool::{CatalogueChange, ToolName},
};

use super::{block_on, callable};
use crate::{exit_code::ExitCode, failure::Failure, interrupt, output, sources::SourceFlags};

/// What `watch` takes.
#[derive(Debug, Args)]
pub(crate) struct Watch {
    /// Sources; those that follow something live are worth watching: the mesh, other MCP servers, Calimero nodes
    #[arg(value_name = "SOURCE")]
    sources: Vec<String>,
    /// How a change is written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    flags: SourceFlags,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// A line each
    Text,
    /// A JSON object a line
    Json,
}

pub(crate) fn run(verb: &Watch) -> Result<ExitCode, Failure> {
    let environment = Environment::of_process();
    let config = verb.flags.configuration(&verb.sources, &environment)?;
    block_on(async {
        let stop = interrupt::listen()?;
        let starting = callable(config, environment).purpose(Use::Listing).start();
        // A mesh or a node that does not answer may take its time.
        let Some(assembly) = stop.run_until_cancelled(starting).await else {
            return Ok(ExitCode::Done);
        };
        let assembly = assembly?;
        let toolbox = assembly.dispatcher().toolbox();
        let mut watch = toolbox.watch();
        for tool in toolbox.snapshot().listed_tools() {
            verb.format
                .print("added", tool.name(), &tool.tool().version().to_string());
        }
        let mut closed = pin!(output::closed());
        // Where nobody reads on, there is nobody to watch for.
        while !output::is_over() {
            tokio::select! {
                biased;
                () = stop.cancelled() => break,
                () = &mut closed => break,
                change = watch.changed() => match change {
                    Some(change) => verb.format.tell(&change),
                    None => break,
                },
            }
        }
        Ok(ExitCode::Done)
    })
}

impl Format {
    fn tell(self, change: &CatalogueChange) {
        let kinds = [
            ("added", &change.added_tools),
            ("removed", &change.removed_tools),
            ("changed", &change.changed_tools),
        ];
        for (kind, tools) in kinds {
            for (name, version) in tools {
                self.print(kind, name, version);
            }
        }
    }

    fn print(self, kind: &str, name: &ToolName, version: &str) {
        output::print(&match self {
            Self::Text => format!("{kind} {name} {version}"),
            Self::Json => Value::object()
                .put("type", kind)
                .put("name", name.as_str())
                .put("version", version)
                .build()
                .to_text(),
        });
    }
}
