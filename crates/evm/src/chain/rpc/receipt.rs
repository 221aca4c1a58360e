//! Waiting for the block that holds a transaction, and explaining a failed one.

use std::time::Duration;

use alloy_primitives::{Address, B256, Log, U64, U256};
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::{answer, node::Node, request::Request};
use crate::chain::{BlockRef, ChainError, Execution, Receipt};

/// The first pause between two looks for a receipt; each is half as long again as the one before it.
const FIRST_PAUSE: Duration = Duration::from_millis(50);

/// The longest pause between two looks: short against the block time of most chains.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// A transaction in a block, with the contract that it created.
#[derive(Clone, Debug)]
pub(super) struct Mined {
    pub(super) receipt: Receipt,
    pub(super) created: Option<Address>,
}

/// Waits until the transaction is in a block. Failures to look are waited out too: the transaction is
/// on its way, and only its hash matters now.
pub(super) async fn wait(
    node: &Node,
    request: &Request,
    transaction_hash: B256,
    limit: Duration,
) -> Result<Mined, ChainError> {
    let started = Instant::now();
    let mut pause = FIRST_PAUSE;
    loop {
        let found: Option<Option<answer::Receipt>> = node
            .ask("eth_getTransactionReceipt", &json!([transaction_hash]))
            .await
            .ok();
        if let Some(found) = found.flatten() {
            return Ok(mined(node, request, transaction_hash, found).await);
        }
        if started.elapsed() >= limit {
            tracing::warn!(hash = %transaction_hash, "a sent transaction is in no block yet");
            return Err(ChainError::Timeout {
                transaction_hash,
                seconds: limit.as_secs(),
            });
        }
        sleep(pause.min(limit.saturating_sub(started.elapsed()))).await;
        pause = (pause * 3 / 2).min(LONGEST_PAUSE);
    }
}

async fn mined(node: &Node, request: &Request, transaction_hash: B256, found: answer::Receipt) -> Mined {
    let success = found.status == Some(U64::ONE);
    let block_number = found.block_number.to();
    let output = if success {
        None
    } else {
        explanation(node, request, block_number).await
    };
    let receipt = Receipt {
        transaction_hash,
        success,
        block_number,
        gas_used: found.gas_used.to(),
        effective_gas_price: found.effective_gas_price.map_or(U256::ZERO, U256::from),
        logs: found.logs.into_iter().map(Log::from).collect(),
        output,
    };
    Mined {
        receipt,
        created: found.contract_address,
    }
}

/// How a failed transaction ends on the state before its block. A success there explains nothing.
async fn explanation(node: &Node, request: &Request, block_number: u64) -> Option<Execution> {
    let execution = node
        .execute(request, BlockRef::Number(block_number.checked_sub(1)?))
        .await
        .ok()?;
    (!execution.is_success()).then_some(execution)
}
