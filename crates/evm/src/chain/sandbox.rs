//! A whole chain inside the process: no node, no key, no network.
//!
//! The EVM is revm on the Osaka hard fork; around it stand the ten public development accounts
//! with 10,000 ETH each, a block per transaction, EIP-1559 base fees, nonces and receipts, laid out so
//! that the same transactions give the same addresses and use the same gas as on an anvil node.

mod account;
mod block;
mod control;
mod execute;
mod history;
mod ledger;
mod saved;
mod state_file;
mod transaction;

use std::{
    fmt,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use alloy_primitives::{Address, B256, Bytes, U256, keccak256};
use futures_util::future::BoxFuture;
use tokio::sync::watch;

pub use block::Clock;
pub use control::{
    AccountState, ControlError, LatestBlock, MAX_ADVANCE_SECONDS, MAX_MINED_BLOCKS, MAX_SNAPSHOTS,
};
pub use ledger::{BLOCK_GAS_LIMIT, CHAIN_ID, HISTORY_BLOCKS};
pub use state_file::{MAX_STATE_BYTES, StateError};

use self::{control::Snapshots, ledger::Ledger, saved::Installed, state_file::StateFile, transaction::Mined};
use super::{
    Announce, BlockId, BlockRef, Chain, ChainError, Deployment, Execution, LogPage, LogQuery, Message,
    Receipt, SendRefusal, Simulation,
};

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
    /// The number of the latest block.
    latest: watch::Sender<u64>,
    /// States to go back to; locked only by whoever has the turn.
    snapshots: Mutex<Snapshots>,
    /// Where the chain is kept.
    file: Option<StateFile>,
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
        Self::of(Ledger::new(clock), None)
    }

    /// The chain that `path` keeps, or a new one that it keeps from now on: the file is replaced in one step after each
    /// change, and no other process can have it. Of a chain from a file only the latest state can be read; its blocks,
    /// receipts and logs are there.
    ///
    /// # Errors
    /// [`StateError`] when another process has the file, or it cannot be read or written.
    pub fn with_state_file(path: &Path, clock: Clock) -> Result<Self, StateError> {
        let (file, saved) = StateFile::open(path)?;
        let ledger = match saved {
            Some(saved) => Ledger::restored(clock, saved),
            None => Ledger::new(clock),
        };
        // A file that cannot be written is told now, not with the first transaction.
        file.write(&ledger)?;
        Ok(Self::of(ledger, Some(file)))
    }

    fn of(ledger: Ledger, file: Option<StateFile>) -> Self {
        let latest = watch::Sender::new(ledger.head().number);
        Self {
            shared: Arc::new(Shared {
                ledger: Mutex::new(Arc::new(ledger)),
                turn: Mutex::new(()),
                latest,
                snapshots: Mutex::default(),
                file,
            }),
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
    fn transact(
        &self,
        transaction: impl FnOnce(&Ledger) -> Result<Mined, ChainError>,
    ) -> Result<Receipt, ChainError> {
        let _turn = locked(&self.shared.turn);
        let Mined {
            receipt,
            block,
            changes,
        } = transaction(&self.ledger())?;
        // Copies the state only when an execution is still reading it.
        Arc::make_mut(&mut locked(&self.shared.ledger)).commit(block, changes, Some(receipt.clone()));
        self.changed();
        Ok(receipt)
    }

    /// Keeps the state that was just changed, and tells who waits for blocks. The turn is still held.
    fn changed(&self) {
        let ledger = self.ledger();
        if let Some(Err(error)) = self.shared.file.as_ref().map(|file| file.write(&ledger)) {
            tracing::error!(%error, "the sandbox goes on, but its file is behind");
        }
        self.shared.latest.send_replace(ledger.head().number);
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

    fn block(&self, number: u64) -> BoxFuture<'_, Result<Option<BlockId>, ChainError>> {
        Box::pin(async move {
            let found = self.ledger().find(number);
            Ok(found.map(|header| BlockId {
                number: header.number,
                hash: header.hash,
            }))
        })
    }

    fn code(&self, address: Address, block: BlockRef) -> BoxFuture<'_, Result<Bytes, ChainError>> {
        Box::pin(async move {
            let ledger = self.ledger();
            let block = ledger.header(block)?.number;
            Ok(ledger.code(address, block))
        })
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

    fn submit(
        &self,
        message: Message,
        announce: Arc<dyn Announce>,
    ) -> BoxFuture<'_, Result<B256, ChainError>> {
        Box::pin(async move {
            let receipt = self
                .in_background(move |chain| chain.transact(|ledger| transaction::send(ledger, &message)))
                .await?;
            // Nothing of a sandbox outlives a failure between the two.
            announce.announce(receipt.transaction_hash).await?;
            Ok(receipt.transaction_hash)
        })
    }

    fn receipt(&self, transaction_hash: B256) -> BoxFuture<'_, Result<Option<Receipt>, ChainError>> {
        Box::pin(async move { Ok(self.ledger().receipt(transaction_hash).cloned()) })
    }

    fn receipt_timeout(&self) -> Duration {
        Duration::ZERO
    }

    fn mines_at_once(&self) -> bool {
        true
    }

    fn send(&self, message: Message) -> BoxFuture<'_, Result<Receipt, ChainError>> {
        self.in_background(move |chain| chain.transact(|ledger| transaction::send(ledger, &message)))
    }

    fn simulate_deploy(&self, code: Bytes, value: U256) -> BoxFuture<'_, Result<Simulation, ChainError>> {
        self.in_background(move |chain| transaction::simulate_deploy(&chain.ledger(), code, value))
    }

    fn deploy(&self, code: Bytes, value: U256) -> BoxFuture<'_, Result<Deployment, ChainError>> {
        self.in_background(move |chain| {
            let receipt = chain.transact(|ledger| transaction::deploy(ledger, code, value))?;
            let address = receipt.contract_address.unwrap_or_default();
            Ok(Deployment { address, receipt })
        })
    }

    fn logs(&self, query: LogQuery) -> BoxFuture<'_, Result<LogPage, ChainError>> {
        self.in_background(move |chain| Ok(chain.ledger().logs(&query)))
    }

    fn installed(&self, name: &str, code: &Bytes) -> Option<Address> {
        self.ledger().installed(name, keccak256(code))
    }

    fn remember_installed(&self, name: &str, code: &Bytes, address: Address) {
        let _turn = locked(&self.shared.turn);
        let installed = Installed {
            address,
            made_from: keccak256(code),
        };
        Arc::make_mut(&mut locked(&self.shared.ledger)).remember_installed(name, installed);
        self.changed();
    }

    fn wait_for_block(&self, seen: u64) -> BoxFuture<'_, ()> {
        let mut latest = self.shared.latest.subscribe();
        Box::pin(async move {
            // The sender lives as long as the chain.
            let _ = latest.wait_for(|number| *number != seen).await;
        })
    }
}
