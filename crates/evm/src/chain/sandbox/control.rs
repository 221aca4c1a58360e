//! What only the owner of a chain can do with it: time, blocks, balances, and going back.

use std::sync::Arc;

use alloy_primitives::{Address, U256};
use thiserror::Error;

use super::{SandboxChain, ledger::Ledger, locked};

/// The most blocks that are added at once: as many as are kept.
pub const MAX_MINED_BLOCKS: u64 = super::ledger::HISTORY_BLOCKS;

/// The most snapshots that are kept; each may hold a whole state. Of more the oldest is forgotten.
pub const MAX_SNAPSHOTS: usize = 16;

/// The most seconds that the clock is put forward at once: a century.
pub const MAX_ADVANCE_SECONDS: u64 = 100 * 366 * 86_400;

/// Why a sandbox did not do what its owner asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ControlError {
    /// Too many blocks at once, or none.
    #[error("blocks are added by 1 to {MAX_MINED_BLOCKS} at once")]
    Blocks,
    /// The clock would go too far.
    #[error("the clock is put forward by at most {MAX_ADVANCE_SECONDS} seconds at once")]
    Advance,
    /// A block is later than the one before it.
    #[error("the next block must be later than the latest one, whose time is {latest}")]
    Past {
        /// The time of the latest block, Unix seconds.
        latest: u64,
    },
    /// There is no such snapshot.
    #[error(
        "there is no snapshot {id}: it was never made, was gone back to, or is older than the {MAX_SNAPSHOTS} kept"
    )]
    NoSnapshot {
        /// The snapshot that was asked for.
        id: u64,
    },
}

/// States to go back to.
#[derive(Debug, Default)]
pub(super) struct Snapshots {
    kept: Vec<(u64, Arc<Ledger>)>,
    last: u64,
}

/// An account as it is after the latest block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountState {
    /// The account.
    pub address: Address,
    /// What it holds, in wei.
    pub balance: U256,
    /// How many transactions it sent.
    pub nonce: u64,
}

/// The latest block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatestBlock {
    /// Its number.
    pub number: u64,
    /// Its time, Unix seconds.
    pub timestamp: u64,
}

impl SandboxChain {
    /// An account as it is after the latest block.
    #[must_use]
    pub fn account(&self, address: Address) -> AccountState {
        let ledger = self.ledger();
        AccountState {
            address,
            balance: ledger.balance(address),
            nonce: ledger.nonce(address),
        }
    }

    /// The latest block.
    #[must_use]
    pub fn latest(&self) -> LatestBlock {
        let head = self.ledger().head();
        LatestBlock {
            number: head.number,
            timestamp: head.timestamp,
        }
    }

    /// Gives an account this balance, in wei, without a block.
    pub fn set_balance(&self, address: Address, balance: U256) {
        self.change(|ledger| ledger.set_balance(address, balance));
    }

    /// Adds empty blocks.
    ///
    /// # Errors
    /// [`ControlError::Blocks`] unless it is 1 to [`MAX_MINED_BLOCKS`].
    pub fn mine(&self, blocks: u64) -> Result<LatestBlock, ControlError> {
        if !(1..=MAX_MINED_BLOCKS).contains(&blocks) {
            return Err(ControlError::Blocks);
        }
        self.change(|ledger| (0..blocks).for_each(|_| ledger.add_empty_block()));
        Ok(self.latest())
    }

    /// Puts the clock forward: the next block and all after it are that much later.
    ///
    /// # Errors
    /// [`ControlError::Advance`] when it is more than [`MAX_ADVANCE_SECONDS`].
    pub fn advance_time(&self, seconds: u64) -> Result<(), ControlError> {
        if seconds > MAX_ADVANCE_SECONDS {
            return Err(ControlError::Advance);
        }
        self.change(|ledger| ledger.advance(seconds));
        Ok(())
    }

    /// Sets the time of the next block, Unix seconds; the clock goes on from there.
    ///
    /// # Errors
    /// [`ControlError::Past`] when that is not after the latest block, [`ControlError::Advance`] when it is too far.
    pub fn set_next_time(&self, timestamp: u64) -> Result<(), ControlError> {
        let latest = self.latest().timestamp;
        if timestamp <= latest {
            return Err(ControlError::Past { latest });
        }
        if timestamp - latest > MAX_ADVANCE_SECONDS {
            return Err(ControlError::Advance);
        }
        self.change(|ledger| ledger.set_next_time(timestamp));
        Ok(())
    }

    /// Keeps the chain as it is, to go back to by the number that is answered.
    #[must_use]
    pub fn snapshot(&self) -> u64 {
        let _turn = locked(&self.shared.turn);
        let mut snapshots = locked(&self.shared.snapshots);
        snapshots.last += 1;
        let id = snapshots.last;
        snapshots.kept.push((id, self.ledger()));
        if snapshots.kept.len() > MAX_SNAPSHOTS {
            snapshots.kept.remove(0);
        }
        id
    }

    /// Goes back to a snapshot. That one and all that were made after it are used up.
    ///
    /// # Errors
    /// [`ControlError::NoSnapshot`] when there is none.
    pub fn revert(&self, id: u64) -> Result<LatestBlock, ControlError> {
        let _turn = locked(&self.shared.turn);
        let mut snapshots = locked(&self.shared.snapshots);
        let place = snapshots.kept.iter().position(|(known, _)| *known == id);
        let place = place.ok_or(ControlError::NoSnapshot { id })?;
        let mut later = snapshots.kept.split_off(place);
        if !later.is_empty() {
            let (_, ledger) = later.swap_remove(0);
            *locked(&self.shared.ledger) = ledger;
            self.changed();
        }
        Ok(self.latest())
    }

    /// Changes the state between two transactions.
    fn change(&self, work: impl FnOnce(&mut Ledger)) {
        let _turn = locked(&self.shared.turn);
        work(Arc::make_mut(&mut locked(&self.shared.ledger)));
        self.changed();
    }
}
