//! Names to addresses, by the chain's registry.

use std::collections::BTreeMap;

use alloy_primitives::{Address, B256, Bytes};
use toolmesh_json::{Value, View};

use super::{node, with_addresses};
use crate::chain::{BlockRef, Chain, Execution, Message};
use crate::model::Function;
use crate::tool::Fault;

/// `resolver(bytes32)` of a registry (EIP-137).
const RESOLVER: [u8; 4] = [0x01, 0x78, 0xb8, 0xbf];

/// `addr(bytes32)` of a resolver (EIP-137).
const ADDR: [u8; 4] = [0x3b, 0x3b, 0x57, 0xde];

/// The arguments with every name resolved, and what each was resolved to. Arguments in published form have no more names
/// than are allowed.
pub(crate) async fn resolved(
    chain: &dyn Chain,
    registry: Address,
    function: &Function,
    arguments: View<'_>,
) -> Result<(Value, BTreeMap<String, Address>), Fault> {
    let mut names = Vec::new();
    with_addresses(function, arguments, &mut |name| {
        if !names.contains(&name) {
            names.push(name);
        }
        None
    });
    let mut known = BTreeMap::new();
    for name in names {
        let address = resolve(chain, registry, &name).await?;
        known.insert(name, address);
    }
    let arguments = with_addresses(function, arguments, &mut |name| known.get(&name).copied());
    Ok((arguments, known))
}

async fn resolve(chain: &dyn Chain, registry: Address, name: &str) -> Result<Address, Fault> {
    let unknown = || {
        Fault::Name(format!(
            "The name {name} stands for no address on this chain: check its spelling, or give the address."
        ))
    };
    let node = node(name);
    let resolver = asked(chain, registry, RESOLVER, node)
        .await?
        .ok_or_else(unknown)?;
    asked(chain, resolver, ADDR, node).await?.ok_or_else(unknown)
}

/// The address that a contract answers to a question about a node; none when it answers zero or no address.
async fn asked(
    chain: &dyn Chain,
    contract: Address,
    selector: [u8; 4],
    node: B256,
) -> Result<Option<Address>, Fault> {
    let data: Bytes = [selector.as_slice(), node.as_slice()].concat().into();
    let answer = match chain.call(Message::new(contract, data), BlockRef::Latest).await? {
        Execution::Returned(answer) => answer,
        Execution::Reverted(_) | Execution::Halted(_) => return Ok(None),
    };
    let word = <[u8; 32]>::try_from(answer.as_ref()).ok().map(B256::from);
    Ok(word
        .filter(|word| word.iter().take(12).all(|byte| *byte == 0))
        .map(Address::from_word)
        .filter(|address| !address.is_zero()))
}
