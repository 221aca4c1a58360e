//! Values to JSON, in the form that the schemas publish.

use alloy_primitives::hex;
use toolmesh_json::{Number, Pointer, Value};

use super::SolidityValue;
use crate::model::{Parameter, SolidityType};

/// The strings of a value that are no valid UTF-8: where each stands in the JSON, and its bytes.
///
/// In the JSON such a string has U+FFFD in the place of what could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InvalidUtf8 {
    found: Vec<(Pointer, String)>,
}

impl InvalidUtf8 {
    /// An object from JSON pointers to hexadecimal bytes; `None` when every string was valid.
    #[must_use]
    pub fn to_value(&self) -> Option<Value> {
        if self.found.is_empty() {
            return None;
        }
        let mut object = Value::object();
        for (pointer, bytes) in &self.found {
            object.insert(pointer.to_string(), bytes.clone());
        }
        Some(object.build())
    }
}

/// The JSON of a value; `at` is where it will stand.
pub fn to_json(
    ty: &SolidityType,
    value: &SolidityValue,
    at: &mut Pointer,
    invalid: &mut InvalidUtf8,
) -> Value {
    match value {
        SolidityValue::Bool(value) => Value::from(*value),
        SolidityValue::Address(address) => Value::from(address.to_checksum(None)),
        SolidityValue::Uint(number) => integer(ty, number.to_string()),
        SolidityValue::Int(number) => integer(ty, number.to_string()),
        SolidityValue::Bytes(bytes) => Value::from(hex::encode_prefixed(bytes)),
        SolidityValue::Text(bytes) => text(bytes, at, invalid),
        SolidityValue::Sequence(items) => match ty {
            SolidityType::Tuple(members) => members_to_json(members, items, at, invalid),
            SolidityType::Array(item) | SolidityType::FixedArray(item, _) => {
                items_to_json(item, items, at, invalid)
            }
            other => items_to_json(other, items, at, invalid),
        },
    }
}

/// An object from the keys of `members` to the JSON of `values`.
pub(crate) fn members_to_json(
    members: &[Parameter],
    values: &[SolidityValue],
    at: &mut Pointer,
    invalid: &mut InvalidUtf8,
) -> Value {
    let mut object = Value::object();
    for (member, value) in members.iter().zip(values) {
        at.push(member.key.as_str());
        object.insert(member.key.as_str(), to_json(&member.ty, value, at, invalid));
        at.pop();
    }
    object.build()
}

fn items_to_json(
    item: &SolidityType,
    values: &[SolidityValue],
    at: &mut Pointer,
    invalid: &mut InvalidUtf8,
) -> Value {
    let mut array = Value::array();
    for (place, value) in values.iter().enumerate() {
        at.push_index(place);
        array.add(to_json(item, value, at, invalid));
        at.pop();
    }
    array.build()
}

/// Up to 32 bits a number, above that text: a client that reads numbers as floats keeps 53 bits.
fn integer(ty: &SolidityType, digits: String) -> Value {
    match ty {
        SolidityType::Uint(bits) | SolidityType::Int(bits) if *bits <= 32 => {
            Number::parse(&digits).map_or_else(|_| Value::from(digits), Value::from)
        }
        _ => Value::from(digits),
    }
}

fn text(bytes: &[u8], at: &Pointer, invalid: &mut InvalidUtf8) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => Value::from(text),
        Err(_) => {
            invalid.found.push((at.clone(), hex::encode_prefixed(bytes)));
            Value::from(String::from_utf8_lossy(bytes).into_owned())
        }
    }
}
