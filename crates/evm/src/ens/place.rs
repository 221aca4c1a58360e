//! The places in arguments where an address is asked for.

use alloy_primitives::Address;
use toolmesh_json::{Value, View};

use super::name;
use crate::model::{Function, Parameter, SolidityType};
use crate::schema::Controls;
use crate::value::Keys;

/// The arguments of a function with an address in the place of each name; `address` is asked for each in turn, and one
/// that it does not know stays.
pub(crate) fn with_addresses(
    function: &Function,
    arguments: View<'_>,
    address: &mut dyn FnMut(String) -> Option<Address>,
) -> Value {
    let Some(members) = arguments.as_object() else {
        return arguments.to_value();
    };
    let controls = Controls::of(function);
    let keys = Keys::of(&function.inputs);
    let mut object = Value::object();
    for (key, value) in members.iter() {
        let input = keys.place_of(key).and_then(|place| function.inputs.get(place));
        let replaced = match input {
            _ if key == controls.tx => in_transaction(value, address),
            Some(input) => in_value(&input.ty, value, address),
            None => value.to_value(),
        };
        object.insert(key, replaced);
    }
    object.build()
}

/// `tx.from` is an address as well.
fn in_transaction(value: View<'_>, address: &mut dyn FnMut(String) -> Option<Address>) -> Value {
    let Some(members) = value.as_object() else {
        return value.to_value();
    };
    let mut object = Value::object();
    for (key, member) in members.iter() {
        let replaced = if key == "from" {
            in_value(&SolidityType::Address, member, address)
        } else {
            member.to_value()
        };
        object.insert(key, replaced);
    }
    object.build()
}

fn in_value(ty: &SolidityType, value: View<'_>, address: &mut dyn FnMut(String) -> Option<Address>) -> Value {
    match ty {
        SolidityType::Address => value
            .as_str()
            .and_then(name)
            .and_then(address)
            .map_or_else(|| value.to_value(), |found| Value::from(found.to_checksum(None))),
        SolidityType::Array(item) | SolidityType::FixedArray(item, _) => match value.as_array() {
            Some(items) => items.iter().map(|value| in_value(item, value, address)).collect(),
            None => value.to_value(),
        },
        SolidityType::Tuple(members) => in_struct(members, value, address),
        _ => value.to_value(),
    }
}

fn in_struct(
    members: &[Parameter],
    value: View<'_>,
    address: &mut dyn FnMut(String) -> Option<Address>,
) -> Value {
    if let Some(items) = value.as_array() {
        let typed = items.iter().enumerate();
        return typed
            .map(|(place, item)| match members.get(place) {
                Some(member) => in_value(&member.ty, item, address),
                None => item.to_value(),
            })
            .collect();
    }
    let Some(object) = value.as_object() else {
        return value.to_value();
    };
    let keys = Keys::of(members);
    let mut replaced = Value::object();
    for (key, item) in object.iter() {
        let member = keys.place_of(key).and_then(|place| members.get(place));
        replaced.insert(
            key,
            member.map_or_else(|| item.to_value(), |member| in_value(&member.ty, item, address)),
        );
    }
    replaced.build()
}
