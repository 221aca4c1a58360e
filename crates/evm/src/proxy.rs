//! Contracts that hand every call on to others.
//!
//! A proxy's own interface says little: what can be called stands in the interface of the contract behind it. Which that
//! is, the chain tells: by storage slots that standards name, by the code itself, or by a function.

mod kind;
mod merge;
mod resolve;

use alloy_primitives::{Address, Selector};

pub use kind::ProxyKind;
pub(crate) use merge::{Part, merge};
pub use resolve::resolve;

/// The most contracts behind one proxy: diamonds have up to a few dozens.
pub const MAX_IMPLEMENTATIONS: usize = 64;

/// A proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proxy {
    /// How it is known to be one.
    pub kind: ProxyKind,
    /// The contracts that do the work; never none.
    pub implementations: Vec<Implementation>,
}

/// A contract behind a proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Implementation {
    /// Where it stands.
    pub address: Address,
    /// The functions that the proxy hands on to it; `None` for all.
    pub selectors: Option<Vec<Selector>>,
}

impl Implementation {
    /// A contract that gets every call.
    #[must_use]
    pub fn whole(address: Address) -> Self {
        Self {
            address,
            selectors: None,
        }
    }
}

impl Proxy {
    fn of(kind: ProxyKind, address: Address) -> Self {
        Self {
            kind,
            implementations: vec![Implementation::whole(address)],
        }
    }

    /// What an explorer says about the proxy at `address`.
    pub(crate) fn told(implementations: &[Address], address: Address) -> Option<Self> {
        let others = implementations.iter().filter(|other| **other != address);
        let implementations: Vec<Implementation> = others
            .take(MAX_IMPLEMENTATIONS)
            .map(|other| Implementation::whole(*other))
            .collect();
        (!implementations.is_empty()).then_some(Self {
            kind: ProxyKind::Told,
            implementations,
        })
    }
}
