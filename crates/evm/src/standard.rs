//! Which standards an interface follows.
//!
//! A standard is known by its functions, all of them, by their signatures: names alone say nothing, and interfaces that
//! were written by hand often leave events out. Where two standards share functions (ERC-20 and ERC-721 have the same
//! `Transfer`), what an event indexes decides.

use std::collections::HashSet;

use crate::model::Interface;

/// A standard for contracts.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Standard {
    /// `ERC-20`
    pub name: &'static str,
    /// What it is about, in a few words.
    pub about: &'static str,
    /// The signatures of the functions that everything which follows it has.
    pub functions: &'static [&'static str],
}

/// The signature of the event that tells tokens which are counted from those that have numbers.
const TRANSFER: &str = "Transfer(address,address,uint256)";

const ERC20: Standard = Standard {
    name: "ERC-20",
    about: "a token",
    functions: &[
        "totalSupply()",
        "balanceOf(address)",
        "transfer(address,uint256)",
        "transferFrom(address,address,uint256)",
        "approve(address,uint256)",
        "allowance(address,address)",
    ],
};

const ERC721: Standard = Standard {
    name: "ERC-721",
    about: "tokens that are told apart",
    functions: &[
        "balanceOf(address)",
        "ownerOf(uint256)",
        "safeTransferFrom(address,address,uint256)",
        "safeTransferFrom(address,address,uint256,bytes)",
        "transferFrom(address,address,uint256)",
        "approve(address,uint256)",
        "setApprovalForAll(address,bool)",
        "getApproved(uint256)",
        "isApprovedForAll(address,address)",
    ],
};

/// All that are known, those that say more about a contract before those that say less.
static STANDARDS: [Standard; 17] = [
    Standard {
        name: "ERC-4626",
        about: "a vault whose shares are tokens",
        functions: &[
            "asset()",
            "totalAssets()",
            "convertToShares(uint256)",
            "convertToAssets(uint256)",
            "maxDeposit(address)",
            "previewDeposit(uint256)",
            "deposit(uint256,address)",
            "maxMint(address)",
            "previewMint(uint256)",
            "mint(uint256,address)",
            "maxWithdraw(address)",
            "previewWithdraw(uint256)",
            "withdraw(uint256,address,address)",
            "maxRedeem(address)",
            "previewRedeem(uint256)",
            "redeem(uint256,address,address)",
        ],
    },
    Standard {
        name: "ERC-1155",
        about: "tokens of several kinds",
        functions: &[
            "safeTransferFrom(address,address,uint256,uint256,bytes)",
            "safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)",
            "balanceOf(address,uint256)",
            "balanceOfBatch(address[],uint256[])",
            "setApprovalForAll(address,bool)",
            "isApprovedForAll(address,address)",
        ],
    },
    ERC721,
    Standard {
        name: "ERC-721 Metadata",
        about: "names and pages of such tokens",
        functions: &["name()", "symbol()", "tokenURI(uint256)"],
    },
    Standard {
        name: "ERC-721 Enumerable",
        about: "lists of such tokens",
        functions: &[
            "totalSupply()",
            "tokenByIndex(uint256)",
            "tokenOfOwnerByIndex(address,uint256)",
        ],
    },
    Standard {
        name: "ERC-777",
        about: "a token with operators",
        functions: &[
            "granularity()",
            "send(address,uint256,bytes)",
            "burn(uint256,bytes)",
            "authorizeOperator(address)",
            "revokeOperator(address)",
            "operatorSend(address,address,uint256,bytes,bytes)",
        ],
    },
    ERC20,
    Standard {
        name: "ERC-2612",
        about: "approvals by signature",
        functions: &[
            "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)",
            "nonces(address)",
            "DOMAIN_SEPARATOR()",
        ],
    },
    Standard {
        name: "ERC-2981",
        about: "royalties",
        functions: &["royaltyInfo(uint256,uint256)"],
    },
    Standard {
        name: "ERC-3156",
        about: "flash loans",
        functions: &[
            "maxFlashLoan(address)",
            "flashFee(address,uint256)",
            "flashLoan(address,address,uint256,bytes)",
        ],
    },
    Standard {
        name: "ERC-5805",
        about: "votes",
        functions: &[
            "getVotes(address)",
            "getPastVotes(address,uint256)",
            "delegates(address)",
            "delegate(address)",
        ],
    },
    Standard {
        name: "ERC-1271",
        about: "signatures of a contract",
        functions: &["isValidSignature(bytes32,bytes)"],
    },
    Standard {
        name: "ERC-5267",
        about: "the domain of its signatures",
        functions: &["eip712Domain()"],
    },
    Standard {
        name: "ERC-2535",
        about: "a diamond",
        functions: &[
            "facets()",
            "facetFunctionSelectors(address)",
            "facetAddresses()",
            "facetAddress(bytes4)",
        ],
    },
    Standard {
        name: "ERC-1822",
        about: "can be the implementation of a proxy",
        functions: &["proxiableUUID()"],
    },
    Standard {
        name: "ERC-173",
        about: "has an owner",
        functions: &["owner()", "transferOwnership(address)"],
    },
    Standard {
        name: "ERC-165",
        about: "tells which interfaces it has",
        functions: &["supportsInterface(bytes4)"],
    },
];

