//! A Solidity interface as a source: read, and bound to the chain that its keys name.

use std::sync::Arc;

use toolmesh_evm::{
    EvmError, EvmSource, Interface, ReadOptions, SolidityType, SolidityValue, Target,
    chain::{Chain, ChainError, RpcChain, RpcOptions, SandboxChain, Signer, SignerError, WritePolicy},
    from_json,
};
use toolmesh_json::{Pointer, Value};
use toolmesh_tool::Source;

use super::{AssembleError, Location, Use, read_location};
use crate::config::{Environment, SIGNING_KEY_FILE_VARIABLE, SIGNING_KEY_VARIABLE, SourceConfig};

/// Reads the Solidity interface at a location; `contract` chooses one when there are several.
///
/// # Errors
/// [`AssembleError`] when it cannot be read, or is none. One without anything to call is an interface.
pub fn interface(location: &Location, contract: Option<&str>) -> Result<Interface, AssembleError> {
    let bytes = read_location(location)?;
    let options = contract.map_or_else(ReadOptions::default, ReadOptions::contract);
    toolmesh_evm::read_with(&bytes, &options).map_err(|error| refusal(location, error))
}

/// Reads an interface in which something can be called.
pub(crate) fn callable_interface(
    location: &Location,
    contract: Option<&str>,
) -> Result<Interface, AssembleError> {
    let interface = interface(location, contract)?;
    interface
        .ensure_callable()
        .map_err(|error| refusal(location, error))?;
    Ok(interface)
}

pub(super) async fn open(
    source: &SourceConfig,
    environment: &Environment,
    purpose: Use,
) -> Result<Arc<dyn Source>, AssembleError> {
    let location = &source.location;
    let interface = callable_interface(location, source.contract.as_deref())?;
    let target = match purpose {
        Use::Listing => Target::Unbound,
        Use::Calling => target(source, &interface, environment).await?,
    };
    Ok(Arc::new(EvmSource::new(
        &source.name,
        Arc::new(interface),
        target,
    )))
}

async fn target(
    source: &SourceConfig,
    interface: &Interface,
    environment: &Environment,
) -> Result<Target, AssembleError> {
    let configuration = |reason: &str| {
        Err(AssembleError::Configuration {
            location: source.location.clone(),
            reason: reason.to_owned(),
        })
    };
    match (&source.address, &source.rpc) {
        (Some(address), Some(url)) => {
            let Ok(SolidityValue::Address(address)) =
                // By the same rules as an argument's: a wrong checksum is a typing error.
                from_json(&SolidityType::Address, Value::from(address.as_str()).view(), &mut Pointer::root())
            else {
                return configuration(
                    "`address` is not an address; give 0x and 40 hexadecimal digits, in one case or with the right \
                     checksum",
                );
            };
            let chain: Arc<dyn Chain> = Arc::new(rpc_chain(source, url, environment).await?);
            Ok(Target::Address { address, chain })
        }
        (Some(_), None) => configuration("an address needs the node of its chain; give `--rpc URL` as well"),
        (None, Some(_)) => {
            configuration("an RPC URL needs the contract's address there; give `--address 0x...` as well")
        }
        (None, None) if interface.bytecode.is_none() => Err(refusal(&source.location, EvmError::NoBytecode)),
        (None, None) => Ok(Target::Sandbox {
            chain: Arc::new(SandboxChain::new()),
            constructor_arguments: source.constructor_arguments.clone(),
        }),
    }
}

async fn rpc_chain(
    source: &SourceConfig,
    url: &str,
    environment: &Environment,
) -> Result<RpcChain, AssembleError> {
    let configuration = |reason| AssembleError::Configuration {
        location: source.location.clone(),
        reason,
    };
    let signer = signer(environment).map_err(|error| configuration(error.to_string()))?;
    let policy = write_policy(source).map_err(configuration)?;
    let options = RpcOptions {
        signer,
        policy,
        ..RpcOptions::new(url)
    };
    RpcChain::connect(options)
        .await
        .map_err(|error| refusal(&source.location, EvmError::Chain(error)))
}

/// The key that signs, when the environment has one.
fn signer(environment: &Environment) -> Result<Option<Signer>, SignerError> {
    if let Some(key) = environment.get(SIGNING_KEY_VARIABLE) {
        return Signer::from_private_key(key).map(Some);
    }
    environment
        .get(SIGNING_KEY_FILE_VARIABLE)
        .map(|path| Signer::from_private_key_file(path.as_ref()))
        .transpose()
}

/// The limits of transactions; none unless the chain and the fee are both said.
fn write_policy(source: &SourceConfig) -> Result<Option<WritePolicy>, String> {
    let (chain_id, max_fee) = match (source.chain_id, &source.max_fee_wei) {
        (Some(chain_id), Some(max_fee)) => (chain_id, max_fee),
        (None, None) if source.max_value_wei.is_none() => return Ok(None),
        (None, _) => return Err("to send transactions, `chain_id` must be set as well".to_owned()),
        (_, None) => return Err("to send transactions, `max_fee_wei` must be set as well".to_owned()),
    };
    let mut policy = WritePolicy::new(chain_id, wei("max_fee_wei", max_fee)?);
    if let Some(max_value) = &source.max_value_wei {
        policy.max_value_wei = wei("max_value_wei", max_value)?;
    }
    Ok(Some(policy))
}

fn wei<T: std::str::FromStr>(key: &str, digits: &str) -> Result<T, String> {
    digits
        .parse()
        .map_err(|_| format!("`{key}` is larger than any amount of wei; give fewer digits"))
}

/// An error of the crate under the name of the location, by what an operator does about it.
fn refusal(location: &Location, error: EvmError) -> AssembleError {
    let (location, reason) = (location.clone(), error.to_string());
    match error {
        EvmError::NoBytecode
        | EvmError::ConstructorArguments { .. }
        | EvmError::BadConstructorArgument(_)
        | EvmError::NoContract { .. }
        | EvmError::Chain(ChainError::InvalidUrl { .. } | ChainError::WrongChain { .. }) => {
            AssembleError::Configuration { location, reason }
        }
        EvmError::Chain(_) => AssembleError::Unreachable { location, reason },
        _ => AssembleError::Invalid { location, reason },
    }
}
