//! How a contract is known to be a proxy.

use std::fmt;

/// How a contract is known to be a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProxyKind {
    /// The slot of ERC-1967 names the implementation.
    Erc1967,
    /// The slot of ERC-1967 names a beacon, which names the implementation.
    Beacon,
    /// The slot of ERC-1822 (UUPS in its first form) names the implementation.
    Erc1822,
    /// The slot of OpenZeppelin's first proxies names the implementation.
    ZeppelinOs,
    /// The code is a minimal proxy: it holds the address (ERC-1167 and its variants).
    Minimal,
    /// The account delegates its code (EIP-7702).
    Delegated,
    /// A Safe, whose first slot names the implementation.
    Safe,
    /// A diamond (ERC-2535), which hands functions on to facets.
    Diamond,
    /// It answers `implementation()` and `proxyType()` (ERC-897).
    Erc897,
    /// An explorer says so.
    Told,
}

impl fmt::Display for ProxyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Erc1967 => "an ERC-1967 proxy",
            Self::Beacon => "a beacon proxy (ERC-1967)",
            Self::Erc1822 => "an ERC-1822 proxy",
            Self::ZeppelinOs => "a ZeppelinOS proxy",
            Self::Minimal => "a minimal proxy (ERC-1167)",
            Self::Delegated => "an account with delegated code (EIP-7702)",
            Self::Safe => "a Safe proxy",
            Self::Diamond => "a diamond (ERC-2535)",
            Self::Erc897 => "an ERC-897 proxy",
            Self::Told => "a proxy, as the explorer says",
        })
    }
}
