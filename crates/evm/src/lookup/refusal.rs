//! Why an explorer gave no interface, told apart by what can be done about it.

use alloy_primitives::Address;

use super::Explorer;
use crate::fetch::FetchError;

/// Why one explorer gave no interface.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Nobody gave it the source of the contract, or it does not know the contract.
    #[error("does not know its source")]
    NotVerified,
    /// The configuration says not to ask it.
    #[error("is switched off")]
    SwitchedOff,
    /// There is no key for it.
    #[error("was not asked, since there is no key (TOOLMESH_ETHERSCAN_API_KEY)")]
    NoKey,
    /// It does not take the key.
    #[error("does not take the key (TOOLMESH_ETHERSCAN_API_KEY)")]
    BadKey,
    /// It does not know the chain, or not with this key.
    #[error("does not serve this chain")]
    NoSuchChain,
    /// It was asked too often.
    #[error("was asked too often{}", after(.retry_after))]
    RateLimited {
        /// After how many seconds it may be asked again, where it says so.
        retry_after: Option<u64>,
    },
    /// It did not answer.
    #[error("{0}")]
    Unreachable(String),
    /// Its answer is none that is understood.
    #[error("gave an answer that is not understood ({0})")]
    NotUnderstood(String),
}

fn after(seconds: &Option<u64>) -> String {
    seconds.map_or_else(String::new, |seconds| format!("; ask again after {seconds} s"))
}

impl Refusal {
    /// Whether asking again, with another key or at another time, may end in another way.
    fn is_passing(&self) -> bool {
        matches!(
            self,
            Self::RateLimited { .. } | Self::Unreachable(_) | Self::NotUnderstood(_)
        )
    }

    /// That a key is missing or refused; only Etherscan is ever given one.
    pub(super) fn of_key(explorer: Explorer) -> Self {
        match explorer {
            Explorer::Etherscan => Self::BadKey,
            _ => Self::Unreachable("does not answer without a key of its own".to_owned()),
        }
    }

    pub(super) fn of_fetch(error: FetchError, explorer: Explorer) -> Self {
        match error {
            FetchError::Status {
                status: 429,
                retry_after,
                ..
            } => Self::RateLimited { retry_after },
            FetchError::Status { status: 404, .. } => Self::NotVerified,
            FetchError::Status {
                status: 400, body, ..
            } if says_no_chain(&body) => Self::NoSuchChain,
            FetchError::Status {
                status: 401 | 403, ..
            } => Self::of_key(explorer),
            FetchError::InvalidUrl(reason) => {
                Self::Unreachable(format!("has a URL that cannot be used ({reason})"))
            }
            error => Self::Unreachable(format!("failed: {error}")),
        }
    }
}

fn says_no_chain(body: &[u8]) -> bool {
    let text = String::from_utf8_lossy(body).to_lowercase();
    text.contains("unsupported_chain") || text.contains("not supported") || text.contains("chain")
}

/// No explorer gave the interface of a contract.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no interface for {address} on {network}: {}; {}", said(.refusals), remedy(.refusals))]
pub struct LookupError {
    /// The contract.
    pub address: Address,
    /// The name of its chain.
    pub network: String,
    /// What each of the explorers said, in the order in which they were asked.
    pub refusals: Vec<(Explorer, Refusal)>,
}

impl LookupError {
    /// Whether every explorer that could be asked said that it does not know the source: only then is the contract
    /// known to be not verified.
    #[must_use]
    pub fn is_not_verified(&self) -> bool {
        !self.needs_key() && !self.is_passing()
    }

    /// Whether a key was refused.
    #[must_use]
    pub fn needs_key(&self) -> bool {
        self.refusals
            .iter()
            .any(|(_, refusal)| *refusal == Refusal::BadKey)
    }

    /// Whether an explorer could not be asked at present.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        self.refusals.iter().any(|(_, refusal)| refusal.is_passing())
    }
}

fn said(refusals: &[(Explorer, Refusal)]) -> String {
    let said: Vec<String> = refusals
        .iter()
        .filter(|(_, refusal)| *refusal != Refusal::SwitchedOff)
        .map(|(explorer, refusal)| format!("{explorer} {refusal}"))
        .collect();
    if said.is_empty() {
        "every explorer is switched off".to_owned()
    } else {
        said.join(", ")
    }
}

fn remedy(refusals: &[(Explorer, Refusal)]) -> &'static str {
    let any = |wanted: fn(&Refusal) -> bool| refusals.iter().any(|(_, refusal)| wanted(refusal));
    if any(|refusal| *refusal == Refusal::BadKey) {
        "correct the key"
    } else if any(Refusal::is_passing) {
        "try again later, or give its ABI as a file with `--address`"
    } else {
        "check address and chain, or give its ABI as a file with `--address`"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(refusals: [Refusal; 3]) -> LookupError {
        let refusals = Explorer::ALL.into_iter().zip(refusals).collect();
        LookupError {
            address: Address::ZERO,
            network: "mainnet".to_owned(),
            refusals,
        }
    }

    #[test]
    fn only_a_contract_that_everyone_was_asked_for_is_not_verified() {
        let unknown = error([Refusal::NoKey, Refusal::NotVerified, Refusal::NoSuchChain]);
        assert!(unknown.is_not_verified());
        assert_eq!(
            unknown.to_string(),
            "no interface for 0x0000000000000000000000000000000000000000 on mainnet: Etherscan was not asked, since there \
             is no key (TOOLMESH_ETHERSCAN_API_KEY), Sourcify does not know its source, Blockscout does not serve this \
             chain; check address and chain, or give its ABI as a file with `--address`"
        );
        let busy = Refusal::RateLimited { retry_after: Some(7) };
        let limited = error([busy, Refusal::NotVerified, Refusal::NotVerified]);
        assert!(!limited.is_not_verified() && limited.is_passing());
        assert!(
            limited
                .to_string()
                .contains("Etherscan was asked too often; ask again after 7 s")
        );
        let refused = error([Refusal::BadKey, Refusal::NotVerified, Refusal::NotVerified]);
        assert!(refused.needs_key() && !refused.is_not_verified());
        assert!(refused.to_string().ends_with("correct the key"));
    }
}
