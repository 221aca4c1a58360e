//! Waiting for the block that holds a transaction.

use std::time::Duration;

use alloy_primitives::B256;
use futures_util::future::BoxFuture;
use tokio::time::{Instant, sleep};

use super::{Chain, ChainError, Receipt};

/// The first pause between two looks for a receipt; each is half as long again as the one before it.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// The longest pause between two looks: short against the block time of most chains.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// What is told before each pause how long the wait is already.
type Look<'a> = dyn Fn(Duration) -> BoxFuture<'a, ()> + Send + Sync + 'a;

/// Waits until the transaction is in a block. Failures to look are waited out too: the transaction is
/// on its way, and only its hash matters now.
///
/// # Errors
/// [`ChainError::Timeout`] when no block held it after `limit`.
pub async fn for_receipt<C: Chain + ?Sized>(
    chain: &C,
    transaction_hash: B256,
    limit: Duration,
    look: &Look<'_>,
) -> Result<Receipt, ChainError> {
    let started = Instant::now();
    let mut pause = FIRST_PAUSE;
    loop {
        match chain.receipt(transaction_hash).await {
            Ok(Some(receipt)) => return Ok(receipt),
            Ok(None) => {}
            Err(error) => tracing::debug!(%error, "no look at a receipt"),
        }
        let waited = started.elapsed();
        if waited >= limit {
            tracing::warn!(hash = %transaction_hash, "a sent transaction is in no block yet");
            return Err(ChainError::Timeout {
                transaction_hash,
                seconds: limit.as_secs(),
            });
        }
        look(waited).await;
        sleep(pause.min(limit.saturating_sub(waited))).await;
        pause = (pause * 3 / 2).min(LONGEST_PAUSE);
    }
}
