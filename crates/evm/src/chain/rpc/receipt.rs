//! What became of a transaction, by its hash alone: so it can be told after a restart as well.

use alloy_primitives::{B256, Log, TxKind, U64, U256};
use serde_json::json;

use super::{answer, node::Node, request::Request};
use crate::chain::{BlockRef, ChainError, Execution, Receipt};

/// The receipt of a transaction; `None` while no block holds it.
pub(super) async fn find(node: &Node, transaction_hash: B256) -> Result<Option<Receipt>, ChainError> {
    let found: Option<answer::Receipt> = node
        .read("eth_getTransactionReceipt", json!([transaction_hash]))
        .await?;
    match found {
        None => Ok(None),
        Some(found) => Ok(Some(told(node, transaction_hash, found).await)),
    }
}

async fn told(node: &Node, transaction_hash: B256, found: answer::Receipt) -> Receipt {
    let success = found.status == Some(U64::ONE);
    let block_number = found.block_number.to();
    let output = if success {
        None
    } else {
        explanation(node, transaction_hash, block_number).await
    };
    Receipt {
        transaction_hash,
        success,
        block_number,
        gas_used: found.gas_used.to(),
        effective_gas_price: found.effective_gas_price.map_or(U256::ZERO, U256::from),
        logs: found.logs.into_iter().map(Log::from).collect(),
        contract_address: found.contract_address,
        output,
    }
}

/// How a failed transaction ends on the state before its block. A success there explains nothing.
async fn explanation(node: &Node, transaction_hash: B256, block_number: u64) -> Option<Execution> {
    let sent: Option<answer::Transaction> = node
        .ask("eth_getTransactionByHash", &json!([transaction_hash]))
        .await
        .ok()?;
    let sent = sent?;
    let request = Request {
        from: Some(sent.from),
        kind: sent.to.map_or(TxKind::Create, TxKind::Call),
        data: sent.input,
        value: sent.value,
        gas_limit: Some(sent.gas.to()),
        lent: None,
    };
    let execution = node
        .execute(&request, BlockRef::Number(block_number.checked_sub(1)?))
        .await
        .ok()?;
    (!execution.is_success()).then_some(execution)
}
