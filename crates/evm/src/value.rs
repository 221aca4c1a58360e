//! Values: from JSON to the ABI's encoding, and back.
//!
//! | Solidity | in JSON | accepted as well |
//! |---|---|---|
//! | `bool` | a boolean | |
//! | `uintN`, `intN` up to 32 bits | an integer | a string of decimal digits, or of `0x` and hexadecimal digits |
//! | `uintN`, `intN` over 32 bits | a string of decimal digits | an integer, exactly; `0x` and hexadecimal digits |
//! | `address` | `0x` and 40 digits with the EIP-55 checksum | all lower case, all upper case |
//! | `bytes`, `bytesN` | `0x` and two hexadecimal digits a byte | |
//! | `function` | `0x` and 48 digits: address, selector | `{"address", "selector"}` |
//! | `string` | a string | |
//! | arrays | an array | |
//! | structs | an object | an array in the order of the members |
//!
//! An integer is never rounded: `1.5`, `1e18`, the empty string and blanks are refused.

mod decode;
mod encode;
mod from_json;
mod integer;
mod keys;
mod to_json;
mod topic;

use alloy_primitives::{Address, I256, U256};
use thiserror::Error;
use toolmesh_json::Pointer;

pub use decode::{DecodeError, MAX_DECODED_VALUES, decode};
pub use encode::encode;
pub(crate) use from_json::NOT_AN_ADDRESS;
pub use from_json::{arguments_from_json, from_json};
pub(crate) use integer::{bounds, parse_unsigned};
pub(crate) use keys::Keys;
pub(crate) use to_json::members_to_json;
pub use to_json::{InvalidUtf8, to_json};
pub(crate) use topic::topic;

/// A value of a Solidity type. Which type it is of stands in the [`SolidityType`](crate::SolidityType)
/// that it was made with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SolidityValue {
    /// `bool`
    Bool(bool),
    /// `address`
    Address(Address),
    /// `uintN`
    Uint(U256),
    /// `intN`
    Int(I256),
    /// `bytes`, `bytesN` and `function`
    Bytes(Vec<u8>),
    /// `string`: what a contract returns may be no valid UTF-8
    Text(Vec<u8>),
    /// The items of an array or the members of a struct, in order
    Sequence(Vec<SolidityValue>),
}

/// A JSON value does not fit its Solidity type. It tells where, which rule, and what would fit; never the value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}: {rule}; expected {expected}", place(.pointer))]
pub struct ValueError {
    /// Where the value stands.
    pub pointer: Pointer,
    /// Which rule it breaks, as a sentence fragment.
    pub rule: String,
    /// What would fit.
    pub expected: String,
}

fn place(pointer: &Pointer) -> String {
    if pointer.is_root() {
        "the arguments".to_owned()
    } else {
        format!("at `{pointer}`")
    }
}

impl ValueError {
    pub(crate) fn new(pointer: &Pointer, rule: impl Into<String>, expected: impl Into<String>) -> Self {
        Self {
            pointer: pointer.clone(),
            rule: rule.into(),
            expected: expected.into(),
        }
    }
}
