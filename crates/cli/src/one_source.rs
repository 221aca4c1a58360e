//! The source of a verb that looks at one.

use std::path::PathBuf;

use clap::Args;
use toolmesh::{
    assemble::{Location, Surroundings},
    config::{Config, Environment, SourceConfig},
};

use crate::{failure::Failure, output};

/// One source, and how it is read.
#[derive(Debug, Args)]
pub(crate) struct OneSource {
    /// A file, `-` for standard input, a URL, 0xADDRESS@CHAIN, mcp:COMMAND, mcp:URL, or the name of a source of --config
    source: String,
    /// The contract, when the source holds several: its name, or FILE.sol:NAME
    #[arg(long, value_name = "NAME")]
    contract: Option<String>,
    /// Read this configuration, for its sources, networks and explorers
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The node of the contract's chain, which tells what stands behind a proxy
    #[arg(long, value_name = "URL")]
    rpc: Option<String>,
}

impl OneSource {
    /// The source with everything that flags, environment and configuration say about it.
    pub(crate) fn resolve(&self) -> Result<(SourceConfig, Surroundings), Failure> {
        let environment = Environment::of_process();
        let mut config = match &self.config {
            Some(path) => Config::read(path)?,
            None => Config::default(),
        };
        if !config.sources.iter().any(|source| source.name == self.source) {
            config.sources = vec![SourceConfig::at(Location::parse(&self.source))];
        }
        config
            .sources
            .retain(|source| source.name == self.source || self.is_location_of(source));
        config.apply_environment(&environment)?;
        let Some(mut source) = config.sources.first().cloned() else {
            return Err(Failure::usage("no source was given"));
        };
        source.contract = self.contract.clone().or(source.contract);
        source.rpc = self.rpc.clone().or(source.rpc);
        let surroundings = Surroundings::new(config, environment);
        let surroundings = match output::progress() {
            Some(progress) => surroundings.progress(progress),
            None => surroundings,
        };
        Ok((source, surroundings))
    }

    fn is_location_of(&self, source: &SourceConfig) -> bool {
        source.location == Location::parse(&self.source)
    }
}
