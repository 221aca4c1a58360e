//! The form of a sandbox's state in a file: the latest state, the kept blocks, and their receipts.

use std::collections::BTreeMap;

use alloy_primitives::{Address, B256, Bytes, Log, U256};
use serde::{Deserialize, Serialize};

use super::block::Header;
use crate::chain::{Execution, Receipt};

/// What a file says that it is.
const FORMAT: &str = "toolmesh-sandbox";

/// The version of the form; another one is refused.
const VERSION: u32 = 1;

/// A sandbox in a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Saved {
    format: String,
    version: u32,
    pub(super) blocks: Vec<Header>,
    /// Seconds that the chain is ahead of its clock.
    pub(super) ahead: u64,
    /// The time of the next block, when it was chosen.
    pub(super) next_time: Option<u64>,
    pub(super) accounts: BTreeMap<Address, SavedAccount>,
    pub(super) codes: Vec<Bytes>,
    pub(super) receipts: Vec<SavedReceipt>,
    pub(super) contracts: BTreeMap<String, Installed>,
}

/// A contract that a source made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Installed {
    pub(super) address: Address,
    /// The hash of the code and the arguments that it was made from.
    pub(super) made_from: B256,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedAccount {
    pub(super) balance: U256,
    pub(super) nonce: u64,
    pub(super) code_hash: B256,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) storage: BTreeMap<U256, U256>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedReceipt {
    transaction_hash: B256,
    success: bool,
    block_number: u64,
    gas_used: u64,
    effective_gas_price: U256,
    logs: Vec<SavedLog>,
    contract_address: Option<Address>,
    output: Option<SavedExecution>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedLog {
    address: Address,
    topics: Vec<B256>,
    data: Bytes,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SavedExecution {
    Returned(Bytes),
    Reverted(Bytes),
    Halted(String),
}

impl Saved {
    /// An empty file of this form.
    pub(super) fn new(blocks: Vec<Header>) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            blocks,
            ahead: 0,
            next_time: None,
            accounts: BTreeMap::new(),
            codes: Vec::new(),
            receipts: Vec::new(),
            contracts: BTreeMap::new(),
        }
    }

    /// Whether it is of this form, and its blocks follow each other.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        if self.format != FORMAT {
            return Err("it says that it is something else");
        }
        if self.version != VERSION {
            return Err("it is of another version");
        }
        let follows = |pair: &[Header]| match pair {
            [parent, block] => parent.number.checked_add(1) == Some(block.number),
            _ => true,
        };
        if self.blocks.is_empty() || !self.blocks.windows(2).all(follows) {
            return Err("its blocks do not follow each other");
        }
        Ok(())
    }
}

impl From<&Receipt> for SavedReceipt {
    fn from(receipt: &Receipt) -> Self {
        Self {
            transaction_hash: receipt.transaction_hash,
            success: receipt.success,
            block_number: receipt.block_number,
            gas_used: receipt.gas_used,
            effective_gas_price: receipt.effective_gas_price,
            logs: receipt.logs.iter().map(SavedLog::from).collect(),
            contract_address: receipt.contract_address,
            output: receipt.output.as_ref().map(|output| match output {
                Execution::Returned(data) => SavedExecution::Returned(data.clone()),
                Execution::Reverted(data) => SavedExecution::Reverted(data.clone()),
                Execution::Halted(reason) => SavedExecution::Halted(reason.clone()),
            }),
        }
    }
}

impl From<SavedReceipt> for Receipt {
    fn from(saved: SavedReceipt) -> Self {
        Self {
            transaction_hash: saved.transaction_hash,
            success: saved.success,
            block_number: saved.block_number,
            gas_used: saved.gas_used,
            effective_gas_price: saved.effective_gas_price,
            logs: saved.logs.into_iter().map(Log::from).collect(),
            contract_address: saved.contract_address,
            output: saved.output.map(|output| match output {
                SavedExecution::Returned(data) => Execution::Returned(data),
                SavedExecution::Reverted(data) => Execution::Reverted(data),
                SavedExecution::Halted(reason) => Execution::Halted(reason),
            }),
        }
    }
}

impl From<&Log> for SavedLog {
    fn from(log: &Log) -> Self {
        Self {
            address: log.address,
            topics: log.data.topics().to_vec(),
            data: log.data.data.clone(),
        }
    }
}

impl From<SavedLog> for Log {
    fn from(saved: SavedLog) -> Self {
        Self::new_unchecked(saved.address, saved.topics, saved.data)
    }
}
