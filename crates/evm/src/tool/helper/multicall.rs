//! Multicall3: many calls in one.

use alloy_primitives::{Address, Bytes, address, hex};

use crate::model::{Parameter, SolidityType};
use crate::value::{SolidityValue, decode, encode};

/// Where Multicall3 stands on the chains that have it.
pub const MULTICALL3: Address = address!("0xcA11bde05977b3631167028862bE2a173976CA11");

/// `aggregate3((address,bool,bytes)[])`
const AGGREGATE3: [u8; 4] = hex!("82ad56cb");

/// The call that makes all of these calls of one contract; one that fails does not keep the others from being made.
pub(super) fn encode_calls(target: Address, calls: &[Bytes]) -> Bytes {
    let call = SolidityType::tuple(vec![
        Parameter::new("target", SolidityType::Address),
        Parameter::new("allowFailure", SolidityType::Bool),
        Parameter::new("callData", SolidityType::Bytes),
    ]);
    let list = calls.iter().map(|data| {
        SolidityValue::Sequence(vec![
            SolidityValue::Address(target),
            SolidityValue::Bool(true),
            SolidityValue::Bytes(data.to_vec()),
        ])
    });
    let parameter = Parameter::new("calls", SolidityType::Array(Box::new(call)));
    let mut data = AGGREGATE3.to_vec();
    data.extend(encode(&[parameter], &[SolidityValue::Sequence(list.collect())]));
    data.into()
}

/// Whether each call succeeded, and what it returned; `None` when this is no answer to so many calls.
pub(super) fn decode_answers(data: &[u8], count: usize) -> Option<Vec<(bool, Bytes)>> {
    let answer = SolidityType::tuple(vec![
        Parameter::new("success", SolidityType::Bool),
        Parameter::new("returnData", SolidityType::Bytes),
    ]);
    let parameter = Parameter::new("returnData", SolidityType::Array(Box::new(answer)));
    let decoded = decode(&[parameter], data).ok()?.into_iter().next()?;
    let SolidityValue::Sequence(list) = decoded else {
        return None;
    };
    let one = |value: SolidityValue| {
        let SolidityValue::Sequence(members) = value else {
            return None;
        };
        match members.as_slice() {
            [SolidityValue::Bool(success), SolidityValue::Bytes(data)] => {
                Some((*success, Bytes::from(data.clone())))
            }
            _ => None,
        }
    };
    let answers: Option<Vec<_>> = list.into_iter().map(one).collect();
    answers.filter(|answers| answers.len() == count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_primitives::keccak256;

    #[test]
    fn the_selector_is_that_of_the_signature() {
        assert_eq!(keccak256("aggregate3((address,bool,bytes)[])")[..4], AGGREGATE3);
    }

    #[test]
    fn an_answer_for_another_number_of_calls_is_none() {
        let word = |number: u8| {
            let mut word = [0; 32];
            word[31] = number;
            word
        };
        let one = [word(32), word(1), word(32), word(1), word(64), word(0)].concat();
        assert_eq!(decode_answers(&one, 1), Some(vec![(true, Bytes::new())]));
        assert_eq!(decode_answers(&one, 2), None);
        assert_eq!(decode_answers(&[], 0), None);
    }
}
