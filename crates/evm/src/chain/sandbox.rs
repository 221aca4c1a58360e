//! A whole chain inside the process: no node, no key, no network.
//!
//! The EVM is revm on the Osaka hard fork; around it stand the ten public development accounts
//! with 10,000 ETH each, a block per transaction, EIP-1559 base fees, nonces and receipts, laid out so
//! that the same transactions give the same addresses and use the same gas as on an anvil node.

mod account;
mod block;
mod execute;
mod history;
mod ledger;
mod transaction;

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use alloy_primitives::{Address, B256, Bytes, U256};
use futures_util::future::BoxFuture;

pub use block::Clock;
pub use ledger::{BLOCK_GAS_LIMIT, CHAIN_ID, HISTORY_BLOCKS};

use self::{ledger::Ledger, transaction::Mined};
use super::{BlockRef, Chain, ChainError, Deployment, Execution, Message, Receipt, SendRefusal, Simulation};

/// The in-process sandbox chain.
///
/// Cloning gives another handle to the same chain. Executions run on tokio's blocking threads: reads
/// beside each other, each on the state as it was when it began, and transactions one after the other.
/// The methods must be called inside a tokio runtime.
#[derive(Clone)]
pub struct SandboxChain {
    shared: Arc<Shared>,
}

struct Shared {
    /// Replaced, never changed in place while someone reads: a long execution keeps the state that it
    /// began with and stops nobody. Locked for moments only.
    ledger: Mutex<Arc<Ledger>>,
    /// Held by the transaction that is being executed.
    turn: Mutex<()>,
}

impl fmt::Debug for SandboxChain {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let block = self.ledger().head().number;
        formatter
            .debug_struct("SandboxChain")
            .field("block", &block)
            .finish_non_exhaustive()
    }
}

impl Default for SandboxChain {
    fn default() -> Self {
        Self::new()
    }
}

impl SandboxChain {
    /// A chain with only its genesis block, whose blocks carry the time of this machine.
    #[must_use]
    pub fn new() -> Self {
        Self::with_clock(Clock::System)
    }

    /// A chain with only its genesis block and the given clock.
    #[must_use]
    pub fn with_clock(clock: Clock) -> Self {
        let ledger = Mutex::new(Arc::new(Ledger::new(clock)));
        let turn = Mutex::new(());
        Self {
            shared: Arc::new(Shared { ledger, turn }),
        }
    }

    /// The development accounts in order; the first is the default sender.
    #[must_use]
    pub fn accounts(&self) -> &'static [Address] {
        &account::DEVELOPMENT
    }

    /// The state as it is now.
    fn ledger(&self) -> Arc<Ledger> {
        Arc::clone(&locked(&self.shared.ledger))
    }

    /// Executes one transaction on the latest state and adds its block.
    fn transact<T>(
        &self,
        transaction: impl FnOnce(&Ledger) -> Result<Mined<T>, ChainError>,
    ) -> Result<T, ChainError> {
        let _turn = locked(&self.shared.turn);
        let mined = transaction(&self.ledger())?;
        // Copies the state only when an execution is still reading it.
        Arc::make_mut(&mut locked(&self.shared.ledger)).commit(mined.block, mined.changes);
        Ok(mined.report)
    }

    fn in_background<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<T, ChainError> + Send + 'static,
    ) -> BoxFuture<'_, Result<T, ChainError>> {
        let chain = self.clone();
        Box::pin(async move {
            tokio::task::spawn_blocking(move || work(&chain))
                .await
                .map_err(|error| ChainError::Internal(format!("the sandbox chain stopped: {error}")))?
        })
    }
}

/// The lock's content. A panic under a lock leaves it whole: the ledger is changed by one infallible
/// commit.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Chain for SandboxChain {
    fn chain_id(&self) -> BoxFuture<'_, Result<u64, ChainError>> {
        Box::pin(async { Ok(CHAIN_ID) })
    }

    fn default_sender(&self) -> Option<Address> {
        Some(account::DEFAULT_SENDER)
    }

    fn can_send(&self) -> Result<(), SendRefusal> {
        Ok(())
    }

    fn block_number(&self) -> BoxFuture<'_, Result<u64, ChainError>> {
        Box::pin(async { Ok(self.ledger().head().number) })
    }

    fn code(&self, address: Address) -> BoxFuture<'_, Result<Bytes, ChainError>> {
        Box::pin(async move { Ok(self.ledger().code(address)) })
    }

    fn storage(&self, address: Address, slot: B256) -> BoxFuture<'_, Result<B256, ChainError>> {
        Box::pin(async move { Ok(self.ledger().storage(address, slot)) })
    }

    fn balance(&self, address: Address) -> BoxFuture<'_, Result<U256, ChainError>> {
        Box::pin(async move { Ok(self.ledger().balance(address)) })
    }

    fn call(&self, message: Message, block: BlockRef) -> BoxFuture<'_, Result<Execution, ChainError>> {
        self.in_background(move |chain| execute::call(&chain.ledger(), &message, block))
    }

    fn simulate(&self, message: Message) -> BoxFuture<'_, Result<Simulation, ChainError>> {
        self.in_background(move |chain| execute::simulate(&chain.ledger(), &message))
    }

    fn send(&self, message: Message) -> BoxFuture<'_, Result<Receipt, ChainError>> {
        self.in_background(move |chain| chain.transact(|ledger| transaction::send(ledger, message)))
    }

    fn deploy(&self, code: Bytes, value: U256) -> BoxFuture<'_, Result<Deployment, ChainError>> {
        self.in_background(move |chain| chain.transact(|ledger| transaction::deploy(ledger, code, value)))
    }
}
