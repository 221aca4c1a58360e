//! `[[network]]`: chains, beside those that are known anyway.

use super::key::{Key, Section};

/// A chain: one of its own, or what is missing about one that is known.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct NetworkConfig {
    /// Its name, as in `0x...@NAME`.
    pub name: String,
    /// Its id (EIP-155); a chain that is known by its name needs none.
    pub chain_id: Option<u64>,
    /// The URL of a node; may hold a key of the node's operator.
    pub rpc: Option<String>,
    /// The URL of its Blockscout's interface, `https://host/api`.
    pub explorer: Option<String>,
    /// The symbol of what gas is paid in.
    pub currency: Option<String>,
}

impl NetworkConfig {
    /// A chain of which nothing is said yet.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }
}

impl std::fmt::Debug for NetworkConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NetworkConfig")
            .field("name", &self.name)
            .field("chain_id", &self.chain_id)
            .field("rpc", &self.rpc.as_ref().map(|_| ".."))
            .field("explorer", &self.explorer)
            .field("currency", &self.currency)
            .finish()
    }
}

impl Section for NetworkConfig {
    const PLACE: &'static str = "in [[network]]";
    const VARIABLE: &'static str = "TOOLMESH_NETWORK_<NAME>_";
    const KEYS: &'static [Key<Self>] = &[
        Key {
            name: "name",
            about: "the chain's name, as in `0x...@NAME`",
            set: |network, value| {
                network.name = value.text()?;
                Ok(())
            },
        },
        Key {
            name: "chain_id",
            about: "its id; a chain that is known by its name needs none",
            set: |network, value| {
                network.chain_id = Some(value.count()?);
                Ok(())
            },
        },
        Key {
            name: "rpc",
            about: "the URL of a node of the chain",
            set: |network, value| {
                network.rpc = Some(value.text()?);
                Ok(())
            },
        },
        Key {
            name: "explorer",
            about: "the URL of its Blockscout's interface, `https://HOST/api`",
            set: |network, value| {
                network.explorer = Some(value.text()?);
                Ok(())
            },
        },
        Key {
            name: "currency",
            about: "the symbol of what gas is paid in",
            set: |network, value| {
                network.currency = Some(value.text()?);
                Ok(())
            },
        },
    ];
}
