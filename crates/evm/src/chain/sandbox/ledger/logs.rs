//! Receipts and logs of the kept blocks.

use std::sync::Arc;

use alloy_primitives::B256;

use super::Ledger;
use crate::chain::{LogPage, LogQuery, LogRecord, Receipt};

impl Ledger {
    /// The receipt of a transaction in a kept block.
    pub(in crate::chain::sandbox) fn receipt(&self, transaction_hash: B256) -> Option<&Receipt> {
        self.receipts
            .iter()
            .rev()
            .find(|receipt| receipt.transaction_hash == transaction_hash)
            .map(Arc::as_ref)
    }

    /// Logs of kept blocks.
    pub(in crate::chain::sandbox) fn logs(&self, query: &LogQuery) -> LogPage {
        let matching = self
            .receipts
            .iter()
            .filter(|receipt| receipt.block_number <= query.to_block)
            .flat_map(|receipt| self.records(receipt))
            .filter(|record| query.from.is_before(record.block_number, record.log_index))
            .filter(|record| query.wants(&record.log))
            // One more than fits tells that there are more.
            .take(query.limit.saturating_add(1))
            .collect();
        let mut page = LogPage::cut(matching, query.limit);
        page.kept_from = Some(self.oldest()).filter(|oldest| query.from.block < *oldest);
        page
    }

    /// The logs of a receipt with their places; a block has one transaction.
    fn records<'a>(&'a self, receipt: &'a Receipt) -> impl Iterator<Item = LogRecord> + 'a {
        let block_hash = self
            .find(receipt.block_number)
            .map_or(B256::ZERO, |header| header.hash);
        receipt
            .logs
            .iter()
            .zip(0..)
            .map(move |(log, log_index)| LogRecord {
                log: log.clone(),
                block_number: receipt.block_number,
                block_hash,
                transaction_hash: receipt.transaction_hash,
                log_index,
            })
    }
}
