//! A message or a creation, as a node takes it.

use alloy_primitives::{Address, Bytes, TxKind, U256};
use alloy_rpc_types_eth::TransactionRequest;

#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) from: Option<Address>,
    pub(super) kind: TxKind,
    pub(super) data: Bytes,
    pub(super) value: U256,
    pub(super) gas_limit: Option<u64>,
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
}
