//! Blocks of a sandbox: their numbers, times, base fees and hashes.

use std::time::{SystemTime, UNIX_EPOCH};

use alloy_eips::{calc_next_block_base_fee, eip1559::BaseFeeParams};
use alloy_primitives::{B256, U256, keccak256};
use revm::context::BlockEnv;
use serde::{Deserialize, Serialize};

use super::ledger::BLOCK_GAS_LIMIT;

/// The base fee of the genesis block in wei: 1 gwei, as anvil starts.
const GENESIS_BASE_FEE: u64 = 1_000_000_000;

/// Where the times of a sandbox's blocks come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The time of this machine; a block is at least one second later than its parent.
    System,
    /// The genesis block has this Unix time in seconds and each block is one second later, so that two
    /// runs are equal.
    Steps(u64),
}

impl Clock {
    fn genesis(self) -> u64 {
        match self {
            Self::System => unix_seconds(),
            Self::Steps(start) => start,
        }
    }

    /// The time of the block after one of the time `parent`, with the clock put forward by `ahead`.
    fn after(self, parent: u64, ahead: u64) -> u64 {
        let next = parent.saturating_add(1);
        match self {
            Self::System => unix_seconds().saturating_add(ahead).max(next),
            Self::Steps(_) => next.saturating_add(ahead),
        }
    }

    /// How far the clock is put forward when a block is given this time.
    pub(super) fn ahead_at(self, timestamp: u64) -> u64 {
        match self {
            Self::System => timestamp.saturating_sub(unix_seconds()),
            Self::Steps(_) => 0,
        }
    }

    /// How far it is still put forward after a block: steps were put forward once.
    pub(super) fn ahead_after_block(self, ahead: u64) -> u64 {
        match self {
            Self::System => ahead,
            Self::Steps(_) => 0,
        }
    }
}

fn unix_seconds() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |elapsed| elapsed.as_secs())
}

/// What is kept of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Header {
    pub(super) number: u64,
    /// Unix time in seconds.
    pub(super) timestamp: u64,
    /// Wei per unit of gas.
    pub(super) base_fee: u64,
    pub(super) gas_used: u64,
    /// Stands for the block where contracts ask for it. It hashes what is kept here, because a sandbox
    /// has no state root to hash.
    pub(super) hash: B256,
}

impl Header {
    pub(super) fn genesis(clock: Clock) -> Self {
        Self {
            number: 0,
            timestamp: clock.genesis(),
            base_fee: GENESIS_BASE_FEE,
            gas_used: 0,
            hash: keccak256("toolmesh sandbox genesis"),
        }
    }

    /// The block that would follow this one, still without transactions.
    pub(super) fn next(&self, clock: Clock, ahead: u64) -> Self {
        Self {
            number: self.number.saturating_add(1),
            timestamp: clock.after(self.timestamp, ahead),
            base_fee: self.base_fee_after(),
            gas_used: 0,
            hash: B256::ZERO,
        }
    }

    /// The base fee of the block after this one (EIP-1559). The first block has the genesis block's, as
    /// on anvil, although nothing used gas in that.
    fn base_fee_after(&self) -> u64 {
        if self.number == 0 {
            return self.base_fee;
        }
        calc_next_block_base_fee(
            self.gas_used,
            BLOCK_GAS_LIMIT,
            self.base_fee,
            BaseFeeParams::ethereum(),
        )
    }

    /// The block with the one transaction that it holds.
    pub(super) fn sealed(self, parent: B256, transaction: B256, gas_used: u64) -> Self {
        let mut text = Vec::with_capacity(96);
        text.extend_from_slice(parent.as_slice());
        text.extend_from_slice(transaction.as_slice());
        for number in [self.number, self.timestamp, self.base_fee, gas_used] {
            text.extend_from_slice(&number.to_be_bytes());
        }
        Self {
            gas_used,
            hash: keccak256(text),
            ..self
        }
    }

    /// The environment in which contracts see this block.
    pub(super) fn environment(&self) -> BlockEnv {
        BlockEnv {
            number: U256::from(self.number),
            timestamp: U256::from(self.timestamp),
            gas_limit: BLOCK_GAS_LIMIT,
            basefee: self.base_fee,
            prevrandao: Some(keccak256(self.number.to_be_bytes())),
            ..BlockEnv::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_fee_falls_by_an_eighth_after_an_empty_block_and_rises_by_an_eighth_after_a_full_one() {
        let first = Header::genesis(Clock::Steps(0)).next(Clock::Steps(0), 0);
        assert_eq!(first.base_fee, 1_000_000_000);
        assert_eq!(first.next(Clock::Steps(0), 0).base_fee, 875_000_000);
        let full = Header {
            gas_used: BLOCK_GAS_LIMIT,
            ..first
        };
        assert_eq!(full.next(Clock::Steps(0), 0).base_fee, 1_125_000_000);
    }

    #[test]
    fn a_block_is_later_than_its_parent_even_when_the_machine_s_clock_stands_still() {
        let ahead = Header {
            timestamp: u64::MAX - 1,
            ..Header::genesis(Clock::System)
        };
        assert_eq!(ahead.next(Clock::System, 0).timestamp, u64::MAX);
        assert_eq!(
            Header::genesis(Clock::Steps(7))
                .next(Clock::Steps(7), 0)
                .timestamp,
            8
        );
    }
}
