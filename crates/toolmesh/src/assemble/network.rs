//! The chains that a configuration knows.

use toolmesh_evm::Network;

use crate::config::{Config, NetworkConfig};

/// A chain, and how it is reached.
#[derive(Debug, Clone)]
pub struct KnownNetwork {
    /// The chain.
    pub network: Network,
    /// What the configuration says about it.
    pub configured: Option<NetworkConfig>,
}

impl KnownNetwork {
    /// The URL of a node, when the configuration has one.
    #[must_use]
    pub fn rpc(&self) -> Option<&str> {
        self.configured.as_ref()?.rpc.as_deref()
    }

    /// Why a section is no chain, as a sentence fragment.
    fn of(configured: &NetworkConfig) -> Result<Self, String> {
        let name = &configured.name;
        let mut network = match (configured.chain_id, Network::find(name)) {
            (Some(id), _) => Network::by_id(id),
            (None, Some(network)) => network,
            (None, None) => {
                return Err(format!(
                    "the network `{name}` is not known by its name; give its `chain_id` in [[network]]"
                ));
            }
        };
        network.name.clone_from(name);
        network.blockscout = configured.explorer.clone().or(network.blockscout);
        network.currency = configured.currency.clone().or(network.currency);
        Ok(Self {
            network,
            configured: Some(configured.clone()),
        })
    }
}

/// Every chain that is known: those of the configuration, then the public ones, by id.
///
/// # Errors
/// A sentence when a section of the configuration is no chain.
pub fn networks(config: &Config) -> Result<Vec<KnownNetwork>, String> {
    let mut known: Vec<KnownNetwork> = config
        .networks
        .iter()
        .map(KnownNetwork::of)
        .collect::<Result<_, _>>()?;
    let ids: Vec<u64> = known.iter().map(|known| known.network.chain_id).collect();
    let others = Network::all()
        .into_iter()
        .filter(|network| !ids.contains(&network.chain_id));
    known.extend(others.map(|network| KnownNetwork {
        network,
        configured: None,
    }));
    Ok(known)
}

/// The chain of this name or id; what the configuration says wins.
pub(super) fn find(config: &Config, text: &str) -> Result<KnownNetwork, String> {
    let by_name = |network: &&NetworkConfig| network.name.eq_ignore_ascii_case(text);
    if let Some(configured) = config.networks.iter().find(by_name) {
        return KnownNetwork::of(configured);
    }
    let Some(network) = Network::find(text) else {
        return Err(format!(
            "the chain `{text}` is not known; `toolmesh networks` lists names, and a number is an id"
        ));
    };
    let same = config
        .networks
        .iter()
        .filter_map(|configured| KnownNetwork::of(configured).ok());
    let same = same
        .into_iter()
        .find(|known| known.network.chain_id == network.chain_id);
    Ok(same.unwrap_or(KnownNetwork {
        network,
        configured: None,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> Config {
        let text = "[[network]]\nname = \"mainnet\"\nrpc = \"http://127.0.0.1:1/key\"\n\n\
                    [[network]]\nname = \"ours\"\nchain_id = 987654\nexplorer = \"http://127.0.0.1:2/api\"\n";
        Config::from_toml(text, std::path::Path::new("toolmesh.toml")).unwrap()
    }

    #[test]
    fn a_chain_is_found_by_name_and_id_with_what_the_configuration_says() {
        for (text, id, has_rpc) in [
            ("mainnet", 1, true),
            ("1", 1, true),
            ("ethereum", 1, true),
            ("base", 8_453, false),
        ] {
            let known = find(&config(), text).unwrap();
            assert_eq!(
                (known.network.chain_id, known.rpc().is_some()),
                (id, has_rpc),
                "{text}"
            );
        }
        let ours = find(&config(), "Ours").unwrap();
        assert_eq!(ours.network.chain_id, 987_654);
        assert_eq!(ours.network.blockscout.as_deref(), Some("http://127.0.0.1:2/api"));
        assert!(
            find(&config(), "nowhere")
                .unwrap_err()
                .contains("toolmesh networks")
        );
    }

    #[test]
    fn a_network_without_an_id_must_be_a_known_one() {
        let config = Config::from_toml("[[network]]\nname = \"ours\"\n", std::path::Path::new("x")).unwrap();
        assert!(networks(&config).unwrap_err().contains("`chain_id`"));
    }

    #[test]
    fn every_chain_is_listed_once_and_those_of_the_configuration_first() {
        let all = networks(&config()).unwrap();
        assert_eq!(
            (all[0].network.name.as_str(), all[1].network.name.as_str()),
            ("mainnet", "ours")
        );
        assert_eq!(all.iter().filter(|known| known.network.chain_id == 1).count(), 1);
    }
}
