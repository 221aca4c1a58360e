//! What a chain answers: executions, simulations, receipts, deployments.

use std::fmt;

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
    /// What the sender holds, in wei, when that is less than the message pays: the simulation lent the rest.
    pub short_of_funds: Option<U256>,
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
    /// The contract that it created, or tried to.
    pub contract_address: Option<Address>,
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

/// Which logs are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogQuery {
    /// The contract that emitted them.
    pub address: Address,
    /// For each of the four topics the values that it may have; empty means any.
    pub topics: [Vec<B256>; 4],
    /// Where to begin.
    pub from: LogPosition,
    /// The last block.
    pub to_block: u64,
    /// The most logs to give.
    pub limit: usize,
}

impl LogQuery {
    /// Whether a log is of the contract and has the topics.
    #[must_use]
    pub fn wants(&self, log: &Log) -> bool {
        let mut topics = log.data.topics().iter();
        log.address == self.address
            && self.topics.iter().all(|wanted| match topics.next() {
                Some(topic) => wanted.is_empty() || wanted.contains(topic),
                None => wanted.is_empty(),
            })
    }
}

/// A log and its place in the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRecord {
    /// The log.
    pub log: Log,
    /// The block that holds it.
    pub block_number: u64,
    /// That block's hash.
    pub block_hash: B256,
    /// The transaction that emitted it.
    pub transaction_hash: B256,
    /// Its place among all logs of the block.
    pub log_index: u64,
}

/// A place between logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogPosition {
    /// The block.
    pub block: u64,
    /// The logs of the block up to this index are before the place; none is when there is no index.
    pub after_index: Option<u64>,
}

impl LogPosition {
    /// The place before all logs of a block.
    #[must_use]
    pub fn at(block: u64) -> Self {
        Self {
            block,
            after_index: None,
        }
    }

    /// Reads what [`Display`](fmt::Display) writes: `120`, or `120-3` behind the log with index 3.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let number = |digits: &str| {
            let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            plain.then(|| digits.parse().ok()).flatten()
        };
        match text.split_once('-') {
            None => Some(Self::at(number(text)?)),
            Some((block, index)) => Some(Self {
                block: number(block)?,
                after_index: Some(number(index)?),
            }),
        }
    }

    /// Whether a log with this place in the chain is behind.
    #[must_use]
    pub fn is_before(&self, block: u64, log_index: u64) -> bool {
        (block, log_index) >= (self.block, 0)
            && (block > self.block || self.after_index.is_none_or(|index| log_index > index))
    }
}

impl fmt::Display for LogPosition {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.after_index {
            None => write!(formatter, "{}", self.block),
            Some(index) => write!(formatter, "{}-{index}", self.block),
        }
    }
}

/// Logs in their order, as far as they were looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogPage {
    /// The logs.
    pub logs: Vec<LogRecord>,
    /// Where the query goes on; `None` when all that it asks for are here.
    pub next: Option<LogPosition>,
    /// The first block that was looked at, when that is later than the query's first: earlier ones are not kept.
    pub kept_from: Option<u64>,
}

impl LogPage {
    /// All that there is.
    pub(super) fn all(logs: Vec<LogRecord>) -> Self {
        Self {
            logs,
            next: None,
            kept_from: None,
        }
    }

    /// The first `limit` of these logs, and where the rest begins.
    pub(super) fn cut(mut logs: Vec<LogRecord>, limit: usize) -> Self {
        let more = logs.len() > limit;
        logs.truncate(limit);
        let next = logs.last().filter(|_| more).map(|last| LogPosition {
            block: last.block_number,
            after_index: Some(last.log_index),
        });
        Self {
            logs,
            next,
            kept_from: None,
        }
    }
}

/// A block, as far as it tells one chain of blocks from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockId {
    /// Its number.
    pub number: u64,
    /// Its hash.
    pub hash: B256,
}
