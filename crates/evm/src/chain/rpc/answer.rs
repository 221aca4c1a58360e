//! What a node answers, reduced to what is used here, so that a chain with other fields is understood.

use alloy_primitives::{Address, B256, Bytes, Log, U64, U128, U256};
use serde::Deserialize;

/// The head of a block.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Head {
    pub(super) number: U64,
    #[serde(default)]
    pub(super) hash: Option<B256>,
    pub(super) gas_limit: U64,
    /// Absent on chains without EIP-1559.
    #[serde(default)]
    pub(super) base_fee_per_gas: Option<U128>,
}

/// `eth_feeHistory`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FeeHistory {
    /// One for each asked block, and one for the block after them.
    pub(super) base_fee_per_gas: Vec<U128>,
    #[serde(default)]
    pub(super) reward: Option<Vec<Vec<U128>>>,
}

/// `eth_getTransactionReceipt`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Receipt {
    pub(super) block_number: U64,
    /// 1 for a success; chains before Byzantium told a state root instead.
    #[serde(default)]
    pub(super) status: Option<U64>,
    pub(super) gas_used: U64,
    #[serde(default)]
    pub(super) effective_gas_price: Option<U128>,
    #[serde(default)]
    pub(super) contract_address: Option<Address>,
    #[serde(default)]
    pub(super) logs: Vec<LogEntry>,
}

/// `eth_getTransactionByHash`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Transaction {
    pub(super) from: Address,
    #[serde(default)]
    pub(super) to: Option<Address>,
    pub(super) input: Bytes,
    pub(super) value: U256,
    pub(super) gas: U64,
}

/// A log; its place in the chain is there when it comes from `eth_getLogs`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LogEntry {
    pub(super) address: Address,
    pub(super) topics: Vec<B256>,
    pub(super) data: Bytes,
    #[serde(default)]
    pub(super) block_number: Option<U64>,
    #[serde(default)]
    pub(super) block_hash: Option<B256>,
    #[serde(default)]
    pub(super) transaction_hash: Option<B256>,
    #[serde(default)]
    pub(super) log_index: Option<U64>,
}

impl From<LogEntry> for Log {
    fn from(entry: LogEntry) -> Self {
        Self::new_unchecked(entry.address, entry.topics, entry.data)
    }
}

/// One block of `eth_simulateV1`.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct SimulatedBlock {
    pub(super) calls: Vec<SimulatedCall>,
}

/// One call of `eth_simulateV1`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SimulatedCall {
    pub(super) gas_used: U64,
    #[serde(default)]
    pub(super) logs: Vec<LogEntry>,
}
