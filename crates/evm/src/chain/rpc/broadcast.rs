//! Handing a transaction to the node: the right chain, the next nonce, and never twice.

use alloy_primitives::B256;

use super::{fault::Fault, node::Node, transaction::Draft};
use crate::chain::{ChainError, Signer, WritePolicy};

/// How nodes say that they have this very transaction already.
const KNOWN: [&str; 3] = ["already known", "already imported", "known transaction"];

/// How nodes say that a nonce was used meanwhile.
const NONCE_USED: [&str; 2] = ["nonce too low", "nonce is too low"];

/// Signs and sends `draft`; its hash, once the node has it or may have it.
///
/// The caller holds the signer's turn. A transaction that the node refused because its nonce was used
/// meanwhile (by another program with the same key) is signed once more with the nonce read again: the
/// node has told that it did not take the first, so nothing is sent twice.
pub(super) async fn broadcast(
    node: &Node,
    draft: &Draft,
    signer: &Signer,
    policy: &WritePolicy,
) -> Result<B256, ChainError> {
    policy.check_chain(node.chain_id().await?)?;
    match attempt(node, draft, signer, policy).await? {
        Ok(hash) => Ok(hash),
        Err(fault) if fault.says(&NONCE_USED) => attempt(node, draft, signer, policy)
            .await?
            .map_err(|fault| node.error(fault)),
        Err(fault) => Err(node.error(fault)),
    }
}

/// One signature and one broadcast. The inner error is the node's refusal.
async fn attempt(
    node: &Node,
    draft: &Draft,
    signer: &Signer,
    policy: &WritePolicy,
) -> Result<Result<B256, Fault>, ChainError> {
    let nonce = node.next_nonce(signer.address()).await?;
    let transaction = draft.sign(nonce, policy.chain_id, signer)?;
    let sent = node.broadcast(transaction.bytes).await;
    tracing::info!(hash = %transaction.hash, nonce, accepted = sent.is_ok(), "transaction broadcast");
    Ok(match sent {
        Ok(_) => Ok(transaction.hash),
        Err(fault) if fault.says(&KNOWN) => Ok(transaction.hash),
        // The node may have it: whether it has is for the receipt to tell, never for a second try.
        Err(Fault::Transport {
            perhaps_received: true,
            ..
        }) => Ok(transaction.hash),
        Err(fault) => Err(fault),
    })
}
