//! A ledger to and from the form that is kept in a file.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use alloy_primitives::keccak256;
use revm::{bytecode::Bytecode, state::AccountInfo};

use super::Ledger;
use crate::chain::sandbox::{
    block::{Clock, Header},
    history::Versions,
    saved::{Saved, SavedAccount},
};

impl Ledger {
    /// The chain that was saved.
    pub(in crate::chain::sandbox) fn restored(clock: Clock, saved: Saved) -> Self {
        let mut ledger = Self::new(clock);
        ledger.accounts.clear();
        let mut blocks: VecDeque<Header> = saved.blocks.into();
        if let Some(head) = blocks.pop_back() {
            ledger.head = head;
        }
        ledger.earlier = blocks;
        ledger.ahead = saved.ahead;
        ledger.next_time = saved.next_time;
        let block = ledger.head.number;
        ledger.state_from = block;
        for code in saved.codes {
            ledger.codes.insert(keccak256(&code), Bytecode::new_raw(code));
        }
        for (address, account) in saved.accounts {
            let info = AccountInfo {
                balance: account.balance,
                nonce: account.nonce,
                code_hash: account.code_hash,
                // It is found by its hash.
                code: None,
                ..AccountInfo::default()
            };
            ledger.accounts.insert(address, Versions::new(block, info));
            for (slot, value) in account.storage {
                ledger
                    .storage
                    .insert((address, slot), Versions::new(block, value));
            }
        }
        ledger.receipts = saved
            .receipts
            .into_iter()
            .map(|receipt| Arc::new(receipt.into()))
            .collect();
        ledger.contracts = saved.contracts;
        ledger
    }

    /// The chain as it is saved.
    pub(in crate::chain::sandbox) fn to_saved(&self) -> Saved {
        let block = self.head.number;
        let blocks = self.earlier.iter().copied().chain([self.head]).collect();
        let mut saved = Saved::new(blocks);
        saved.ahead = self.ahead;
        saved.next_time = self.next_time;
        for address in self.accounts.keys() {
            if let Some(info) = self.account(*address, block) {
                let account = SavedAccount {
                    balance: info.balance,
                    nonce: info.nonce,
                    code_hash: info.code_hash,
                    storage: BTreeMap::new(),
                };
                saved.accounts.insert(*address, account);
            }
        }
        for ((address, slot), versions) in &self.storage {
            let value = versions.at(block).copied().unwrap_or_default();
            if let Some(account) = saved.accounts.get_mut(address).filter(|_| !value.is_zero()) {
                account.storage.insert(*slot, value);
            }
        }
        saved.codes = self.codes.values().map(Bytecode::original_bytes).collect();
        saved.codes.sort();
        saved.receipts = self
            .receipts
            .iter()
            .map(|receipt| receipt.as_ref().into())
            .collect();
        saved.contracts = self.contracts.clone();
        saved
    }
}
