//! A message or a creation, as a node takes it.

use alloy_primitives::{Address, Bytes, TxKind, U256};
use alloy_rpc_types_eth::TransactionRequest;
use serde_json::{Value, json};

#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) from: Option<Address>,
    pub(super) kind: TxKind,
    pub(super) data: Bytes,
    pub(super) value: U256,
    pub(super) gas_limit: Option<u64>,
    /// In a simulation only: the balance that the sender is taken to have.
    pub(super) lent: Option<U256>,
}

impl Request {
    /// The request's JSON-RPC form, without fees: gas has no price in a call or an estimate.
    pub(super) fn to_rpc(&self) -> TransactionRequest {
        TransactionRequest {
            from: self.from,
            to: Some(self.kind),
            value: (!self.value.is_zero()).then_some(self.value),
            gas: self.gas_limit,
            input: self.data.clone().into(),
            ..TransactionRequest::default()
        }
    }

    /// The state override that lends the sender its balance.
    pub(super) fn funded(&self) -> Option<Value> {
        let balance = self.lent?;
        let from = self.from.unwrap_or_default();
        Some(json!({ from.to_string(): { "balance": balance } }))
    }
}
