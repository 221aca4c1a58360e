//! Transactions of the sandbox: each is executed, paid for, and put into a block of its own.

use alloy_consensus::{SignableTransaction, TxEip1559};
use alloy_primitives::{Address, B256, Bytes, TxKind, U256, keccak256};
use revm::state::EvmState;

use super::{
    account,
    block::Header,
    execute::{self, Purpose, Request},
    ledger::{BLOCK_GAS_LIMIT, CHAIN_ID, Ledger},
};
use crate::chain::{ChainError, Message, Receipt, SendRefusal, Simulation, gas};

/// A transaction that was executed and waits to be added to the ledger.
#[derive(Debug)]
pub(super) struct Mined {
    pub(super) receipt: Receipt,
    pub(super) block: Header,
    pub(super) changes: EvmState,
}

pub(super) fn send(ledger: &Ledger, message: &Message) -> Result<Mined, ChainError> {
    let request = Request::of(message);
    check_sender(request.from)?;
    let gas_limit = match message.gas_limit {
        Some(limit) => limit,
        None => rehearsed_limit(ledger, &request)?,
    };
    mine(ledger, Request { gas_limit, ..request })
}

fn creation(code: Bytes, value: U256) -> Request {
    Request {
        from: account::DEFAULT_SENDER,
        kind: TxKind::Create,
        data: code,
        value,
        gas_limit: BLOCK_GAS_LIMIT,
        nonce: 0,
    }
}

pub(super) fn simulate_deploy(ledger: &Ledger, code: Bytes, value: U256) -> Result<Simulation, ChainError> {
    execute::dry_run(ledger, &creation(code, value))
}

pub(super) fn deploy(ledger: &Ledger, code: Bytes, value: U256) -> Result<Mined, ChainError> {
    let request = creation(code, value);
    let gas_limit = rehearsed_limit(ledger, &request)?;
    mine(ledger, Request { gas_limit, ..request })
}

/// The gas limit of a transaction that succeeds in a rehearsal; one that fails is not sent.
fn rehearsed_limit(ledger: &Ledger, request: &Request) -> Result<u64, ChainError> {
    let rehearsal = execute::dry_run(ledger, request)?;
    if !rehearsal.execution.is_success() {
        return Err(ChainError::WouldFail(rehearsal.execution));
    }
    Ok(gas::limit(rehearsal.gas, BLOCK_GAS_LIMIT))
}

fn mine(ledger: &Ledger, request: Request) -> Result<Mined, ChainError> {
    let (parent, pending) = (ledger.head(), ledger.pending());
    let request = Request {
        nonce: ledger.nonce(request.from),
        ..request
    };
    let outcome = execute::run(ledger, &pending, parent.number, &request, Purpose::Transact)?;
    let transaction_hash = hash(&request, &pending);
    let gas_used = outcome.result.tx_gas_used();
    let block = pending.sealed(parent.hash, transaction_hash, gas_used);
    let receipt = Receipt {
        transaction_hash,
        success: outcome.result.is_success(),
        block_number: pending.number,
        gas_used,
        effective_gas_price: U256::from(execute::gas_price(&pending)),
        logs: execute::kept_logs(&outcome.result),
        contract_address: request
            .kind
            .is_create()
            .then(|| request.from.create(request.nonce)),
        output: Some(execute::execution(outcome.result)),
    };
    Ok(Mined {
        receipt,
        block,
        changes: outcome.state,
    })
}

fn check_sender(from: Address) -> Result<(), ChainError> {
    if account::DEVELOPMENT.contains(&from) {
        return Ok(());
    }
    let accounts: Vec<String> = account::DEVELOPMENT.iter().map(Address::to_string).collect();
    let available = format!("the sandbox's development accounts ({})", accounts.join(", "));
    Err(SendRefusal::ForeignSender { from, available }.into())
}

/// The hash of the transaction's signing form with its sender in front. Nothing is signed here, so it
/// is not the hash that a node would give, but it is as unique: it holds sender and nonce.
fn hash(request: &Request, block: &Header) -> B256 {
    let transaction = TxEip1559 {
        chain_id: CHAIN_ID,
        nonce: request.nonce,
        gas_limit: request.gas_limit,
        max_fee_per_gas: execute::max_fee(block),
        max_priority_fee_per_gas: u128::from(execute::TIP),
        to: request.kind,
        value: request.value,
        access_list: Default::default(),
        input: request.data.clone(),
    };
    let mut text = request.from.to_vec();
    text.extend(transaction.encoded_for_signing());
    keccak256(text)
}
