//! What the chain tells about a proxy.

use alloy_primitives::{Address, B256, Bytes, Selector, b256, hex};

use super::{Implementation, MAX_IMPLEMENTATIONS, Proxy, ProxyKind};
use crate::chain::{BlockRef, Chain, ChainError, Execution, Message};
use crate::model::{Parameter, SolidityType};
use crate::value::{SolidityValue, decode};

/// Slots that name a contract. ERC-1967 (and ERC-1822 before it) takes slots that no compiler gives to a variable.
const SLOTS: [(ProxyKind, B256); 4] = [
    (
        ProxyKind::Erc1967,
        b256!("0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"),
    ),
    (
        ProxyKind::Beacon,
        b256!("0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50"),
    ),
    (
        ProxyKind::Erc1822,
        b256!("0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7"),
    ),
    (
        ProxyKind::ZeppelinOs,
        b256!("0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3"),
    ),
];

/// What stands before the address in the code of minimal proxies: the form of ERC-1167, two shorter ones, and Vyper's.
const MINIMAL: [&[u8]; 4] = [
    &hex!("363d3d373d3d3d363d73"),
    &hex!("3d3d3d3d363d3d37363d73"),
    &hex!("5f5f365f5f37365f73"),
    &hex!("366000600037611000600036600073"),
];

/// What stands before the address in the code of an account that delegates it (EIP-7702).
const DELEGATED: &[u8] = &hex!("ef0100");

/// The longest code that is taken for a minimal proxy, in bytes: the longest known has 65.
const MAX_MINIMAL_BYTES: usize = 128;

const IMPLEMENTATION: Selector = Selector::new(hex!("5c60da1b"));
const PROXY_TYPE: Selector = Selector::new(hex!("4555d5c9"));
const MASTER_COPY: Selector = Selector::new(hex!("a619486e"));
const FACETS: Selector = Selector::new(hex!("7a0ed627"));

/// What stands behind the contract at `address`; `None` when it is no proxy that is known here.
///
/// # Errors
/// [`ChainError`] when the chain does not answer. That the contract itself refuses a question is an answer.
pub async fn resolve(chain: &dyn Chain, address: Address) -> Result<Option<Proxy>, ChainError> {
    let code = chain.code(address, BlockRef::Latest).await?;
    if code.is_empty() {
        return Ok(None);
    }
    if let Some(proxy) = by_code(&code) {
        return Ok(Some(proxy));
    }
    for (kind, slot) in SLOTS {
        let Some(named) = address_of(chain.storage(address, slot).await?) else {
            continue;
        };
        let behind = match kind {
            ProxyKind::Beacon => ask_address(chain, named, IMPLEMENTATION).await?,
            _ => Some(named),
        };
        if let Some(behind) = behind.filter(|behind| *behind != address) {
            return Ok(Some(Proxy::of(kind, behind)));
        }
    }
    by_question(chain, address).await
}

fn by_code(code: &Bytes) -> Option<Proxy> {
    if let Some(rest) = code.strip_prefix(DELEGATED) {
        let behind = Address::from(<[u8; 20]>::try_from(rest).ok()?);
        return Some(Proxy::of(ProxyKind::Delegated, behind));
    }
    if code.len() > MAX_MINIMAL_BYTES {
        return None;
    }
    let rest = MINIMAL.iter().find_map(|prefix| code.strip_prefix(*prefix))?;
    let behind = Address::from(<[u8; 20]>::try_from(rest.get(..20)?).ok()?);
    Some(Proxy::of(ProxyKind::Minimal, behind))
}

async fn by_question(chain: &dyn Chain, address: Address) -> Result<Option<Proxy>, ChainError> {
    // A Safe keeps the implementation in its first slot, as any contract may; only a Safe also answers this from its
    // own code.
    if let Some(first) = address_of(chain.storage(address, B256::ZERO).await?)
        && ask_address(chain, address, MASTER_COPY).await? == Some(first)
    {
        return Ok(Some(Proxy::of(ProxyKind::Safe, first)));
    }
    if let Some(implementations) = ask(chain, address, FACETS).await?.and_then(|data| facets(&data)) {
        let kind = ProxyKind::Diamond;
        return Ok(Some(Proxy {
            kind,
            implementations,
        }));
    }
    // A beacon answers `implementation()` as well and is no proxy.
    if ask(chain, address, PROXY_TYPE)
        .await?
        .is_some_and(|data| data.len() == 32)
        && let Some(behind) = ask_address(chain, address, IMPLEMENTATION).await?
        && behind != address
    {
        return Ok(Some(Proxy::of(ProxyKind::Erc897, behind)));
    }
    Ok(None)
}

/// What a function without arguments returns; `None` when it does not.
async fn ask(chain: &dyn Chain, address: Address, selector: Selector) -> Result<Option<Bytes>, ChainError> {
    let message = Message::new(address, Bytes::copy_from_slice(selector.as_slice()));
    match chain.call(message, BlockRef::Latest).await? {
        Execution::Returned(data) if !data.is_empty() => Ok(Some(data)),
        _ => Ok(None),
    }
}

async fn ask_address(
    chain: &dyn Chain,
    address: Address,
    selector: Selector,
) -> Result<Option<Address>, ChainError> {
    let answer = ask(chain, address, selector).await?;
    Ok(answer.and_then(|data| address_of(B256::try_from(data.as_ref()).ok()?)))
}

/// The address in a word; `None` for none, and for a word that is more than an address.
fn address_of(word: B256) -> Option<Address> {
    let is_address = word.0.iter().take(12).all(|byte| *byte == 0);
    let address = Address::from_word(word);
    (is_address && !address.is_zero()).then_some(address)
}

/// The facets of a diamond: `(address facetAddress, bytes4[] functionSelectors)[]`.
fn facets(data: &[u8]) -> Option<Vec<Implementation>> {
    let selectors = SolidityType::Array(Box::new(SolidityType::FixedBytes(4)));
    let facet = SolidityType::tuple(vec![
        Parameter::new("facetAddress", SolidityType::Address),
        Parameter::new("functionSelectors", selectors),
    ]);
    let answer = Parameter::new("facets", SolidityType::Array(Box::new(facet)));
    let decoded = decode(&[answer], data).ok()?;
    let Some(SolidityValue::Sequence(list)) = decoded.into_iter().next() else {
        return None;
    };
    let facets: Option<Vec<Implementation>> =
        list.into_iter().take(MAX_IMPLEMENTATIONS).map(facet_of).collect();
    facets.filter(|facets| !facets.is_empty())
}

fn facet_of(value: SolidityValue) -> Option<Implementation> {
    let SolidityValue::Sequence(members) = value else {
        return None;
    };
    let [SolidityValue::Address(address), SolidityValue::Sequence(list)] = members.as_slice() else {
        return None;
    };
    let selector = |value: &SolidityValue| match value {
        SolidityValue::Bytes(bytes) => Selector::try_from(bytes.as_slice()).ok(),
        _ => None,
    };
    Some(Implementation {
        address: *address,
        selectors: Some(list.iter().map(selector).collect::<Option<_>>()?),
    })
}
