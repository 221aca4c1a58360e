//! The interface of a contract, looked up by its address.
//!
//! Explorers keep the interfaces of contracts whose source somebody gave them. They are asked in order, Etherscan (when
//! there is a key), Sourcify, Blockscout, until one of them knows the contract. When none does, those that were asked
//! too often are asked again after a pause. What was found is kept on disk.

mod cache;
mod contract;
mod etherscan;
mod explorer;
mod patience;
mod refusal;
mod sourcify;

use std::fmt;
use std::path::PathBuf;

use alloy_primitives::Address;
use toolmesh_json::{Value, View};

use crate::fetch::{Progress, fetch};
use crate::network::Network;
pub use cache::{MAX_CACHE_BYTES, MAX_CACHE_FILES};
pub use explorer::Explorer;
use patience::Again;
pub use patience::{MAX_ASKED_AGAIN, MAX_PAUSE, Pause};
pub use refusal::{LookupError, Refusal};

/// The largest answer of an explorer that is read, in bytes: the sources of a large project, which Etherscan and
/// Blockscout send beside the interface, have about 2 MB.
pub const MAX_ANSWER_BYTES: u64 = 16 << 20;

/// The most implementations that an explorer's word about a proxy is taken for.
const MAX_HINTS: usize = 64;

/// Where interfaces are looked up.
#[derive(Clone)]
pub struct LookupOptions {
    /// The base URL of Etherscan's version 2 (`/v2/api` is put behind it); `None` is never asked.
    pub etherscan: Option<String>,
    /// The key for Etherscan; without one it is not asked.
    pub etherscan_key: Option<String>,
    /// The base URL of Sourcify (`/v2/contract/..` is put behind it); `None` is never asked.
    pub sourcify: Option<String>,
    /// The folder where what was found is kept; `None` keeps nothing.
    pub cache: Option<PathBuf>,
    /// Told how an answer comes in.
    pub progress: Option<Progress>,
    /// How it is waited before an explorer is asked again.
    pub pause: Pause,
}

impl Default for LookupOptions {
    /// The public explorers, without a key and without a cache.
    fn default() -> Self {
        Self {
            etherscan: Some("https://api.etherscan.io".to_owned()),
            etherscan_key: None,
            sourcify: Some("https://sourcify.dev/server".to_owned()),
            cache: None,
            progress: None,
            pause: patience::by_the_clock(),
        }
    }
}

impl fmt::Debug for LookupOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LookupOptions")
            .field("etherscan_key", &self.etherscan_key.as_ref().map(|_| ".."))
            .field("cache", &self.cache)
            .finish_non_exhaustive()
    }
}

/// What was found about a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The interface as an artifact: `abi`, `contractName`, and comments where the explorer has them.
    pub artifact: Value,
    /// Who knows it.
    pub explorer: Explorer,
    /// The contracts that do the work, when the explorer says that this one is a proxy.
    pub implementations: Vec<Address>,
}

/// Asks explorers.
#[derive(Clone, Debug, Default)]
pub struct Lookup {
    options: LookupOptions,
}

impl Lookup {
    /// A look-up with these options.
    #[must_use]
    pub fn new(options: LookupOptions) -> Self {
        Self { options }
    }

    /// Finds the interface of the contract at `address`.
    ///
    /// # Errors
    /// [`LookupError`] with what each explorer said, when none of them knows it.
    pub async fn find(&self, network: &Network, address: Address) -> Result<Found, LookupError> {
        if let Some(folder) = &self.options.cache
            && let Some(found) = cache::read(folder, network.chain_id, address)
        {
            return Ok(found);
        }
        let found = self.found(network, address).await?;
        if let Some(folder) = &self.options.cache {
            cache::write(folder, network.chain_id, address, &found);
        }
        Ok(found)
    }

    /// What the first explorer that knows the contract says of it.
    async fn found(&self, network: &Network, address: Address) -> Result<Found, LookupError> {
        let mut refusals = Vec::new();
        for explorer in Explorer::ALL {
            match self.ask(explorer, network, address).await {
                Ok(found) => return Ok(found),
                Err(refusal) => refusals.push((explorer, refusal)),
            }
        }
        for again in 0..MAX_ASKED_AGAIN {
            let Some(Again { pause, explorers }) = Again::after(&refusals, again) else {
                break;
            };
            tracing::info!(
                ?explorers,
                ?pause,
                "explorers were asked too often and are asked again"
            );
            (self.options.pause)(pause).await;
            for (explorer, refusal) in &mut refusals {
                if !explorers.contains(explorer) {
                    continue;
                }
                match self.ask(*explorer, network, address).await {
                    Ok(found) => return Ok(found),
                    Err(another) => *refusal = another,
                }
            }
        }
        Err(LookupError {
            address,
            network: network.name.clone(),
            refusals,
        })
    }

