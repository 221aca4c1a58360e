//! The state of a sandbox: accounts, storage and blocks, as they are and as they were.

mod keep;
mod logs;

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    convert::Infallible,
    sync::Arc,
};

use alloy_primitives::{Address, B256, Bytes, U256};
use revm::{
    DatabaseRef,
    bytecode::Bytecode,
    state::{Account, AccountInfo, EvmState},
};

use super::{
    account,
    block::{Clock, Header},
    history::Versions,
    saved::Installed,
};
use crate::chain::{BlockRef, ChainError, Receipt};

/// The id of a sandbox: 31337, which no public chain has and development tools expect.
pub const CHAIN_ID: u64 = 31_337;

/// The gas that fits into a block of a sandbox, as on anvil. It bounds the time of any execution.
pub const BLOCK_GAS_LIMIT: u64 = 30_000_000;

/// How many blocks before the latest can still be read: enough for any conversation, and a bound for
/// the memory of a server that runs for months.
pub const HISTORY_BLOCKS: u64 = 1_024;

/// Everything that a sandbox knows.
#[derive(Clone, Debug)]
pub(super) struct Ledger {
    clock: Clock,
    accounts: HashMap<Address, Versions<AccountInfo>>,
    storage: HashMap<(Address, U256), Versions<U256>>,
    codes: HashMap<B256, Bytecode>,
    /// The kept blocks before the latest, in order.
    earlier: VecDeque<Header>,
    head: Header,
    /// The receipts of the kept blocks, in order.
    receipts: VecDeque<Arc<Receipt>>,
    /// Seconds that the chain is ahead of its clock.
    ahead: u64,
    /// The time of the next block, when it was chosen.
    next_time: Option<u64>,
    /// The first block whose state is known: of a chain from a file only the latest is.
    state_from: u64,
    /// The contracts that sources made, by the sources' names.
    contracts: BTreeMap<String, Installed>,
}

impl Ledger {
    pub(super) fn new(clock: Clock) -> Self {
        let funded = AccountInfo::from_balance(account::opening_balance());
        Self {
            clock,
            accounts: account::DEVELOPMENT
                .map(|address| (address, Versions::new(0, funded.clone())))
                .into(),
            storage: HashMap::new(),
            codes: HashMap::new(),
            earlier: VecDeque::new(),
            head: Header::genesis(clock),
            receipts: VecDeque::new(),
            ahead: 0,
            next_time: None,
            state_from: 0,
            contracts: BTreeMap::new(),
        }
    }

    /// Gives an account this balance after the latest block.
    pub(super) fn set_balance(&mut self, address: Address, balance: U256) {
        let info = self
            .account(address, self.head.number)
            .cloned()
            .unwrap_or_default();
        self.write_info(address, AccountInfo { balance, ..info });
    }

    pub(super) fn advance(&mut self, seconds: u64) {
        self.ahead = self.ahead.saturating_add(seconds);
    }

    pub(super) fn set_next_time(&mut self, timestamp: u64) {
        self.next_time = Some(timestamp);
    }

    pub(super) fn add_empty_block(&mut self) {
        let block = self.pending().sealed(self.head.hash, B256::ZERO, 0);
        self.commit(block, EvmState::default(), None);
    }

    /// The contract that a source made from this code.
    pub(super) fn installed(&self, name: &str, made_from: B256) -> Option<Address> {
        let installed = self.contracts.get(name)?;
        (installed.made_from == made_from).then_some(installed.address)
    }

    pub(super) fn remember_installed(&mut self, name: &str, installed: Installed) {
        self.contracts.insert(name.to_owned(), installed);
    }

    /// The latest block.
    pub(super) fn head(&self) -> Header {
        self.head
    }

    /// The block that the next transaction would be in.
    pub(super) fn pending(&self) -> Header {
        let next = self.head.next(self.clock, self.ahead);
        Header {
            timestamp: self.next_time.unwrap_or(next.timestamp),
            ..next
        }
    }

    /// The block that `block` names, or why it cannot be read.
    pub(super) fn header(&self, block: BlockRef) -> Result<Header, ChainError> {
        let number = match block {
            BlockRef::Latest => self.head.number,
            BlockRef::Number(number) => number,
        };
        let first = self.oldest().max(self.state_from);
        self.find(number)
            .filter(|header| header.number >= first)
            .ok_or_else(|| {
                ChainError::Internal(format!(
                    "block {number} cannot be read: the sandbox chain keeps blocks {first} to {}",
                    self.head.number
                ))
            })
    }

    pub(super) fn balance(&self, address: Address) -> U256 {
        self.account(address, self.head.number)
            .map_or(U256::ZERO, |info| info.balance)
    }

    pub(super) fn nonce(&self, address: Address) -> u64 {
        self.account(address, self.head.number)
            .map_or(0, |info| info.nonce)
    }

    pub(super) fn code(&self, address: Address, block: u64) -> Bytes {
        self.account(address, block)
            .and_then(|info| self.codes.get(&info.code_hash))
            .map_or_else(Bytes::new, Bytecode::original_bytes)
    }

    pub(super) fn storage(&self, address: Address, slot: B256) -> B256 {
        let versions = self.storage.get(&(address, slot.into()));
        versions
            .and_then(|versions| versions.at(self.head.number))
            .copied()
            .unwrap_or_default()
            .into()
    }

