//! The types of values as the ABI encodes them.

use std::fmt;

use super::{Parameter, Unnamed, ensure_keys};

/// A type of the contract ABI, as a tree.
///
/// Only types that can be encoded are representable: what cannot (fixed point numbers, storage
/// pointers, bad sizes) is a [`TypeError`](super::TypeError) when it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SolidityType {
    /// `bool`
    Bool,
    /// `address`, 20 bytes
    Address,
    /// `uintN`: 8 to 256 bits, a multiple of 8
    Uint(u16),
    /// `intN`: 8 to 256 bits, a multiple of 8
    Int(u16),
    /// `bytesN`: 1 to 32 bytes
    FixedBytes(u8),
    /// `bytes`
    Bytes,
    /// `string`
    String,
    /// `function`: an address and a selector, 24 bytes
    Function,
    /// `T[]`
    Array(Box<SolidityType>),
    /// `T[k]`
    FixedArray(Box<SolidityType>, usize),
    /// A struct or another group of values
    Tuple(Vec<Parameter>),
}

impl SolidityType {
    /// A struct with these members.
    #[must_use]
    pub fn tuple(members: Vec<Parameter>) -> Self {
        Self::Tuple(ensure_keys(members, Unnamed::Field))
    }

    /// What stands before all array dimensions: `uint256` of `uint256[3][]`.
    #[must_use]
    pub fn base(&self) -> &Self {
        match self {
            Self::Array(item) | Self::FixedArray(item, _) => item.base(),
            other => other,
        }
    }

    /// Whether it is an array, of any length.
    #[must_use]
    pub fn is_array(&self) -> bool {
        matches!(self, Self::Array(_) | Self::FixedArray(..))
    }

    /// The length of an array, if that is fixed; of nested arrays the outer one.
    #[must_use]
    pub fn array_length(&self) -> Option<usize> {
        match self {
            Self::FixedArray(_, length) => Some(*length),
            _ => None,
        }
    }

    /// The same dimensions before another base.
    pub(crate) fn with_base(self, base: Self) -> Self {
        match self {
            Self::Array(item) => Self::Array(Box::new(item.with_base(base))),
            Self::FixedArray(item, length) => Self::FixedArray(Box::new(item.with_base(base)), length),
            _ => base,
        }
    }

    /// Whether the length of the encoded value depends on the value (ABI specification, "dynamic types").
    #[must_use]
    pub fn is_dynamic(&self) -> bool {
        match self {
            Self::Bytes | Self::String | Self::Array(_) => true,
            Self::FixedArray(item, _) => item.is_dynamic(),
            Self::Tuple(members) => members.iter().any(|member| member.ty.is_dynamic()),
            _ => false,
        }
    }

    /// How many 32-byte words the value takes where it stands: all of a static value, the offset of a
    /// dynamic one.
    pub(crate) fn head_words(&self) -> usize {
        if self.is_dynamic() {
            return 1;
        }
        match self {
            Self::FixedArray(item, length) => item.head_words().saturating_mul(*length),
            Self::Tuple(members) => members.iter().map(|member| member.ty.head_words()).sum(),
            _ => 1,
        }
    }
}

/// The type as the ABI writes it, structs as their members in parentheses.
impl fmt::Display for SolidityType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => f.write_str("bool"),
            Self::Address => f.write_str("address"),
            Self::Uint(bits) => write!(f, "uint{bits}"),
            Self::Int(bits) => write!(f, "int{bits}"),
            Self::FixedBytes(length) => write!(f, "bytes{length}"),
            Self::Bytes => f.write_str("bytes"),
            Self::String => f.write_str("string"),
            Self::Function => f.write_str("function"),
            Self::Array(item) => write!(f, "{item}[]"),
            Self::FixedArray(item, length) => write!(f, "{item}[{length}]"),
            Self::Tuple(members) => write_members(f, members),
        }
    }
}

fn write_members(f: &mut fmt::Formatter<'_>, members: &[Parameter]) -> fmt::Result {
    f.write_str("(")?;
    for (place, member) in members.iter().enumerate() {
        if place > 0 {
            f.write_str(",")?;
        }
        write!(f, "{}", member.ty)?;
    }
    f.write_str(")")
}
