//! From an address to an interface: what stands there, and what stands behind it.

use std::sync::Arc;

use alloy_primitives::Address;

use super::{Found, Lookup, LookupError};
use crate::EvmError;
use crate::chain::Chain;
use crate::model::Interface;
use crate::network::Network;
use crate::proxy::{Implementation, Part, Proxy, merge, resolve};

/// How many proxies behind each other are followed.
const MAX_PROXIES: usize = 4;

impl Lookup {
    /// The interface of the contract at `address`: its own, and those of the contracts that do its work when it is a
    /// proxy. These are told by the chain when there is one, and else by the explorer.
    ///
    /// # Errors
    /// [`EvmError::Lookup`] when no explorer knows any of it, or cannot be asked; [`EvmError::Chain`] when the chain
    /// does not answer.
    pub async fn interface(
        &self,
        network: &Network,
        address: Address,
        chain: Option<&Arc<dyn Chain>>,
    ) -> Result<Interface, EvmError> {
        let mut parts = Vec::new();
        let mut unknown = Vec::new();
        let mut level = vec![Implementation::whole(address)];
        let mut through = None;
        for _ in 0..=MAX_PROXIES {
            let mut behind = None;
            for implementation in std::mem::take(&mut level) {
                let found = self.known(network, implementation.address, &mut unknown).await?;
                if behind.is_none() {
                    behind = behind_of(implementation.address, found.as_ref(), chain).await?;
                }
                if let Some(found) = found {
                    let interface = crate::read(found.artifact.to_text().as_bytes())?;
                    parts.push(Part {
                        implementation,
                        explorer: found.explorer,
                        through,
                        interface,
                    });
                }
            }
            let Some(proxy) = behind else { break };
            through = Some(proxy.kind);
            level = proxy.implementations;
        }
        match (parts.is_empty(), unknown.pop()) {
            (true, Some(error)) => Err(error.into()),
            (_, last) => Ok(merge(
                address,
                parts,
                unknown.into_iter().chain(last).map(|error| error.address),
            )),
        }
    }

    /// What explorers know about one contract; that they do not know it is kept for the end.
    async fn known(
        &self,
        network: &Network,
        address: Address,
        unknown: &mut Vec<LookupError>,
    ) -> Result<Option<Found>, EvmError> {
        match self.find(network, address).await {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.is_not_verified() => {
                unknown.push(error);
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }
}

async fn behind_of(
    address: Address,
    found: Option<&Found>,
    chain: Option<&Arc<dyn Chain>>,
) -> Result<Option<Proxy>, EvmError> {
    match (chain, found) {
        (Some(chain), _) => Ok(resolve(chain.as_ref(), address).await?),
        (None, Some(found)) => Ok(Proxy::told(&found.implementations, address)),
        (None, None) => Ok(None),
    }
}
