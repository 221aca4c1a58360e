//! What a chain answers: executions, simulations, receipts, deployments.

use alloy_primitives::{Address, B256, Bytes, Log, U256};

/// How an execution ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Execution {
    /// It returned these bytes (empty also when there is no contract at the address).
    Returned(Bytes),
    /// It reverted with these bytes (empty when the contract gave no reason).
    Reverted(Bytes),
    /// It was stopped without data; the text says by what (out of gas, invalid opcode, ...).
    Halted(String),
}

impl Execution {
    /// Whether the execution returned.
    #[must_use]
    pub fn is_success(&self) -> bool {
        matches!(self, Self::Returned(_))
    }
}

/// What a transaction would do if it were sent now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulation {
    /// How it would end.
    pub execution: Execution,
    /// The gas that the transaction needs: an estimate that is enough for it to succeed, or, when it
    /// would fail, the gas that it would have used (0 where the chain cannot tell).
    pub gas: u64,
    /// The price of a unit of gas that it would pay now, in wei.
    pub gas_price: U256,
    /// The logs that it would emit; `None` where the chain cannot tell.
    pub logs: Option<Vec<Log>>,
    /// The block whose state it was executed on.
    pub block_number: u64,
}

/// A transaction in a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The transaction's hash.
    pub transaction_hash: B256,
    /// Whether it succeeded; a failed one changed nothing but paid its gas.
    pub success: bool,
    /// The block that it is in.
    pub block_number: u64,
    /// The gas that it used.
    pub gas_used: u64,
    /// What it paid for a unit of gas, in wei.
    pub effective_gas_price: U256,
    /// The logs that it emitted, in order.
    pub logs: Vec<Log>,
    /// How it ended, with the bytes: a receipt of a node does not hold them, so a failed transaction
    /// is executed again on the state before its block to explain it. `None` where nobody can tell.
    pub output: Option<Execution>,
}

/// A contract that was created, or was tried to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployment {
    /// Where the contract stands (where it would stand, when the receipt says that it failed).
    pub address: Address,
    /// The transaction that created it.
    pub receipt: Receipt,
}
