//! A Solidity interface as a source: read, and bound to the chain that its keys name.

use std::sync::Arc;

use toolmesh_evm::{
    ENS_REGISTRY, EvmError, EvmSource, Interface, ReadOptions, SendRules, SolidityType, SolidityValue,
    Target,
    alloy_primitives::Address,
    chain::{Chain, ChainError, RpcChain, RpcOptions, WritePolicy},
    from_json,
};
use toolmesh_json::{Pointer, Value};
use toolmesh_tool::Source;

use super::contract::{Placed, placed};
use super::{AssembleError, Location, Surroundings, Use, input::source_bytes, signer::signer};
use crate::config::SourceConfig;

/// Reads the Solidity interface of a source: a file, standard input, a URL, or what explorers know about an address.
///
/// # Errors
/// [`AssembleError`] when it cannot be read, or is none. One without anything to call is an interface.
pub async fn interface(
    source: &SourceConfig,
    surroundings: &Surroundings,
) -> Result<Interface, AssembleError> {
    let bytes = source_bytes(source, surroundings).await?;
    interface_in(source, surroundings, bytes.as_deref()).await
}

/// Reads the interface in what stands at the source's location; without bytes, what explorers know.
pub(crate) async fn interface_in(
    source: &SourceConfig,
    surroundings: &Surroundings,
    bytes: Option<&[u8]>,
) -> Result<Interface, AssembleError> {
    if let Location::Contract { address, chain } = &source.location {
        let placed = placed(source, address, chain, surroundings)?;
        let chain = match &placed.rpc {
            Some(url) => Some(placed_chain(&placed, source, url, surroundings).await?),
            None => None,
        };
        return placed.interface(source, surroundings, chain.as_ref()).await;
    }
    let location = &source.location;
    let bytes = bytes.ok_or_else(|| super::input::not_in_this_build(location))?;
    let options = source
        .contract
        .as_deref()
        .map_or_else(ReadOptions::default, ReadOptions::contract);
    toolmesh_evm::read_with(bytes, &options).map_err(|error| refusal(location, error))
}

/// Reads an interface in which something can be called.
pub(crate) async fn callable_interface(
    source: &SourceConfig,
    surroundings: &Surroundings,
    bytes: Option<&[u8]>,
) -> Result<Interface, AssembleError> {
    let interface = interface_in(source, surroundings, bytes).await?;
    interface
        .ensure_callable()
        .map_err(|error| refusal(&source.location, error))?;
    Ok(interface)
}

pub(super) async fn open(
    source: &SourceConfig,
    surroundings: &Surroundings,
    bytes: Option<&[u8]>,
    purpose: Use,
) -> Result<Arc<dyn Source>, AssembleError> {
    let (interface, target) = match (&source.location, purpose) {
        (Location::Contract { address, chain }, Use::Calling) => {
            let placed = placed(source, address, chain, surroundings)?;
            let url = placed.rpc.as_deref().ok_or_else(|| placed.needs_rpc(source))?;
            let chain = placed_chain(&placed, source, url, surroundings).await?;
            let interface = placed.interface(source, surroundings, Some(&chain)).await?;
            let address = placed.address;
            (interface, Target::Address { address, chain })
        }
        (_, Use::Listing) => (
            callable_interface(source, surroundings, bytes).await?,
            Target::Unbound,
        ),
        (_, Use::Calling) => {
            let interface = callable_interface(source, surroundings, bytes).await?;
            let target = target(source, &interface, surroundings).await?;
            (interface, target)
        }
    };
    let rules = send_rules(source, &interface)?;
    let made = EvmSource::new(&source.name, Arc::new(interface), target);
    Ok(Arc::new(
        made.with_send_rules(rules)
            .with_event_tools(source.event_tools)
            .with_helpers(source.helpers)
            .with_ens(ens_registry(source)?),
    ))
}

/// The chain of a contract that is looked up, which must be the one that was named.
async fn placed_chain(
    placed: &Placed,
    source: &SourceConfig,
    url: &str,
    surroundings: &Surroundings,
) -> Result<Arc<dyn Chain>, AssembleError> {
    let chain = rpc_chain(source, url, surroundings).await?;
    placed.check(source, &chain).await?;
    Ok(Arc::new(chain))
}

/// That what is said about a source is missing or wrong.
pub(super) fn configuration(source: &SourceConfig, reason: String) -> AssembleError {
    AssembleError::Configuration {
        location: source.location.clone(),
        reason,
    }
}

/// An address by the same rules as an argument's: a wrong checksum is a typing error.
pub(super) fn address(source: &SourceConfig, text: &str) -> Result<Address, AssembleError> {
    parsed_address(text).ok_or_else(|| {
        configuration(
            source,
            "`address` is not an address; give 0x and 40 hexadecimal digits, in one case or with the right checksum"
                .to_owned(),
        )
    })
}

fn parsed_address(text: &str) -> Option<Address> {
    match from_json(
        &SolidityType::Address,
        Value::from(text).view(),
        &mut Pointer::root(),
    ) {
        Ok(SolidityValue::Address(address)) => Some(address),
        _ => None,
    }
}

