//! Handing a transaction to a node: the right chain, the next nonce, and never twice.

use alloy_primitives::B256;

use super::{
    endpoint::Endpoint,
    fault::Fault,
    node::Node,
    transaction::Draft,
    turn::{Numbering, Turn},
};
use crate::chain::{Announce, ChainError, Signer, WritePolicy};

/// How nodes say that they have this very transaction already.
const KNOWN: [&str; 3] = ["already known", "already imported", "known transaction"];

/// How nodes say that a nonce was used meanwhile.
const NONCE_USED: [&str; 3] = [
    "nonce too low",
    "nonce is too low",
    "replacement transaction underpriced",
];

/// Who signs, within which limits, and who is told the hash first.
pub(super) struct Sending<'a> {
    pub(super) node: &'a Node,
    pub(super) signer: &'a Signer,
    pub(super) policy: &'a WritePolicy,
    pub(super) turn: &'a Turn,
    pub(super) announce: &'a dyn Announce,
}

impl Sending<'_> {
    /// Signs and sends `draft`; its hash, once the node has it or may have it.
    ///
    /// A transaction that the node refused because its nonce was used meanwhile (by another program with the same
    /// key) is signed once more with the next nonce: the node has told that it did not take the first, so nothing is
    /// sent twice. No other failure is followed by a second try, at this node or at another.
    pub(super) async fn send(&self, draft: &Draft) -> Result<B256, ChainError> {
        let mut numbering = self.turn.lock().await;
        let (endpoint, chain_id) = self.node.sending().await?;
        self.policy.check_chain(chain_id)?;
        match self.attempt(endpoint, draft, &mut numbering).await? {
            Ok(hash) => Ok(hash),
            Err(fault) if fault.says(&NONCE_USED) => {
                let again = self.attempt(endpoint, draft, &mut numbering).await?;
                again.map_err(|fault| endpoint.error(fault))
            }
            Err(fault) => Err(endpoint.error(fault)),
        }
    }

    /// One signature and one broadcast. The inner error is the node's refusal.
    async fn attempt(
        &self,
        endpoint: &Endpoint,
        draft: &Draft,
        numbering: &mut Numbering,
    ) -> Result<Result<B256, Fault>, ChainError> {
        let told = endpoint.next_nonce(self.signer.address()).await;
        let nonce = numbering.next(told.map_err(|fault| endpoint.error(fault))?);
        let transaction = draft.sign(nonce, self.policy.chain_id, self.signer)?;
        self.announce.announce(transaction.hash).await?;
        let sent = endpoint.broadcast(&transaction.bytes).await;
        tracing::info!(hash = %transaction.hash, nonce, accepted = sent.is_ok(), "transaction broadcast");
        Ok(match sent {
            Ok(_) => {
                numbering.used(nonce);
                Ok(transaction.hash)
            }
            Err(fault) if fault.says(&KNOWN) => Ok(transaction.hash),
            // The node may have it: whether it has is for the receipt to tell, never for a second try.
            Err(fault) if fault.is_perhaps_received() => Ok(transaction.hash),
            Err(fault) => {
                if fault.says(&NONCE_USED) {
                    numbering.used(nonce);
                }
                Err(fault)
            }
        })
    }
}
