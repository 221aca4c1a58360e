//! What every chain can be asked.

use std::{fmt::Debug, sync::Arc, time::Duration};

use alloy_primitives::{Address, B256, Bytes, U256};
use futures_util::future::BoxFuture;

use super::{
    BlockId, ChainError, Deployment, Execution, LogPage, LogQuery, Receipt, SendRefusal, Simulation, wait,
};

/// A chain that contracts stand on.
///
/// Reading methods never change the chain. Only [`submit`](Chain::submit), [`send`](Chain::send) and
/// [`deploy`](Chain::deploy) do, and all refuse with [`ChainError::Refused`] whenever
/// [`can_send`](Chain::can_send) says no.
pub trait Chain: Send + Sync + Debug {
    /// The chain's id (EIP-155), as the chain itself tells it.
    fn chain_id(&self) -> BoxFuture<'_, Result<u64, ChainError>>;

    /// The account that a message without [`Message::from`] comes from: the first development account
    /// of a sandbox, the signer's address of an RPC chain, `None` where there is no signer.
    fn default_sender(&self) -> Option<Address>;

    /// Whether transactions may be sent at all; else why not, with the remedy in the text.
    fn can_send(&self) -> Result<(), SendRefusal>;

    /// The number of the latest block.
    fn block_number(&self) -> BoxFuture<'_, Result<u64, ChainError>>;

    /// The block with this number; `None` when the chain does not have it.
    fn block(&self, number: u64) -> BoxFuture<'_, Result<Option<BlockId>, ChainError>>;

    /// The code at `address` after `block`; empty when no contract stands there.
    fn code(&self, address: Address, block: BlockRef) -> BoxFuture<'_, Result<Bytes, ChainError>>;

    /// What `address` keeps at `slot` after the latest block; zero where nothing was ever kept.
    fn storage(&self, address: Address, slot: B256) -> BoxFuture<'_, Result<B256, ChainError>>;

    /// The balance of `address` in the latest block, in wei.
    fn balance(&self, address: Address) -> BoxFuture<'_, Result<U256, ChainError>>;

    /// Executes `message` on the state after `block` and throws every change away (`eth_call`).
    fn call(&self, message: Message, block: BlockRef) -> BoxFuture<'_, Result<Execution, ChainError>>;

    /// Executes `message` as the next transaction would be, tells what it would cost, and throws
    /// every change away. Needs neither a signer nor a policy, and any `from` is allowed: one that holds less than
    /// the message pays is lent the rest, and [`Simulation::short_of_funds`] says so.
    fn simulate(&self, message: Message) -> BoxFuture<'_, Result<Simulation, ChainError>>;

    /// What [`deploy`](Chain::deploy) would do, as [`simulate`](Chain::simulate) tells it of a message: it returns the
    /// code that the contract would have. Needs neither a signer nor a policy.
    fn simulate_deploy(&self, code: Bytes, value: U256) -> BoxFuture<'_, Result<Simulation, ChainError>>;

    /// Sends `message` as a transaction and answers its hash, without waiting for its block.
    ///
    /// A message without a gas limit is executed on the latest state first; one that fails there is not
    /// sent, and the error is [`ChainError::WouldFail`] with its bytes. `announce` is told the hash before the
    /// transaction leaves this process; when it fails, nothing is sent.
    fn submit(
        &self,
        message: Message,
        announce: Arc<dyn Announce>,
    ) -> BoxFuture<'_, Result<B256, ChainError>>;

    /// The receipt of a transaction; `None` while no block holds it. A transaction that was mined and failed is a
    /// [`Receipt`] with `success: false`, not an error.
    fn receipt(&self, transaction_hash: B256) -> BoxFuture<'_, Result<Option<Receipt>, ChainError>>;

    /// How long to wait for the block of a transaction within a call.
    fn receipt_timeout(&self) -> Duration;

    /// Whether a transaction has its receipt as soon as it is sent, so that nobody ever waits.
    fn mines_at_once(&self) -> bool {
        false
    }

    /// Sends `message` as a transaction and waits until it is in a block.
    ///
    /// On [`ChainError::Timeout`] the transaction may still be mined later: never send it again blindly.
    fn send(&self, message: Message) -> BoxFuture<'_, Result<Receipt, ChainError>> {
        Box::pin(async move {
            let hash = self.submit(message, Arc::new(Unannounced)).await?;
            wait::for_receipt(self, hash, self.receipt_timeout(), &|_| Box::pin(async {})).await
        })
    }

    /// Sends a transaction that creates a contract from `code` (creation bytecode with the encoded
    /// constructor arguments behind it) paying `value` wei to the constructor, and waits for its block.
    ///
    /// A constructor that reverts on the latest state is [`ChainError::WouldFail`], with nothing sent.
    fn deploy(&self, code: Bytes, value: U256) -> BoxFuture<'_, Result<Deployment, ChainError>>;

    /// Logs in the order of the chain. A range that the node does not answer at once is asked for in parts.
    fn logs(&self, query: LogQuery) -> BoxFuture<'_, Result<LogPage, ChainError>>;

    /// Waits until the chain may have another block than `seen` as its latest: a sandbox until it has, an RPC chain
    /// for the time between two looks.
    fn wait_for_block(&self, seen: u64) -> BoxFuture<'_, ()>;

    /// Where the contract that source `name` made from `code` (as in [`deploy`](Chain::deploy)) stands already: a
    /// sandbox remembers it with its state.
    fn installed(&self, name: &str, code: &Bytes) -> Option<Address> {
        let _ = (name, code);
        None
    }

    /// Remembers the contract of a source, where the chain can; see [`installed`](Chain::installed).
    fn remember_installed(&self, name: &str, code: &Bytes, address: Address) {
        let _ = (name, code, address);
    }
}

/// Is told the hash of a transaction before it is broadcast, so that it is known whatever happens next.
pub trait Announce: Send + Sync {
    /// Keeps the hash; the transaction is sent only after this succeeded.
    fn announce(&self, transaction_hash: B256) -> BoxFuture<'_, Result<(), ChainError>>;
}

/// Nobody is told.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unannounced;

impl Announce for Unannounced {
    fn announce(&self, _: B256) -> BoxFuture<'_, Result<(), ChainError>> {
        Box::pin(async { Ok(()) })
    }
}

/// A message to a contract, before it is a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who calls. `None` is the chain's [`default_sender`](Chain::default_sender); where that is none
    /// either, a call comes from the zero address.
    pub from: Option<Address>,
    /// The contract that is called.
    pub to: Address,
    /// Selector and encoded arguments, or whatever a fallback function takes.
    pub data: Bytes,
    /// Wei to pay with the call.
    pub value: U256,
    /// The most gas to spend; `None` lets the chain choose (estimate, or its own limit for a call).
    pub gas_limit: Option<u64>,
}

impl Message {
    /// A message without value, from the default sender, with the chain's own gas limit.
    #[must_use]
    pub fn new(to: Address, data: Bytes) -> Self {
        Self {
            from: None,
            to,
            data,
            value: U256::ZERO,
            gas_limit: None,
        }
    }
}

/// The state that a call is executed on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockRef {
    /// The state after the latest block.
    #[default]
    Latest,
    /// The state after the block with this number.
    Number(u64),
}
