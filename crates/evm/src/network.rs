//! The public chains: their names, ids and explorers.

use std::str::FromStr as _;
use std::time::Duration;

use alloy_chains::NamedChain;

/// Chains whose Blockscout answers at another address than the list of chains says, or that the list knows by another
/// explorer only.
const BLOCKSCOUT: [(u64, &str); 12] = [
    (1, "https://eth.blockscout.com/api"),
    (10, "https://explorer.optimism.io/api"),
    (100, "https://gnosis.blockscout.com/api"),
    (137, "https://polygon.blockscout.com/api"),
    (324, "https://zksync.blockscout.com/api"),
    (8_453, "https://base.blockscout.com/api"),
    (42_161, "https://arbitrum.blockscout.com/api"),
    (42_220, "https://celo.blockscout.com/api"),
    (534_352, "https://scroll.blockscout.com/api"),
    (84_532, "https://base-sepolia.blockscout.com/api"),
    (11_155_111, "https://eth-sepolia.blockscout.com/api"),
    (11_155_420, "https://testnet-explorer.optimism.io/api"),
];

/// Names that people use and the list of chains does not know.
const ALIASES: [(&str, u64); 12] = [
    ("ethereum", 1),
    ("eth", 1),
    ("op", 10),
    ("bnb", 56),
    ("xdai", 100),
    ("matic", 137),
    ("ftm", 250),
    ("arb", 42_161),
    ("arbitrum-one", 42_161),
    ("avax", 43_114),
    ("avalanche-c-chain", 43_114),
    ("amoy", 80_002),
];

/// A chain that has a name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Network {
    /// Its name: `mainnet`, `base`, `arbitrum-sepolia`.
    pub name: String,
    /// Its id (EIP-155).
    pub chain_id: u64,
    /// The symbol of what gas is paid in, where it is known.
    pub currency: Option<String>,
    /// Whether nothing on it has a value.
    pub testnet: bool,
    /// How long a block takes on average.
    pub block_time: Option<Duration>,
    /// The page of its explorer, for people.
    pub explorer: Option<String>,
    /// The URL of its Blockscout's interface (`https://host/api`), for programs.
    pub blockscout: Option<String>,
}

impl Network {
    /// Every chain that is known, by id.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let mut all: Vec<Self> = NamedChain::iter().map(Self::of).collect();
        all.sort_by_key(|network| network.chain_id);
        all
    }

    /// The chain of this name (also `ethereum`, `eth`, `bsc`, ...) or this id in digits. A number is always an id,
    /// also of a chain that has no name here.
    #[must_use]
    pub fn find(text: &str) -> Option<Self> {
        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
            let id = text.parse().ok()?;
            return Some(Self::by_id(id));
        }
        let wanted = text.to_ascii_lowercase();
        let alias = ALIASES.iter().find(|(name, _)| *name == wanted);
        alias
            .map(|(_, id)| Self::by_id(*id))
            .or_else(|| NamedChain::from_str(&wanted).ok().map(Self::of))
    }

    /// The chain with this id; one that has no name is called after the id.
    #[must_use]
    pub fn by_id(chain_id: u64) -> Self {
        match NamedChain::from_chain_id(chain_id) {
            Some(chain) => Self::of(chain),
            None => Self {
                name: chain_id.to_string(),
                chain_id,
                currency: None,
                testnet: false,
                block_time: None,
                explorer: None,
                blockscout: blockscout(chain_id, None),
            },
        }
    }

    fn of(chain: NamedChain) -> Self {
        let chain_id = u64::from(chain);
        let urls = chain.etherscan_urls();
        Self {
            name: chain.as_str().to_owned(),
            chain_id,
            currency: chain.native_currency_symbol().map(str::to_owned),
            testnet: chain.is_testnet(),
            block_time: chain.average_blocktime_hint(),
            explorer: urls.map(|(_, page)| page.to_owned()),
            blockscout: blockscout(chain_id, urls.map(|(api, _)| api)),
        }
    }
}

fn blockscout(chain_id: u64, listed: Option<&str>) -> Option<String> {
    let own = BLOCKSCOUT
        .iter()
        .find(|(id, _)| *id == chain_id)
        .map(|(_, url)| *url);
    own.or_else(|| listed.filter(|url| url.contains("blockscout") && url.starts_with("https://")))
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_found_by_name_by_other_names_and_by_id() {
        for (text, id) in [
            ("mainnet", 1),
            ("ethereum", 1),
            ("Mainnet", 1),
            ("1", 1),
            ("sepolia", 11_155_111),
            ("goerli", 5),
            ("polygon", 137),
            ("arbitrum", 42_161),
            ("optimism", 10),
            ("base", 8_453),
            ("bsc", 56),
            ("avalanche", 43_114),
            ("fantom", 250),
            ("gnosis", 100),
            ("424242", 424_242),
        ] {
            assert_eq!(
                Network::find(text).map(|network| network.chain_id),
                Some(id),
                "{text}"
            );
        }
        for text in ["", "nowhere", "-1", "0x1", "99999999999999999999999"] {
            assert_eq!(Network::find(text), None, "{text}");
        }
    }

    #[test]
    fn the_list_is_in_the_order_of_ids_and_each_name_finds_its_chain() {
        let all = Network::all();
        assert!(all.len() > 100 && all.windows(2).all(|pair| pair[0].chain_id < pair[1].chain_id));
        for network in &all {
            assert_eq!(Network::find(&network.name).as_ref(), Some(network));
        }
        let base = Network::find("base").unwrap();
        assert_eq!((base.currency.as_deref(), base.testnet), (Some("ETH"), false));
        assert!(base.explorer.is_some() && base.blockscout.is_some());
    }
}