    /// Adds `block` with what its transaction changed, and its receipt.
    pub(super) fn commit(&mut self, block: Header, changes: EvmState, receipt: Option<Receipt>) {
        self.earlier.push_back(self.head);
        self.head = block;
        self.ahead = match self.next_time.take() {
            Some(timestamp) => self.clock.ahead_at(timestamp),
            None => self.clock.ahead_after_block(self.ahead),
        };
        while self.oldest() < self.head.number.saturating_sub(HISTORY_BLOCKS) {
            self.earlier.pop_front();
        }
        self.receipts.extend(receipt.map(Arc::new));
        let oldest = self.oldest();
        while self
            .receipts
            .front()
            .is_some_and(|receipt| receipt.block_number < oldest)
        {
            self.receipts.pop_front();
        }
        for (address, account) in changes {
            if account.is_touched() {
                self.write(address, account);
            }
        }
    }

    /// The state after the block with this number, for an execution.
    pub(super) fn state_after(&self, number: u64) -> State<'_> {
        State {
            ledger: self,
            block: number,
            lent: None,
        }
    }

    fn write(&mut self, address: Address, account: Account) {
        let (block, oldest) = (self.head.number, self.oldest());
        // Since EIP-6780 only a contract of the same transaction is destroyed, whose storage was never
        // written here.
        if account.is_selfdestructed() {
            return self.write_info(address, AccountInfo::default());
        }
        for (slot, value) in account.changed_storage_slots() {
            let value = value.present_value;
            self.storage
                .entry((address, *slot))
                .and_modify(|versions| versions.set(block, value, oldest))
                .or_insert_with(|| Versions::new(block, value));
        }
        self.write_info(address, account.info);
    }

    fn write_info(&mut self, address: Address, mut info: AccountInfo) {
        let (block, oldest) = (self.head.number, self.oldest());
        if let Some(code) = info.code.take().filter(|code| !code.is_empty()) {
            self.codes.entry(info.code_hash).or_insert(code);
        }
        match self.accounts.get_mut(&address) {
            Some(versions) => versions.set(block, info, oldest),
            None => {
                self.accounts.insert(address, Versions::new(block, info));
            }
        }
    }

    fn account(&self, address: Address, block: u64) -> Option<&AccountInfo> {
        self.accounts
            .get(&address)?
            .at(block)
            .filter(|info| !info.is_empty())
    }

    fn oldest(&self) -> u64 {
        self.earlier
            .front()
            .map_or(self.head.number, |header| header.number)
    }

    pub(super) fn find(&self, number: u64) -> Option<Header> {
        if number == self.head.number {
            return Some(self.head);
        }
        let index = usize::try_from(number.checked_sub(self.oldest())?).ok()?;
        self.earlier.get(index).copied()
    }
}

/// The state after one block, as an execution reads it.
#[derive(Clone, Copy, Debug)]
pub(super) struct State<'a> {
    ledger: &'a Ledger,
    block: u64,
    /// An account that is taken to hold this much.
    lent: Option<(Address, U256)>,
}

impl State<'_> {
    /// Lends an account what it has less than `value`, in wei.
    pub(super) fn lend(&mut self, account: Address, value: U256) {
        let held = self
            .ledger
            .account(account, self.block)
            .map_or(U256::ZERO, |info| info.balance);
        if held < value {
            self.lent = Some((account, value));
        }
    }
}

impl DatabaseRef for State<'_> {
    type Error = Infallible;

    fn basic_ref(&self, address: Address) -> Result<Option<AccountInfo>, Infallible> {
        let info = self.ledger.account(address, self.block).cloned();
        Ok(match self.lent {
            Some((account, balance)) if account == address => Some(AccountInfo {
                balance,
                ..info.unwrap_or_default()
            }),
            _ => info,
        })
    }

    fn code_by_hash_ref(&self, code_hash: B256) -> Result<Bytecode, Infallible> {
        Ok(self.ledger.codes.get(&code_hash).cloned().unwrap_or_default())
    }

    fn storage_ref(&self, address: Address, index: U256) -> Result<U256, Infallible> {
        let versions = self.ledger.storage.get(&(address, index));
        Ok(versions
            .and_then(|versions| versions.at(self.block))
            .copied()
            .unwrap_or_default())
    }

    fn block_hash_ref(&self, number: u64) -> Result<B256, Infallible> {
        Ok(self.ledger.find(number).map_or(B256::ZERO, |header| header.hash))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger_with_blocks(blocks: u64) -> Ledger {
        let mut ledger = Ledger::new(Clock::Steps(0));
        for _ in 0..blocks {
            let next = ledger.pending().sealed(ledger.head().hash, B256::ZERO, 0);
            ledger.commit(next, EvmState::default(), None);
        }
        ledger
    }

    #[test]
    fn the_oldest_block_is_readable_until_one_more_follows() {
        let full = ledger_with_blocks(HISTORY_BLOCKS);
        assert_eq!(full.header(BlockRef::Number(0)).unwrap().number, 0);
        let over = ledger_with_blocks(HISTORY_BLOCKS + 1);
        let refusal = over.header(BlockRef::Number(0)).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "block 0 cannot be read: the sandbox chain keeps blocks 1 to 1025"
        );
        assert_eq!(over.header(BlockRef::Number(1)).unwrap().number, 1);
    }

    #[test]
    fn a_block_of_the_future_cannot_be_read() {
        assert!(ledger_with_blocks(2).header(BlockRef::Number(3)).is_err());
    }
}
