//! `toolmesh networks`: the chains that are known by a name.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use toolmesh::{
    assemble::{KnownNetwork, networks},
    config::{Config, Environment},
    json::Value,
};

use crate::{
    exit_code::ExitCode,
    failure::Failure,
    output,
    render::{Layout, pretty, table},
};

/// What `networks` takes.
#[derive(Debug, Args)]
pub(crate) struct Networks {
    /// Only chains with this in their name, or with this id
    #[arg(value_name = "TEXT")]
    wanted: Option<String>,
    /// Read this configuration, whose networks stand before the others
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// How the list is written
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// For a terminal
    Table,
    /// An array of objects
    Json,
}

pub(crate) fn run(verb: &Networks) -> Result<ExitCode, Failure> {
    let mut config = match &verb.config {
        Some(path) => Config::read(path)?,
        None => Config::default(),
    };
    config.apply_environment(&Environment::of_process())?;
    let mut known = networks(&config).map_err(Failure::usage)?;
    if let Some(wanted) = &verb.wanted {
        let wanted = wanted.to_ascii_lowercase();
        known.retain(|known| {
            known.network.name.to_ascii_lowercase().contains(&wanted)
                || known.network.chain_id.to_string() == wanted
        });
    }
    output::print(&match verb.format {
        Format::Table => screen(&known),
        Format::Json => pretty(known.iter().map(described).collect::<Value>().view()),
    });
    Ok(ExitCode::Done)
}

fn screen(known: &[KnownNetwork]) -> String {
    let headings = ["NAME", "CHAIN ID", "CURRENCY", "TESTNET", "RPC", "EXPLORER"];
    let or_dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let row = |known: &KnownNetwork| {
        let network = &known.network;
        vec![
            network.name.clone(),
            network.chain_id.to_string(),
            or_dash(&network.currency),
            if network.testnet { "yes" } else { "-" }.to_owned(),
            // A URL may hold a key: that there is one is all that is told.
            if known.rpc().is_some() { "configured" } else { "-" }.to_owned(),
            or_dash(&network.explorer),
        ]
    };
    table(Layout::Plain, &headings, known.iter().map(row))
}

fn described(known: &KnownNetwork) -> Value {
    let network = &known.network;
    let or_null = |text: &Option<String>| text.as_deref().map_or_else(Value::null, Value::from);
    let block_time = network
        .block_time
        .map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
    Value::object()
        .put("name", network.name.as_str())
        .put("chain_id", network.chain_id)
        .put("currency", or_null(&network.currency))
        .put("testnet", network.testnet)
        .put("block_time_ms", block_time.map_or_else(Value::null, Value::from))
        .put("explorer", or_null(&network.explorer))
        .put("blockscout", or_null(&network.blockscout))
        .put("configured", known.configured.is_some())
        .put("has_rpc", known.rpc().is_some())
        .build()
}