async fn target(
    source: &SourceConfig,
    interface: &Interface,
    surroundings: &Surroundings,
) -> Result<Target, AssembleError> {
    let refuse = |reason: &str| Err(configuration(source, reason.to_owned()));
    match (&source.address, &source.rpc) {
        (Some(_), Some(_)) if source.constructor_arguments.is_some() => refuse(
            "constructor arguments are for a contract that is deployed here, and `address` names one that is \
             deployed already; leave out `--init`, or `--address` and `--rpc`",
        ),
        (Some(text), Some(url)) => {
            let address = address(source, text)?;
            let chain: Arc<dyn Chain> = Arc::new(rpc_chain(source, url, surroundings).await?);
            Ok(Target::Address { address, chain })
        }
        (Some(_), None) => refuse("an address needs the node of its chain; give `--rpc URL` as well"),
        (None, Some(_)) => {
            refuse("an RPC URL needs the contract's address there; give `--address 0x...` as well")
        }
        (None, None) if interface.bytecode.is_none() => Err(refusal(&source.location, EvmError::NoBytecode)),
        (None, None) => Ok(Target::Sandbox {
            chain: Arc::new(surroundings.sandbox().open(&surroundings.config().sandbox)?),
            constructor_arguments: source.constructor_arguments.clone(),
        }),
    }
}

async fn rpc_chain(
    source: &SourceConfig,
    url: &str,
    surroundings: &Surroundings,
) -> Result<RpcChain, AssembleError> {
    let refuse = |reason| configuration(source, reason);
    // Nothing is signed for a source that only reads, whatever its tools are.
    let reads = source.read_only || surroundings.config().policy.read_only;
    let signer = if reads {
        Ok(None)
    } else {
        signer(surroundings.environment(), &source.name)
    };
    let signer = signer.map_err(refuse)?;
    let policy = write_policy(source).map_err(refuse)?;
    let mut options = RpcOptions {
        chain_id: source.chain_id,
        signer,
        policy,
        ..RpcOptions::new(url)
    };
    options.urls.extend(source.rpc_fallbacks.iter().cloned());
    RpcChain::connect(options)
        .await
        .map_err(|error| refusal(&source.location, EvmError::Chain(error)))
}

/// The limits of transactions; none unless the fee is said. The chain alone is a condition of reading too.
fn write_policy(source: &SourceConfig) -> Result<Option<WritePolicy>, String> {
    let (chain_id, max_fee) = match (source.chain_id, &source.max_fee_wei) {
        (Some(chain_id), Some(max_fee)) => (chain_id, max_fee),
        (_, None) if source.max_value_wei.is_none() && source.max_gas.is_none() => return Ok(None),
        (None, _) => return Err("to send transactions, `chain_id` must be set as well".to_owned()),
        (_, None) => return Err("to send transactions, `max_fee_wei` must be set as well".to_owned()),
    };
    let mut policy = WritePolicy::new(chain_id, wei("max_fee_wei", max_fee)?);
    if let Some(max_value) = &source.max_value_wei {
        policy.max_value_wei = wei("max_value_wei", max_value)?;
    }
    policy.max_gas = source.max_gas;
    Ok(Some(policy))
}

/// Which transactions the source may send, within the limits of its chain.
fn send_rules(source: &SourceConfig, interface: &Interface) -> Result<SendRules, AssembleError> {
    let mut rules = SendRules::default();
    if let Some(functions) = &source.send_functions {
        rules = rules
            .only_functions(interface, functions)
            .map_err(|error| configuration(source, error.to_string()))?;
    }
    if let Some(accounts) = &source.send_accounts {
        let accounts: Option<Vec<Address>> = accounts.iter().map(|text| parsed_address(text)).collect();
        let accounts = accounts.ok_or_else(|| {
            configuration(
                source,
                "`send_accounts` has something that is not an address".to_owned(),
            )
        })?;
        rules = rules.only_accounts(accounts);
    }
    Ok(rules)
}

/// The registry of names, where names are admitted.
fn ens_registry(source: &SourceConfig) -> Result<Option<Address>, AssembleError> {
    match source.ens.as_deref() {
        None => Ok(None),
        Some("true") => Ok(Some(ENS_REGISTRY)),
        Some(text) => parsed_address(text).map(Some).ok_or_else(|| {
            configuration(
                source,
                "`ens` is not true, false or the address of a registry".to_owned(),
            )
        }),
    }
}

fn wei<T: std::str::FromStr>(key: &str, digits: &str) -> Result<T, String> {
    digits
        .parse()
        .map_err(|_| format!("`{key}` is larger than any amount of wei; give fewer digits"))
}

/// An error of the crate under the name of the location, by what an operator does about it.
pub(super) fn refusal(location: &Location, error: EvmError) -> AssembleError {
    let (location, reason) = (location.clone(), error.to_string());
    match error {
        EvmError::NoBytecode
        | EvmError::ConstructorArguments { .. }
        | EvmError::BadConstructorArgument(_)
        | EvmError::NoContract { .. }
        | EvmError::Chain(
            ChainError::InvalidUrl { .. } | ChainError::WrongChain { .. } | ChainError::SeveralChains { .. },
        ) => AssembleError::Configuration { location, reason },
        EvmError::Lookup(error) if error.is_not_verified() => AssembleError::Unreadable { location, reason },
        EvmError::Lookup(error) if error.needs_key() => AssembleError::Configuration { location, reason },
        EvmError::Chain(_) | EvmError::Lookup(_) => AssembleError::Unreachable { location, reason },
        _ => AssembleError::Invalid { location, reason },
    }
}