    async fn ask(&self, explorer: Explorer, network: &Network, address: Address) -> Result<Found, Refusal> {
        let url = self.url(explorer, network, address)?;
        let bytes = match fetch(&url, MAX_ANSWER_BYTES, self.options.progress.as_ref()).await {
            Ok(bytes) => bytes,
            Err(error) => return Err(Refusal::of_fetch(error, explorer)),
        };
        tracing::debug!(%explorer, %address, bytes = bytes.len(), "an explorer answered");
        match explorer {
            Explorer::Sourcify => sourcify::read(&bytes),
            Explorer::Etherscan | Explorer::Blockscout => etherscan::read(&bytes, explorer),
        }
    }

    fn url(&self, explorer: Explorer, network: &Network, address: Address) -> Result<String, Refusal> {
        let id = network.chain_id;
        match explorer {
            Explorer::Etherscan => {
                let base = self.options.etherscan.as_deref().ok_or(Refusal::SwitchedOff)?;
                let key = self.options.etherscan_key.as_deref().ok_or(Refusal::NoKey)?;
                let query = format!(
                    "chainid={id}&{}&apikey={}",
                    etherscan::query(address),
                    encoded(key)
                );
                Ok(format!("{}/v2/api?{query}", base.trim_end_matches('/')))
            }
            Explorer::Sourcify => {
                let base = self.options.sourcify.as_deref().ok_or(Refusal::SwitchedOff)?;
                let fields = "abi,compilation,proxyResolution,userdoc,devdoc";
                Ok(format!(
                    "{}/v2/contract/{id}/{address}?fields={fields}",
                    base.trim_end_matches('/')
                ))
            }
            Explorer::Blockscout => {
                let base = network.blockscout.as_deref().ok_or(Refusal::NoSuchChain)?;
                Ok(format!(
                    "{}?{}",
                    base.trim_end_matches('/'),
                    etherscan::query(address)
                ))
            }
        }
    }
}

/// Everything but letters and digits in the form of a URL.
fn encoded(text: &str) -> String {
    let byte = |byte: u8| {
        if byte.is_ascii_alphanumeric() {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    text.bytes().map(byte).collect()
}

/// The addresses among some texts, each once.
fn addresses<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> Vec<Address> {
    let mut found = Vec::new();
    for address in texts.flatten().filter_map(|text| text.parse::<Address>().ok()) {
        if !address.is_zero() && !found.contains(&address) && found.len() < MAX_HINTS {
            found.push(address);
        }
    }
    found
}

/// An artifact of what an explorer knows; `abi` must be an array.
fn artifact(abi: View<'_>, name: Option<&str>, comments: Option<View<'_>>) -> Option<Value> {
    abi.as_array()?;
    let comment = |member| {
        comments
            .and_then(|comments| comments.get(member))
            .map(View::to_value)
    };
    let built = Value::object()
        .put("abi", abi.to_value())
        .put_opt("contractName", name.filter(|name| !name.is_empty()))
        .put_opt("userdoc", comment("userdoc"))
        .put_opt("devdoc", comment("devdoc"));
    Some(built.build())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_primitives::address;

    #[test]
    fn a_key_is_put_into_the_url_in_its_safe_form_and_never_shown() {
        let options = LookupOptions {
            etherscan_key: Some("a&b=c".to_owned()),
            ..LookupOptions::default()
        };
        assert!(!format!("{options:?}").contains("a&b"));
        let lookup = Lookup::new(options);
        let network = Network::by_id(1);
        let token = address!("0x6B175474E89094C44Da98b954EedeAC495271d0F");
        let url = lookup.url(Explorer::Etherscan, &network, token).unwrap();
        assert_eq!(
            url,
            "https://api.etherscan.io/v2/api?chainid=1&module=contract&action=getsourcecode\
             &address=0x6B175474E89094C44Da98b954EedeAC495271d0F&apikey=a%26b%3Dc"
        );
        assert_eq!(
            lookup.url(Explorer::Sourcify, &network, token).unwrap(),
            "https://sourcify.dev/server/v2/contract/1/0x6B175474E89094C44Da98b954EedeAC495271d0F\
             ?fields=abi,compilation,proxyResolution,userdoc,devdoc"
        );
    }
}
