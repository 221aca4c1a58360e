//! Values to the ABI's encoding.

use alloy_dyn_abi::DynSolValue;
use alloy_primitives::{B256, Function};

use super::SolidityValue;
use crate::model::{Parameter, SolidityType};

/// Encodes the arguments of a function, constructor or error, without a selector.
///
/// A value that is not of its type's kind is encoded by its own kind; values made for these parameters by
/// this crate always fit.
#[must_use]
pub fn encode(parameters: &[Parameter], values: &[SolidityValue]) -> Vec<u8> {
    let items = parameters
        .iter()
        .zip(values)
        .map(|(parameter, value)| encodable(&parameter.ty, value))
        .collect();
    DynSolValue::Tuple(items).abi_encode_params()
}

pub(super) fn encodable(ty: &SolidityType, value: &SolidityValue) -> DynSolValue {
    match (ty, value) {
        (_, SolidityValue::Bool(value)) => DynSolValue::Bool(*value),
        (_, SolidityValue::Address(value)) => DynSolValue::Address(*value),
        (_, SolidityValue::Uint(value)) => DynSolValue::Uint(*value, 256),
        (_, SolidityValue::Int(value)) => DynSolValue::Int(*value, 256),
        (SolidityType::FixedBytes(length), SolidityValue::Bytes(bytes)) => {
            DynSolValue::FixedBytes(padded(bytes), usize::from(*length))
        }
        (SolidityType::Function, SolidityValue::Bytes(bytes)) => match Function::try_from(bytes.as_slice()) {
            Ok(function) => DynSolValue::Function(function),
            Err(_) => DynSolValue::FixedBytes(padded(bytes), 24),
        },
        // A string is encoded as its bytes are.
        (_, SolidityValue::Bytes(bytes) | SolidityValue::Text(bytes)) => DynSolValue::Bytes(bytes.clone()),
        (SolidityType::Array(item), SolidityValue::Sequence(items)) => {
            DynSolValue::Array(items.iter().map(|value| encodable(item, value)).collect())
        }
        (SolidityType::FixedArray(item, _), SolidityValue::Sequence(items)) => {
            DynSolValue::FixedArray(items.iter().map(|value| encodable(item, value)).collect())
        }
        (SolidityType::Tuple(members), SolidityValue::Sequence(items)) => {
            let items = members
                .iter()
                .zip(items)
                .map(|(member, value)| encodable(&member.ty, value))
                .collect();
            DynSolValue::Tuple(items)
        }
        (_, SolidityValue::Sequence(items)) => {
            DynSolValue::Tuple(items.iter().map(|value| encodable(ty, value)).collect())
        }
    }
}

/// Up to 32 bytes at the front of a word.
fn padded(bytes: &[u8]) -> B256 {
    let mut word = B256::ZERO;
    for (place, byte) in word.iter_mut().zip(bytes) {
        *place = *byte;
    }
    word
}
