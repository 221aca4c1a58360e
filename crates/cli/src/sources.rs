//! How sources are named on the command line, and what a configuration file adds.

use std::path::PathBuf;

use clap::Args;
use toolmesh::{
    assemble::Location,
    config::{Config, Environment, SourceConfig},
    json,
};

use crate::failure::Failure;

/// Flags that say where tools come from and which of them are wanted.
#[derive(Debug, Args)]
#[command(next_help_heading = "Sources")]
pub(crate) struct SourceFlags {
    /// Read this configuration; its sources stand before those of the command line
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// The contract, when the source holds several: its name, or FILE.sol:NAME
    #[arg(long, value_name = "NAME")]
    pub(crate) contract: Option<String>,
    /// The contract's address, when it is deployed already
    #[arg(long, value_name = "0x...")]
    pub(crate) address: Option<String>,
    /// The node of the contract's chain
    #[arg(long, value_name = "URL")]
    pub(crate) rpc: Option<String>,
    /// Arguments of the constructor of a contract that is deployed on the sandbox, a JSON object or array, or of `init` of a
    /// Calimero application that runs here, an object
    #[arg(long, value_name = "JSON")]
    pub(crate) init: Option<String>,
    /// Keep the sandbox chain, or the state of the Calimero application that runs here, in this file
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Offer tools for the sandbox chain itself: accounts, balances, time, blocks, snapshots
    #[arg(long)]
    pub(crate) sandbox_tools: bool,
    /// Offer only tools whose name matches; may be given several times
    #[arg(long, value_name = "GLOB")]
    pub(crate) include: Vec<String>,
    /// Do not offer tools whose name matches; may be given several times
    #[arg(long, value_name = "GLOB")]
    pub(crate) exclude: Vec<String>,
    /// Offer only tools that change nothing
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Offer helper tools beside those of the functions: amounts with decimals, many reads at once, contract info
    #[arg(long)]
    pub(crate) helpers: bool,
    /// Refuse to start with more tools than this
    #[arg(long, value_name = "N")]
    pub(crate) max_tools: Option<usize>,
}

impl SourceFlags {
    /// The configuration file, the sources, the environment and the flags as one configuration; the later wins. There is a source
    /// in it.
    pub(crate) fn configuration(
        &self,
        sources: &[String],
        environment: &Environment,
    ) -> Result<Config, Failure> {
        let config = self.with_any_sources(sources, environment)?;
        if config.sources.is_empty() {
            return Err(Failure::usage(
                "no source was given; name a file with a contract's ABI or artifact, or `--config FILE`",
            ));
        }
        Ok(config)
    }

    /// The same, of which all may be about other things than sources.
    pub(crate) fn with_any_sources(
        &self,
        sources: &[String],
        environment: &Environment,
    ) -> Result<Config, Failure> {
        let mut config = match &self.config {
            Some(path) => Config::read(path)?,
            None => Config::default(),
        };
        config
            .sources
            .extend(sources.iter().map(|text| SourceConfig::at(Location::parse(text))));
        if config
            .sources
            .iter()
            .filter(|source| source.location == Location::Stdin)
            .count()
            > 1
        {
            return Err(Failure::usage(
                "standard input can be read once; give only one source as `-`",
            ));
        }
        config.apply_environment(environment)?;
        self.apply(&mut config, sources.len())?;
        Ok(config)
    }

    fn apply(&self, config: &mut Config, given: usize) -> Result<(), Failure> {
        let about_one = [&self.contract, &self.address, &self.rpc, &self.init];
        if about_one.into_iter().any(Option::is_some) {
            let (1, Some(source)) = (given, config.sources.last_mut()) else {
                return Err(Failure::usage(
                    "`--contract`, `--address`, `--rpc` and `--init` are about one source; give exactly one, or say it in a configuration file",
                ));
            };
            source.contract = self.contract.clone().or(source.contract.take());
            source.address = self.address.clone().or(source.address.take());
            source.rpc = self.rpc.clone().or(source.rpc.take());
            if let Some(text) = &self.init {
                let arguments = json::parse(text.as_bytes());
                let refused = |error: json::ParseError| {
                    Failure::usage(format!(
                        "`--init` must be a JSON object or array ({})",
                        error.kind()
                    ))
                };
                source.constructor_arguments = Some(arguments.map_err(refused)?);
            }
        }
        if !self.include.is_empty() {
            config.policy.include.clone_from(&self.include);
        }
        if !self.exclude.is_empty() {
            config.policy.exclude.clone_from(&self.exclude);
        }
        config.sandbox.state = self.state.clone().or(config.sandbox.state.take());
        config.sandbox.tools |= self.sandbox_tools;
        if self.helpers {
            config.sources.iter_mut().for_each(|source| source.helpers = true);
        }
        config.policy.read_only |= self.read_only;
        config.server.max_tools = self.max_tools.or(config.server.max_tools);
        Ok(())
    }

    /// Whether the URL of `--rpc` may hold a secret, which is not printed.
    pub(crate) fn hides_rpc(&self) -> bool {
        self.rpc.as_deref().is_some_and(may_hold_secret)
    }

    /// The flags as they were given, for a command that another program starts from another folder. A URL that may
    /// hold a secret is not among them.
    pub(crate) fn as_arguments(&self) -> Result<Vec<String>, Failure> {
        let mut arguments = Vec::new();
        let mut flag = |name: &str, value: String| arguments.extend([name.to_owned(), value]);
        if let Some(config) = &self.config {
            flag("--config", absolute(config)?);
        }
        for (name, value) in [
            ("--contract", &self.contract),
            ("--address", &self.address),
            ("--rpc", &self.rpc.clone().filter(|url| !may_hold_secret(url))),
            ("--init", &self.init),
        ] {
            value.iter().for_each(|value| flag(name, value.clone()));
        }
        self.include
            .iter()
            .for_each(|glob| flag("--include", glob.clone()));
        self.exclude
            .iter()
            .for_each(|glob| flag("--exclude", glob.clone()));
        if let Some(max) = self.max_tools {
            flag("--max-tools", max.to_string());
        }
        if let Some(state) = &self.state {
            // The file need not be there yet.
            let path = std::path::absolute(state).unwrap_or_else(|_| state.clone());
            arguments.extend(["--state".to_owned(), path.display().to_string()]);
        }
        if self.sandbox_tools {
            arguments.push("--sandbox-tools".to_owned());
        }
        if self.helpers {
            arguments.push("--helpers".to_owned());
        }
        if self.read_only {
            arguments.push("--read-only".to_owned());
        }
        Ok(arguments)
    }
}

/// Whether a URL has more than scheme, host and port: services put their keys anywhere in the rest.
fn may_hold_secret(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.trim_end_matches('/').contains(['/', '?', '#', '@'])
}

/// A path from the root of the file system, of a file that is there.
pub(crate) fn absolute(path: &std::path::Path) -> Result<String, Failure> {
    let found = path.canonicalize();
    let refused = |error: std::io::Error| Failure::Unreadable {
        what: path.display().to_string(),
        reason: missing(&error),
    };
    Ok(found.map_err(refused)?.display().to_string())
}

/// A failure of the system in the words that are used for sources.
pub(crate) fn missing(error: &std::io::Error) -> String {
    if error.kind() == std::io::ErrorKind::NotFound {
        "there is no such file".to_owned()
    } else {
        error.to_string()
    }
}
