//! What a call answers when it did not succeed.
//!
//! All of these are tool errors, on purpose: the agent is the one who can do something about them. The
//! structured form is `{"error": {"kind", "message", ...}}` with the facts that are known beside it.

use alloy_primitives::Address;
use toolmesh_json::{ObjectBuilder, Value, View};
use toolmesh_tool::ToolResult;

use crate::chain::{BlockRef, ChainError};
use crate::revert::Revert;
use crate::value::DecodeError;

/// Why a call did not succeed.
pub(crate) enum Fault {
    /// The interface is not bound to a contract.
    Unbound,
    /// The contract said no. The facts are those of the call: block, gas, hash.
    Reverted {
        revert: Box<Revert>,
        facts: ObjectBuilder,
    },
    /// Nothing stands at the address.
    NoContract {
        address: Address,
        chain_id: u64,
        block: BlockRef,
    },
    /// There is a contract, but it returned nothing where a value was expected.
    NoData,
    /// A name stands for no address; the text says it.
    Name(String),
    /// It returned something else than the interface says.
    BadData(DecodeError),
    /// The chain did not answer, or refused.
    Chain(ChainError),
}

impl From<ChainError> for Fault {
    fn from(error: ChainError) -> Self {
        Self::Chain(error)
    }
}

impl Fault {
    pub(crate) fn reverted(revert: Revert, facts: ObjectBuilder) -> Self {
        Self::Reverted {
            revert: Box::new(revert),
            facts,
        }
    }

    /// The same with what to know beside the contract's own reason.
    pub(crate) fn noting(self, note: &str) -> Self {
        match self {
            Self::Reverted { revert, facts } => Self::Reverted {
                revert,
                facts: facts.put("note", note),
            },
            other => other,
        }
    }

    pub(crate) fn into_result(self) -> ToolResult {
        match self {
            Self::Reverted { revert, facts } => {
                let facts = facts.put("error", revert.to_value()).build();
                let note = facts.view().get("note").and_then(View::as_str);
                let note = note.map(|note| format!("\n{note}")).unwrap_or_default();
                let text = match facts.view().get("tx_hash").and_then(View::as_str) {
                    None => format!("The call reverted: {}{note}", revert.message),
                    Some(hash) => format!(
                        "The transaction {hash} was sent and failed, and its gas was paid: {}",
                        revert.message
                    ),
                };
                ToolResult::error_text(text).with_structured(facts)
            }
            Self::Unbound => simple(
                "no_contract",
                "This interface is not bound to a contract: give the build artifact with its bytecode, or the address of a deployed contract and the URL of an RPC node.",
            ),
            Self::NoContract {
                address,
                chain_id,
                block,
            } => simple("no_contract", &no_contract(address, chain_id, block)),
            Self::NoData => simple(
                "no_data",
                "The contract returned nothing where a value was expected: it has no such function, or the interface is of another contract.",
            ),
            Self::BadData(error) => simple(
                "bad_data",
                &format!(
                    "The contract returned something else than the interface says ({error}): the interface may be of another contract."
                ),
            ),
            Self::Name(message) => simple("name", &message),
            Self::Chain(error) => chain_error(&error),
        }
    }
}

fn no_contract(address: Address, chain_id: u64, block: BlockRef) -> String {
    let at = match block {
        BlockRef::Latest => String::new(),
        BlockRef::Number(number) => format!(" at block {number}"),
    };
    format!(
        "There is no contract at {address} on chain {chain_id}{at}: check the address, and that the RPC node is of the right chain."
    )
}

fn chain_error(error: &ChainError) -> ToolResult {
    match error {
        ChainError::Unreachable { .. } => {
            tracing::warn!(%error, "a call could not be made");
            simple(
                "unreachable",
                "The chain cannot be reached at present: try again later.",
            )
        }
        ChainError::WrongChain { .. } | ChainError::SeveralChains { .. } => {
            simple("wrong_chain", &error.to_string())
        }
        ChainError::WouldFail(_) => simple("would_fail", &error.to_string()),
        ChainError::Refused(_) => simple("refused", &error.to_string()),
        ChainError::Timeout { transaction_hash, .. } => {
            let message = error.to_string();
            let structured = Value::object()
                .put("tx_hash", transaction_hash.to_string())
                .put("error", error_object("timeout", &message));
            ToolResult::error_text(message).with_structured(structured.build())
        }
        ChainError::AnswerTooLarge { .. } => simple(
            "too_large",
            "The node's answer is too large to be read: ask for less at once.",
        ),
        ChainError::Rpc { .. } => simple("rpc", &error.to_string()),
        ChainError::InvalidUrl { .. } | ChainError::Internal(_) => simple("chain", &error.to_string()),
    }
}

fn simple(kind: &str, message: &str) -> ToolResult {
    let structured = Value::object().put("error", error_object(kind, message)).build();
    ToolResult::error_text(message).with_structured(structured)
}

fn error_object(kind: &str, message: &str) -> Value {
    Value::object().put("kind", kind).put("message", message).build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::SendRefusal;
    use alloy_primitives::B256;

    fn told(error: ChainError) -> (String, String) {
        let result = Fault::Chain(error).into_result();
        assert!(result.is_error);
        (result.joined_text(), result.structured.unwrap().to_text())
    }

    #[test]
    fn a_refusal_says_what_is_missing() {
        let refusal = SendRefusal::NotConfigured {
            missing: "`chain_id`".to_owned(),
        };
        let (text, structured) = told(refusal.into());
        assert!(text.contains("missing: `chain_id`"), "{text}");
        assert!(
            structured.starts_with(r#"{"error":{"kind":"refused","message":"not sent: "#),
            "{structured}"
        );
    }

    #[test]
    fn a_node_that_cannot_be_reached_is_told_without_its_address() {
        let url = "http://10.0.0.7:8545".to_owned();
        let (text, structured) = told(ChainError::Unreachable {
            url,
            reason: "refused".to_owned(),
        });
        assert!(!text.contains("10.0.0.7") && !structured.contains("10.0.0.7"));
        assert!(structured.contains(r#""kind":"unreachable""#));
    }

    #[test]
    fn a_transaction_that_is_not_mined_in_time_is_told_by_its_hash() {
        let transaction_hash = B256::repeat_byte(7);
        let (text, structured) = told(ChainError::Timeout {
            transaction_hash,
            seconds: 60,
        });
        assert!(text.contains(&transaction_hash.to_string()));
        assert!(structured.starts_with(&format!(r#"{{"tx_hash":"{transaction_hash}""#)));
    }
}
