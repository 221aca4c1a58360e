//! Why an interface could not be read, or its contract not be reached.

use alloy_primitives::Address;
use thiserror::Error;

use crate::chain::ChainError;
use crate::lookup::LookupError;
use crate::value::ValueError;

/// An interface, or the contract behind it, could not be used. Each text says what to do about it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EvmError {
    /// The input is not JSON.
    #[error("line {line}, column {column}: {reason}; give a contract's ABI or build artifact as a JSON file")]
    NotJson {
        /// Line of the fault, from 1.
        line: usize,
        /// Column of the fault, from 1.
        column: usize,
        /// What is wrong there; nothing of the input.
        reason: String,
    },
    /// The input is JSON, but no interface.
    #[error(
        "no ABI: {found}; give a JSON array of ABI entries, or an object with an `abi` array as compilers write it"
    )]
    NotAbi {
        /// What was found instead.
        found: String,
    },
    /// The input holds several contracts, or several of the wanted name.
    #[error(
        "{}: {contracts}; choose one with `--contract NAME` (or `FILE.sol:NAME`)",
        several(.wanted.as_deref())
    )]
    SeveralContracts {
        /// The name that was asked for, cleaned.
        wanted: Option<String>,
        /// Their names, cleaned, as text.
        contracts: String,
    },
    /// The input holds no contract of the wanted name.
    #[error("no contract `{wanted}` in the input; it holds {contracts}")]
    NoSuchContract {
        /// The name that was asked for, cleaned.
        wanted: String,
        /// The names that there are, cleaned, as text.
        contracts: String,
    },
    /// The input is the answer of a block explorer that did not find the contract.
    #[error(
        "a block explorer's answer without an ABI ({message}); ask the explorer again, or take the ABI from the build"
    )]
    ExplorerAnswer {
        /// The explorer's own words, cleaned.
        message: String,
    },
    /// The input has more entries than [`MAX_ENTRIES`](crate::MAX_ENTRIES).
    #[error(
        "an ABI of {entries} entries; the most that is taken is {}",
        crate::read::MAX_ENTRIES
    )]
    TooManyEntries {
        /// How many there are.
        entries: usize,
    },
    /// Nothing in the interface can be called.
    #[error("{}", nothing_callable(*.entries, *.unusable))]
    NothingCallable {
        /// How many entries there are.
        entries: usize,
        /// How many of them could not be used.
        unusable: usize,
    },
    /// There is neither code to deploy nor a contract to talk to.
    #[error(
        "no bytecode and no address: an ABI alone cannot be called; give the build artifact (with `bytecode`), or `--address 0x... --rpc URL` of a deployed contract"
    )]
    NoBytecode,
    /// The code needs the addresses of libraries.
    #[error(
        "the bytecode is not linked, it needs {}; link it with the compiler first (`solc --link`), or give `--address 0x... --rpc URL` of a deployed contract",
        .libraries.join(", ")
    )]
    Unlinked {
        /// The libraries that are missing.
        libraries: Vec<String>,
    },
    /// The constructor takes arguments, and none were given.
    #[error("the constructor takes {expected}; give them with `--init`, as a JSON object or array")]
    ConstructorArguments {
        /// The arguments, as Solidity writes them.
        expected: String,
    },
    /// A constructor argument does not fit.
    #[error("a constructor argument does not fit: {0}")]
    BadConstructorArgument(ValueError),
    /// The constructor did not succeed.
    #[error("the contract could not be deployed: {reason}")]
    DeploymentFailed {
        /// What the constructor said.
        reason: String,
    },
    /// No contract stands at the address.
    #[error(
        "no contract at {address} on chain {chain_id}; check the address, and that the RPC URL is of the right chain"
    )]
    NoContract {
        /// The address.
        address: Address,
        /// The chain that was asked.
        chain_id: u64,
    },
    /// No explorer knows the contract's interface, or could be asked.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The chain did not answer, or refused.
    #[error(transparent)]
    Chain(#[from] ChainError),
}

fn several(wanted: Option<&str>) -> String {
    match wanted {
        None => "several contracts".to_owned(),
        Some(wanted) => format!("several contracts are called `{wanted}`"),
    }
}

fn nothing_callable(entries: usize, unusable: usize) -> String {
    let what = match (entries, unusable) {
        (0, _) => "the ABI is empty".to_owned(),
        (_, 0) => "the ABI has no function, fallback or receive".to_owned(),
        (_, unusable) => format!(
            "nothing in the ABI can be called ({} cannot be used)",
            counted_entries(unusable)
        ),
    };
    format!("{what}, so there is nothing to offer; `toolmesh inspect` shows what is in it")
}

fn counted_entries(count: usize) -> String {
    if count == 1 {
        "1 entry".to_owned()
    } else {
        format!("{count} entries")
    }
}
