//! The explorers.

use std::fmt;

/// Who keeps interfaces of contracts, in the order in which they are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explorer {
    /// Etherscan, version 2: one key for all its chains.
    Etherscan,
    /// Sourcify, version 2.
    Sourcify,
    /// The chain's own Blockscout.
    Blockscout,
}

impl Explorer {
    /// All of them, in the order in which they are asked.
    pub const ALL: [Self; 3] = [Self::Etherscan, Self::Sourcify, Self::Blockscout];

    /// Its name in files.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Etherscan => "etherscan",
            Self::Sourcify => "sourcify",
            Self::Blockscout => "blockscout",
        }
    }
}

impl fmt::Display for Explorer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Etherscan => "Etherscan",
            Self::Sourcify => "Sourcify",
            Self::Blockscout => "Blockscout",
        })
    }
}