/// The standards that the interface follows, those that say more about it first.
///
/// ```
/// let interface = toolmesh_evm::read(b"function supportsInterface(bytes4) view returns (bool)")?;
/// let names: Vec<&str> = toolmesh_evm::standards(&interface).iter().map(|standard| standard.name).collect();
/// assert_eq!(names, ["ERC-165"]);
/// # Ok::<(), toolmesh_evm::EvmError>(())
/// ```
#[must_use]
pub fn standards(interface: &Interface) -> Vec<&'static Standard> {
    let signatures: HashSet<&str> = interface
        .functions()
        .map(|function| function.signature())
        .collect();
    let has_all = |standard: &Standard| {
        standard
            .functions
            .iter()
            .all(|function| signatures.contains(function))
    };
    STANDARDS
        .iter()
        .filter(|standard| has_all(standard) && !is_contradicted(standard, interface))
        .collect()
}

/// Whether the interface has a `Transfer` that indexes something else than the standard says, and none that does.
fn is_contradicted(standard: &Standard, interface: &Interface) -> bool {
    let expected = match standard.name {
        "ERC-20" => 2,
        "ERC-721" => 3,
        _ => return false,
    };
    let indexed: Vec<usize> = interface
        .events()
        .filter(|event| event.signature() == TRANSFER)
        .map(|event| event.inputs.iter().filter(|input| input.indexed).count())
        .collect();
    // Tokens from before the standard was final index less than two.
    let contradicts = |count: &usize| if expected == 2 { *count > 2 } else { *count < 3 };
    indexed.iter().any(contradicts) && !indexed.contains(&expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<&'static str> {
        let interface = crate::read(text.as_bytes()).unwrap();
        standards(&interface)
            .iter()
            .map(|standard| standard.name)
            .collect()
    }

    fn declared(standard: &Standard) -> String {
        standard
            .functions
            .iter()
            .map(|function| format!("function {function}\n"))
            .collect()
    }

    #[test]
    fn a_standard_needs_all_of_its_functions() {
        let all = declared(&ERC20);
        assert_eq!(names(&all), ["ERC-20"]);
        for function in ERC20.functions {
            assert_eq!(
                names(&all.replace(&format!("function {function}\n"), "function other()\n")),
                [""; 0],
                "{function}"
            );
        }
    }

    #[test]
    fn what_transfer_indexes_tells_tokens_apart() {
        let counted = "event Transfer(address indexed from, address indexed to, uint256 value)\n";
        let numbered = "event Transfer(address indexed from, address indexed to, uint256 indexed id)\n";
        assert_eq!(names(&format!("{}{counted}", declared(&ERC20))), ["ERC-20"]);
        assert_eq!(names(&format!("{}{numbered}", declared(&ERC20))), [""; 0]);
        assert_eq!(names(&format!("{}{numbered}", declared(&ERC721))), ["ERC-721"]);
        assert_eq!(names(&format!("{}{counted}", declared(&ERC721))), [""; 0]);
        assert_eq!(
            names(&format!("{}{counted}{numbered}", declared(&ERC20))),
            ["ERC-20"]
        );
    }

    #[test]
    fn a_vault_is_a_vault_before_it_is_a_token() {
        let vault = format!("{}{}", declared(&ERC20), declared(&STANDARDS[0]));
        assert_eq!(names(&vault), ["ERC-4626", "ERC-20"]);
    }

    /// ERC-165 names an interface by its selectors, all of them together: this checks the lists to the letter.
    #[test]
    fn the_functions_are_those_of_the_standards() {
        for (name, identifier) in [
            ("ERC-20", 0x3637_2b07_u32),
            ("ERC-721", 0x80ac_58cd),
            ("ERC-721 Metadata", 0x5b5e_139f),
            ("ERC-721 Enumerable", 0x780e_9d63),
            ("ERC-1155", 0xd9b6_7a26),
            ("ERC-2981", 0x2a55_205a),
            ("ERC-165", 0x01ff_c9a7),
            ("ERC-1271", 0x1626_ba7e),
            ("ERC-173", 0x7f58_28d0),
        ] {
            let standard = STANDARDS.iter().find(|standard| standard.name == name).unwrap();
            let interface = crate::read(declared(standard).as_bytes()).unwrap();
            let together = interface
                .functions()
                .fold(0, |sum, function| sum ^ u32::from_be_bytes(function.selector().0));
            assert_eq!(together, identifier, "{name}: {together:08x}");
        }
    }
}
