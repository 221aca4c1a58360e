//! Why a chain could not answer, or would not.

use alloy_primitives::{Address, B256, U256};
use thiserror::Error;

use super::Execution;

/// A chain could not do what it was asked.
///
/// A contract's own failure in a call or simulation is not among these: that is an [`Execution`]. No text
/// here holds a key, nor a URL's user information, path or query (RPC services put keys there).
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ChainError {
    /// The URL of the node is none that can be connected to.
    #[error("the RPC URL {reason}: give one that starts with http:// or https://")]
    InvalidUrl {
        /// What is wrong with it.
        reason: String,
    },
    /// The node did not answer.
    #[error("the RPC node {url} cannot be reached ({reason}): check the URL and that the node is running")]
    Unreachable {
        /// Scheme, host and port of the URL.
        url: String,
        /// What went wrong, without the URL.
        reason: String,
    },
    /// The node answered more than is read.
    #[error(
        "the RPC node {url} answered more than {limit} bytes, so the answer was not read: ask for less at once, \
         or check that the URL is one of a JSON-RPC node"
    )]
    AnswerTooLarge {
        /// Scheme, host and port of the URL.
        url: String,
        /// How many bytes are read.
        limit: usize,
    },
    /// The node is of another chain than the source is configured for.
    #[error(
        "the RPC node is on chain {actual}, but the source is configured for chain {configured}: \
         nothing was read or signed; correct `chain_id` or the RPC URL"
    )]
    WrongChain {
        /// `chain_id` of the source.
        configured: u64,
        /// What the node reports.
        actual: u64,
    },
    /// Of several nodes one is of another chain than the others.
    #[error("the RPC nodes are of different chains, {first} and {other}: give URLs of one chain")]
    SeveralChains {
        /// The chain of the first node that answered.
        first: u64,
        /// Another one's.
        other: u64,
    },
    /// The transaction was not sent because the configuration does not allow it.
    #[error("not sent: {0}")]
    Refused(#[from] SendRefusal),
    /// The transaction was not sent because it fails when it is executed on the latest state: sending
    /// it would only cost its gas. Its bytes can be decoded like those of any execution. A message with
    /// a gas limit of its own is sent without this check.
    #[error(
        "the transaction was not sent, because it fails when it is executed on the latest state; give \
         `gas_limit` to send it all the same"
    )]
    WouldFail(
        /// How the execution ended: reverted or halted.
        Execution,
    ),
    /// The transaction was broadcast, but no block held it in time.
    #[error(
        "transaction {transaction_hash} was sent but is in no block after {seconds} s: it may still be \
         mined, so look it up by its hash before sending again"
    )]
    Timeout {
        /// The hash to look up.
        transaction_hash: B256,
        /// How long was waited.
        seconds: u64,
    },
    /// The node refused the request.
    #[error("the RPC node answered error {code}: {message}")]
    Rpc {
        /// The JSON-RPC error code.
        code: i64,
        /// The node's own words, shortened.
        message: String,
    },
    /// The request cannot be carried out on this chain as it stands; the text says why.
    #[error("{0}")]
    Internal(String),
}

/// Why a transaction is not sent.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SendRefusal {
    /// No key to sign with, no policy, or neither.
    #[error(
        "transactions on this chain are not configured; missing: {missing}. Without them every call is \
         only simulated"
    )]
    NotConfigured {
        /// The configuration keys and environment variables to set.
        missing: String,
    },
    /// The sender is an account that nobody here can sign for.
    #[error("the sender {from} cannot be used: transactions on this chain can be sent from {available} only")]
    ForeignSender {
        /// The account that was asked for.
        from: Address,
        /// The account or accounts that can sign.
        available: String,
    },
    /// The function is not one that transactions may call.
    #[error("transactions may not call {function}: `send_functions` of the source does not name it")]
    FunctionNotAllowed {
        /// The function's signature.
        function: String,
    },
    /// The gas may cost more than the policy allows.
    #[error("the gas may cost {fee_wei} wei, more than the {max_fee_wei} wei of `max_fee_wei`")]
    FeeAboveLimit {
        /// Gas limit times the highest price it may pay.
        fee_wei: U256,
        /// The policy's limit.
        max_fee_wei: U256,
    },
    /// The transaction may use more gas than the policy allows.
    #[error("the transaction needs {gas_limit} gas, more than the {max_gas} of `max_gas`")]
    GasAboveLimit {
        /// The gas that it would be given.
        gas_limit: u64,
        /// The policy's limit.
        max_gas: u64,
    },
    /// The transaction pays more than the policy allows.
    #[error("the transaction pays {value_wei} wei, more than the {max_value_wei} wei of `max_value_wei`")]
    ValueAboveLimit {
        /// What it would pay.
        value_wei: U256,
        /// The policy's limit.
        max_value_wei: U256,
    },
}
