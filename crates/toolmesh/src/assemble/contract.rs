//! A contract whose interface is looked up by its address, and an interface behind a URL.

use std::path::PathBuf;
use std::sync::Arc;

use toolmesh_evm::{
    EvmError, Interface,
    chain::Chain,
    fetch::{FetchError, fetch},
    lookup::{Lookup, LookupOptions},
};

use super::{
    AssembleError, Location, MAX_SOURCE_BYTES, Surroundings,
    evm::{address, configuration, refusal},
    network::{self, KnownNetwork},
};
use crate::config::{
    ETHERSCAN_KEY_FILE_VARIABLE, ETHERSCAN_KEY_VARIABLE, Environment, ExplorerConfig, ExplorerPlace,
    SourceConfig,
};
use crate::read;

/// The longest key that is read from a file, in bytes; Etherscan's have 34.
const MAX_KEY_BYTES: u64 = 256;

/// A contract at an address of a known chain.
pub(super) struct Placed {
    pub(super) address: toolmesh_evm::alloy_primitives::Address,
    pub(super) known: KnownNetwork,
    /// The URL of a node of the chain.
    pub(super) rpc: Option<String>,
}

/// What `0xADDRESS@CHAIN` names.
pub(super) fn placed(
    source: &SourceConfig,
    text: &str,
    chain: &str,
    surroundings: &Surroundings,
) -> Result<Placed, AssembleError> {
    let refuse = |reason: String| configuration(source, reason);
    if source.address.is_some() {
        return Err(refuse(
            "the location is an address already; leave `address` out".to_owned(),
        ));
    }
    if chain.is_empty() {
        let example =
            format!("say which chain it is on, as in {text}@mainnet (`toolmesh networks` lists the names)");
        return Err(refuse(example));
    }
    let address = address(source, text)?;
    let known = network::find(surroundings.config(), chain).map_err(refuse)?;
    let rpc = source.rpc.clone().or_else(|| known.rpc().map(str::to_owned));
    Ok(Placed { address, known, rpc })
}

impl Placed {
    /// Why it cannot be called: there is no node.
    pub(super) fn needs_rpc(&self, source: &SourceConfig) -> AssembleError {
        let name = &self.known.network.name;
        let variable = name
            .to_ascii_uppercase()
            .replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        configuration(
            source,
            format!(
                "to call it, a node of the chain is needed: give `--rpc URL`, or `rpc` of the [[network]] `{name}` \
                 (TOOLMESH_NETWORK_{variable}_RPC)"
            ),
        )
    }

    /// That the node is of another chain.
    pub(super) async fn check(&self, source: &SourceConfig, chain: &dyn Chain) -> Result<(), AssembleError> {
        let actual = chain
            .chain_id()
            .await
            .map_err(|error| refusal(&source.location, EvmError::Chain(error)))?;
        let expected = self.known.network.chain_id;
        if actual == expected {
            return Ok(());
        }
        let name = &self.known.network.name;
        Err(configuration(
            source,
            format!(
                "the RPC node is on chain {actual}, but {name} is chain {expected}; give a node of {name}"
            ),
        ))
    }

    /// The interface of the contract, and of what stands behind it.
    pub(super) async fn interface(
        &self,
        source: &SourceConfig,
        surroundings: &Surroundings,
        chain: Option<&Arc<dyn Chain>>,
    ) -> Result<Interface, AssembleError> {
        if source.contract.is_some() {
            return Err(configuration(
                source,
                "`contract` chooses within a file; leave it out".to_owned(),
            ));
        }
        let options = options(source, surroundings)?;
        Lookup::new(options)
            .interface(&self.known.network, self.address, chain)
            .await
            .map_err(|error| refusal(&source.location, error))
    }
}

/// The bytes behind a URL.
pub(super) async fn fetched(
    location: &Location,
    url: &str,
    surroundings: &Surroundings,
) -> Result<Vec<u8>, AssembleError> {
    fetch(url, MAX_SOURCE_BYTES, surroundings.told())
        .await
        .map_err(|error| {
            let (location, reason) = (location.clone(), error.to_string());
            match error {
                FetchError::InvalidUrl(_) => AssembleError::Configuration { location, reason },
                FetchError::Status {
                    status: 404 | 410, ..
                }
                | FetchError::TooLarge { .. } => AssembleError::Unreadable { location, reason },
                _ => AssembleError::Unreachable { location, reason },
            }
        })
}

fn options(source: &SourceConfig, surroundings: &Surroundings) -> Result<LookupOptions, AssembleError> {
    let public = LookupOptions::default();
    let ExplorerConfig {
        etherscan,
        sourcify,
        cache,
    } = &surroundings.config().explorer;
    Ok(LookupOptions {
        etherscan: chosen(etherscan, public.etherscan),
        etherscan_key: etherscan_key(surroundings.environment())
            .map_err(|reason| configuration(source, reason))?,
        sourcify: chosen(sourcify, public.sourcify),
        cache: chosen(cache, default_cache()),
        progress: surroundings.told().cloned(),
        pause: public.pause,
    })
}

fn chosen<T: From<String>>(place: &ExplorerPlace, default: Option<T>) -> Option<T> {
    match place {
        ExplorerPlace::Default => default,
        ExplorerPlace::Off => None,
        ExplorerPlace::At(text) => Some(text.clone().into()),
    }
}

fn etherscan_key(environment: &Environment) -> Result<Option<String>, String> {
    if let Some(key) = environment.get(ETHERSCAN_KEY_VARIABLE) {
        return Ok(Some(key.to_owned()));
    }
    let Some(path) = environment.get(ETHERSCAN_KEY_FILE_VARIABLE) else {
        return Ok(None);
    };
    let refused =
        |reason: String| format!("the file of {ETHERSCAN_KEY_FILE_VARIABLE} cannot be read: {reason}");
    let bytes = read::file(path.as_ref(), MAX_KEY_BYTES).map_err(|error| refused(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| refused("it is not text".to_owned()))?;
    Ok(Some(text.trim().to_owned()))
}

/// `$XDG_CACHE_HOME/toolmesh/contracts`, else the same in `~/.cache`; nothing where there is neither.
fn default_cache() -> Option<PathBuf> {
    let folder = |name| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path: &PathBuf| path.is_absolute())
    };
    let base = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")))?;
    Some(base.join("toolmesh").join("contracts"))
}
