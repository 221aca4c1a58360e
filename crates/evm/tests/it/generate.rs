//! Random types and values.

use alloy_primitives::{Address, I256, U256};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any};
use proptest::strategy::BoxedStrategy;
use toolmesh_evm::{Parameter, SolidityType, SolidityValue};

/// Any type, with up to three levels of arrays and structs.
pub(crate) fn types() -> BoxedStrategy<SolidityType> {
    elementary()
        .prop_recursive(3, 12, 3, |inner| {
            proptest::prop_oneof![
                inner.clone().prop_map(|item| SolidityType::Array(Box::new(item))),
                (inner.clone(), 1usize..4)
                    .prop_map(|(item, length)| SolidityType::FixedArray(Box::new(item), length)),
                vec(inner, 1..4).prop_map(|members| SolidityType::Tuple(parameters(members))),
            ]
        })
        .boxed()
}

/// Parameters `v0`, `v1`, ... of these types.
pub(crate) fn parameters(types: Vec<SolidityType>) -> Vec<Parameter> {
    types
        .into_iter()
        .enumerate()
        .map(|(place, ty)| Parameter {
            name: format!("v{place}"),
            key: format!("v{place}"),
            canonical: ty.to_string(),
            ty,
            internal_type: None,
            indexed: false,
        })
        .collect()
}

fn elementary() -> BoxedStrategy<SolidityType> {
    proptest::prop_oneof![
        Just(SolidityType::Bool),
        Just(SolidityType::Address),
        Just(SolidityType::Bytes),
        Just(SolidityType::String),
        Just(SolidityType::Function),
        (1u16..=32).prop_map(|bytes| SolidityType::Uint(bytes * 8)),
        (1u16..=32).prop_map(|bytes| SolidityType::Int(bytes * 8)),
        (1u8..=32).prop_map(SolidityType::FixedBytes),
    ]
    .boxed()
}

/// Values for each of these parameters.
pub(crate) fn values(parameters: &[Parameter]) -> BoxedStrategy<Vec<SolidityValue>> {
    let members: Vec<_> = parameters.iter().map(|parameter| value(&parameter.ty)).collect();
    members.boxed()
}

/// A value of this type.
pub(crate) fn value(ty: &SolidityType) -> BoxedStrategy<SolidityValue> {
    match ty {
        SolidityType::Bool => any::<bool>().prop_map(SolidityValue::Bool).boxed(),
        SolidityType::Address => any::<[u8; 20]>()
            .prop_map(|bytes| SolidityValue::Address(Address::from(bytes)))
            .boxed(),
        SolidityType::Uint(bits) => number(*bits).prop_map(SolidityValue::Uint).boxed(),
        SolidityType::Int(bits) => {
            let bits = *bits;
            number(bits)
                .prop_map(move |raw| SolidityValue::Int(extend_sign(raw, bits)))
                .boxed()
        }
        SolidityType::FixedBytes(length) => bytes(usize::from(*length)..=usize::from(*length)),
        SolidityType::Function => bytes(24..=24),
        SolidityType::Bytes => bytes(0..=70),
        SolidityType::String => any::<String>()
            .prop_map(|text| SolidityValue::Text(text.into_bytes()))
            .boxed(),
        SolidityType::Array(item) => vec(value(item), 0..3).prop_map(SolidityValue::Sequence).boxed(),
        SolidityType::FixedArray(item, length) => vec(value(item), *length)
            .prop_map(SolidityValue::Sequence)
            .boxed(),
        SolidityType::Tuple(members) => values(members).prop_map(SolidityValue::Sequence).boxed(),
    }
}

fn bytes(lengths: std::ops::RangeInclusive<usize>) -> BoxedStrategy<SolidityValue> {
    vec(any::<u8>(), lengths).prop_map(SolidityValue::Bytes).boxed()
}

/// A number of that many bits, the smallest and the largest among them more often than by chance.
fn number(bits: u16) -> BoxedStrategy<U256> {
    let max = U256::MAX >> (256 - usize::from(bits));
    proptest::prop_oneof![
        1 => Just(U256::ZERO),
        1 => Just(max),
        1 => Just(max >> 1),
        4 => any::<[u8; 32]>().prop_map(move |bytes| U256::from_be_bytes(bytes) & max),
    ]
    .boxed()
}

fn extend_sign(raw: U256, bits: u16) -> I256 {
    let shift = 256 - usize::from(bits);
    I256::from_raw(raw << shift).asr(shift)
}
