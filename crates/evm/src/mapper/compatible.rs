//! The schemas of the compatibility profile.

use toolmesh_json::Value;

use crate::model::SolidityType;
use crate::schema::{text_schema, type_schema};

/// The schema of a type without items or members: bare patterns, no bounds on large integers.
pub(super) fn leaf_schema(ty: &SolidityType) -> Value {
    match ty {
        SolidityType::Address => text_schema("^0x[a-fA-F0-9]{40}$"),
        SolidityType::Bytes => text_schema("^0x[a-fA-F0-9]*$"),
        SolidityType::FixedBytes(length) => {
            text_schema(&format!("^0x[a-fA-F0-9]{{{}}}$", usize::from(*length) * 2))
        }
        SolidityType::Function => text_schema("^0x[a-fA-F0-9]{48}$"),
        SolidityType::Uint(bits) if !is_number(*bits) => text_schema("^[0-9]+$"),
        SolidityType::Int(bits) if !is_number(*bits) => text_schema("^-?[0-9]+$"),
        other => type_schema(other),
    }
}

/// Only these three sizes are numbers.
fn is_number(bits: u16) -> bool {
    matches!(bits, 8 | 16 | 32)
}

/// An object that has these members, and may have others.
pub(super) fn open_object(members: impl Iterator<Item = (String, Value)>) -> Value {
    let mut properties = Value::object();
    let mut required = Value::array();
    for (key, schema) in members {
        required.add(key.as_str());
        properties.insert(key, schema);
    }
    Value::object()
        .put("type", "object")
        .put("properties", properties)
        .put("required", required)
        .build()
}
