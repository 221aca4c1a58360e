//! Following a chain: what its new blocks hold of a contract's logs, and what a reorganisation took back.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use alloy_primitives::{Address, B256};

use super::feed::Feed;
use crate::chain::{BlockId, Chain, ChainError, LogPosition, LogQuery, LogRecord};

/// How many of the blocks that were the latest at some look are remembered, to find where a reorganisation began. Two
/// seconds apart they cover more than any finality of minutes needs.
const MAX_SEEN: usize = 256;

/// How many blocks are caught up with at once; who was away longer reads the chain itself.
const MAX_CATCH_UP: u64 = 10_000;

/// How many logs are asked for at once.
const PAGE: usize = 512;

/// The most logs that one look takes in; more than a feed keeps would push out what it just took.
const MAX_LOOK: usize = super::feed::MAX_FEED_LOGS;

/// Where a feed's chain was at the last look.
#[derive(Debug)]
pub(crate) struct Follower {
    chain: Arc<dyn Chain>,
    contract: Address,
    feed: Arc<Feed>,
    seen: VecDeque<BlockId>,
}

/// A log that came, or went.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) record: Arc<LogRecord>,
}

impl Follower {
    /// Follows what comes after the first look.
    pub(crate) fn new(chain: Arc<dyn Chain>, contract: Address, feed: Arc<Feed>) -> Self {
        Self {
            chain,
            contract,
            feed,
            seen: VecDeque::new(),
        }
    }

    /// Looks at the chain once, and takes into the feed what changed since the last look.
    pub(crate) async fn look(&mut self) -> Result<Vec<Change>, ChainError> {
        let number = self.chain.block_number().await?;
        let Some(head) = self.chain.block(number).await? else {
            // The block went away between the two questions; the next look finds another.
            return Ok(Vec::new());
        };
        if self.seen.is_empty() {
            self.seen.push_back(head);
            return Ok(Vec::new());
        }
        if self.seen.back() == Some(&head) {
            return Ok(Vec::new());
        }
        let (base, reorganised) = self.common_block().await?;
        let mut changes = Vec::new();
        if reorganised {
            self.take_back(base, &mut changes).await?;
        }
        self.take_in(base, head.number, &mut changes).await?;
        self.seen.push_back(head);
        while self.seen.len() > MAX_SEEN {
            self.seen.pop_front();
        }
        Ok(changes)
    }

    /// The number of the latest block at the last look.
    pub(crate) fn head(&self) -> u64 {
        self.seen.back().map_or(0, |block| block.number)
    }

    /// The last block that was seen and is still in the chain, and whether later ones were seen that are not.
    async fn common_block(&mut self) -> Result<(u64, bool), ChainError> {
        let mut reorganised = false;
        while let Some(last) = self.seen.back().copied() {
            if self.chain.block(last.number).await? == Some(last) {
                return Ok((last.number, reorganised));
            }
            reorganised = true;
            self.seen.pop_back();
            if self.seen.is_empty() {
                return Ok((last.number.saturating_sub(1), true));
            }
        }
        Ok((0, reorganised))
    }

    /// Marks the logs as removed whose blocks are no longer in the chain.
    async fn take_back(&mut self, base: u64, changes: &mut Vec<Change>) -> Result<(), ChainError> {
        let mut blocks: HashMap<u64, Option<B256>> = HashMap::new();
        for record in self.feed.standing(base.saturating_add(1)) {
            let number = record.block_number;
            let hash = match blocks.get(&number) {
                Some(known) => *known,
                None => {
                    let found = self.chain.block(number).await?.map(|block| block.hash);
                    blocks.insert(number, found);
                    found
                }
            };
            if hash != Some(record.block_hash) {
                self.feed.push(Arc::clone(&record), true);
                changes.push(Change { record });
            }
        }
        Ok(())
    }

    /// Takes in the logs of the blocks after `base`, but for those that stand already.
    async fn take_in(&mut self, base: u64, head: u64, changes: &mut Vec<Change>) -> Result<(), ChainError> {
        let mut first = base.saturating_add(1);
        if head.saturating_sub(base) > MAX_CATCH_UP {
            self.feed.restart();
            first = head - MAX_CATCH_UP + 1;
        }
        let standing = self.feed.standing(first);
        let mut from = Some(LogPosition::at(first)).filter(|from| from.block <= head);
        let mut taken = 0;
        while let Some(position) = from {
            let query = LogQuery {
                address: self.contract,
                topics: Default::default(),
                from: position,
                to_block: head,
                limit: PAGE,
            };
            let page = self.chain.logs(query).await?;
            taken += page.logs.len();
            for record in page.logs.into_iter().map(Arc::new) {
                if !standing.contains(&record) {
                    self.feed.push(Arc::clone(&record), false);
                    changes.push(Change { record });
                }
            }
            from = page.next;
            if taken >= MAX_LOOK && from.is_some() {
                self.feed.restart();
                taken = 0;
            }
        }
        Ok(())
    }
}
