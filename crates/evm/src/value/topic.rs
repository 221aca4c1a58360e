//! Values to the topics of logs.

use alloy_primitives::B256;

use super::{SolidityValue, encode::encodable};
use crate::model::SolidityType;

/// The topic that an indexed field of type `ty` with this value has: the value itself, or its hash where it is longer
/// than a word (the bytes of texts, the words of arrays and structs in place, without lengths).
pub(crate) fn topic(ty: &SolidityType, value: &SolidityValue) -> B256 {
    encodable(ty, value).encode_topic()
}
