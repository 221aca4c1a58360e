//! A transaction before it is sent: checked against the policy, with gas and fees, then signed.

use alloy_consensus::{SignableTransaction, TxEip1559, TxEnvelope, TxLegacy};
use alloy_eips::Encodable2718;
use alloy_primitives::{B256, Bytes, U256};

use super::{fee::Fees, node::Node, request::Request};
use crate::chain::{ChainError, SendRefusal, Signer, WritePolicy, gas};

/// A transaction without its nonce.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) request: Request,
    gas_limit: u64,
    fees: Fees,
}

/// A signed transaction.
#[derive(Clone, Debug)]
pub(super) struct Signed {
    pub(super) hash: B256,
    pub(super) bytes: Bytes,
}

impl Draft {
    /// Checks sender and value, asks the node for gas and fees, and checks those too.
    pub(super) async fn prepare(
        node: &Node,
        request: Request,
        signer: &Signer,
        policy: &WritePolicy,
    ) -> Result<Self, ChainError> {
        check_sender(&request, signer)?;
        policy.check_value(request.value)?;
        let head = node.head().await?;
        let gas_limit = match request.gas_limit {
            Some(limit) => limit,
            None => gas::limit(node.estimate(&request).await?, head.gas_limit.to()),
        };
        policy.check_gas(gas_limit)?;
        let fees = Fees::of(node, &head).await?;
        policy.check_fee(U256::from(gas_limit).saturating_mul(U256::from(fees.highest)))?;
        Ok(Self {
            request: Request {
                gas_limit: Some(gas_limit),
                ..request
            },
            gas_limit,
            fees,
        })
    }

    /// The signed transaction with this nonce.
    pub(super) fn sign(&self, nonce: u64, chain_id: u64, signer: &Signer) -> Result<Signed, ChainError> {
        let envelope = match self.fees.tip {
            Some(tip) => signed(self.dynamic(nonce, chain_id, tip), signer)?,
            None => signed(self.legacy(nonce, chain_id), signer)?,
        };
        Ok(Signed {
            hash: *envelope.tx_hash(),
            bytes: envelope.encoded_2718().into(),
        })
    }

    fn dynamic(&self, nonce: u64, chain_id: u64, tip: u128) -> TxEip1559 {
        TxEip1559 {
            chain_id,
            nonce,
            gas_limit: self.gas_limit,
            max_fee_per_gas: self.fees.highest,
            max_priority_fee_per_gas: tip,
            to: self.request.kind,
            value: self.request.value,
            access_list: Default::default(),
            input: self.request.data.clone(),
        }
    }

    fn legacy(&self, nonce: u64, chain_id: u64) -> TxLegacy {
        TxLegacy {
            chain_id: Some(chain_id),
            nonce,
            gas_price: self.fees.highest,
            gas_limit: self.gas_limit,
            to: self.request.kind,
            value: self.request.value,
            input: self.request.data.clone(),
        }
    }
}

fn signed<T>(mut transaction: T, signer: &Signer) -> Result<TxEnvelope, ChainError>
where
    T: SignableTransaction<alloy_primitives::Signature>,
    TxEnvelope: From<alloy_consensus::Signed<T>>,
{
    let signature = signer.sign(&mut transaction)?;
    Ok(transaction.into_signed(signature).into())
}

fn check_sender(request: &Request, signer: &Signer) -> Result<(), SendRefusal> {
    match request.from {
        Some(from) if from != signer.address() => Err(SendRefusal::ForeignSender {
            from,
            available: signer.address().to_string(),
        }),
        _ => Ok(()),
    }
}
