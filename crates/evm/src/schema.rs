//! Solidity types to JSON Schema.
//!
//! A schema says exactly what the tool gives back, and what it asks for; other spellings of arguments are
//! rewritten into this form before the schema is applied (see `accept`). Objects are closed, and the root of
//! a tool's schema is a plain object, because clients refuse others.

use toolmesh_json::Value;

use crate::model::{Function, Mutability, Parameter, SolidityType};
use crate::text::{COMMENT_CHARS, NAME_CHARS, as_sentence, clean};
use crate::value::bounds;

mod compiled;
mod control;
mod output;

pub(crate) use compiled::CompiledSchemas;
pub(crate) use control::{Controls, simulate_schema, value_schema};
pub use output::output_schema;
pub(crate) use output::return_comment;

/// Integers up to this size are JSON numbers; above it, text, which no client rounds.
pub(crate) const MAX_NUMBER_BITS: u16 = 32;

/// The largest integer that every client keeps exactly: 2^53 - 1.
pub(crate) const MAX_EXACT: u64 = 9_007_199_254_740_991;

/// The schema of a value.
#[must_use]
pub fn type_schema(ty: &SolidityType) -> Value {
    match ty {
        SolidityType::Bool => Value::object().put("type", "boolean").build(),
        SolidityType::String => Value::object().put("type", "string").build(),
        SolidityType::Address => text_schema("^0x[0-9a-fA-F]{40}$"),
        SolidityType::Bytes => text_schema("^0x([0-9a-fA-F]{2})*$"),
        SolidityType::FixedBytes(length) => {
            text_schema(&format!("^0x[0-9a-fA-F]{{{}}}$", usize::from(*length) * 2))
        }
        SolidityType::Function => text_schema("^0x[0-9a-fA-F]{48}$"),
        SolidityType::Uint(bits) | SolidityType::Int(bits) if *bits <= MAX_NUMBER_BITS => number_schema(ty),
        SolidityType::Uint(_) => decimal_schema(ty, "^(0|[1-9][0-9]*)$"),
        SolidityType::Int(_) => decimal_schema(ty, "^(0|-?[1-9][0-9]*)$"),
        SolidityType::Array(item) => array_schema(type_schema(item), None),
        SolidityType::FixedArray(item, length) => array_schema(type_schema(item), Some(*length)),
        SolidityType::Tuple(members) => closed_object(
            members
                .iter()
                .map(|member| (member.key.clone(), parameter_schema(member, None))),
        ),
    }
}

/// The schema of a tool's arguments: the function's inputs, and what controls the call.
#[must_use]
pub fn input_schema(function: &Function) -> Value {
    let inputs = function.inputs.iter().map(|input| {
        let comment = function.documentation.parameters.get(&input.name);
        (
            input.key.clone(),
            parameter_schema(input, comment.map(String::as_str)),
        )
    });
    let controls = Controls::of(function);
    let mut properties = Value::object();
    properties.extend(inputs);
    properties.extend(controls.schemas(function));
    let required: Value = function
        .inputs
        .iter()
        .map(|input| Value::from(&input.key))
        .collect();
    closed(properties, required)
}

/// An array of such items, of a length if that is fixed.
pub(crate) fn array_schema(items: Value, length: Option<usize>) -> Value {
    let schema = Value::object().put("type", "array").put("items", items);
    match length.map(count) {
        None => schema.build(),
        Some(length) => schema.put("minItems", length).put("maxItems", length).build(),
    }
}

/// A closed object: these members and no others, the required ones always.
pub(crate) fn closed(properties: impl Into<Value>, required: impl Into<Value>) -> Value {
    Value::object()
        .put("type", "object")
        .put("properties", properties)
        .put("required", required)
        .put("additionalProperties", false)
        .build()
}

/// A closed object that has all of these members.
pub(crate) fn closed_object(members: impl Iterator<Item = (String, Value)>) -> Value {
    let mut properties = Value::object();
    let mut required = Value::array();
    for (key, schema) in members {
        required.add(key.as_str());
        properties.insert(key, schema);
    }
    closed(properties, required)
}

pub(crate) fn text_schema(pattern: &str) -> Value {
    Value::object()
        .put("type", "string")
        .put("pattern", pattern)
        .build()
}

fn number_schema(ty: &SolidityType) -> Value {
    let (min, max) = bounds(ty).unwrap_or_default();
    let bound = |text: &str| text.parse::<i64>().unwrap_or_default();
    Value::object()
        .put("type", "integer")
        .put("minimum", bound(&min))
        .put("maximum", bound(&max))
        .build()
}

fn decimal_schema(ty: &SolidityType, pattern: &str) -> Value {
    let (min, max) = bounds(ty).unwrap_or_default();
    let schema = Value::object().put("type", "string").put("pattern", pattern);
    schema
        .put("maxLength", count(min.len().max(max.len())))
        .put("description", decimal_words(ty))
        .build()
}

/// `decimal digits from 0 to 2^256-1`
fn decimal_words(ty: &SolidityType) -> String {
    match ty {
        SolidityType::Uint(bits) => format!("decimal digits from 0 to 2^{bits}-1"),
        SolidityType::Int(bits) => {
            let exponent = bits.saturating_sub(1);
            format!("decimal digits from -2^{exponent} to 2^{exponent}-1")
        }
        _ => String::new(),
    }
}

/// The schema of a named value: its type's, with what is known about it as description.
pub(crate) fn parameter_schema(parameter: &Parameter, comment: Option<&str>) -> Value {
    described(&type_schema(&parameter.ty), parameter, comment)
}

/// A schema of a named value with what is known about the value as description.
pub(crate) fn described(schema: &Value, parameter: &Parameter, comment: Option<&str>) -> Value {
    let mut described = Value::object();
    if let Some(members) = schema.as_object() {
        described.extend(members.iter().map(|(key, value)| (key, value.to_value())));
    }
    described
        .put("description", description(parameter, comment))
        .build()
}

/// `How many base units to move. Type: uint256, decimal digits from 0 to 2^256-1`
fn description(parameter: &Parameter, comment: Option<&str>) -> String {
    let mut words = type_words(parameter);
    if is_decimal(&parameter.ty) {
        words = format!("{words}, {}", decimal_words(&parameter.ty));
    }
    match comment
        .map(|comment| clean(comment, COMMENT_CHARS))
        .filter(|comment| !comment.is_empty())
    {
        Some(comment) => format!("{} Type: {words}", as_sentence(&comment)),
        None => words,
    }
}

fn is_decimal(ty: &SolidityType) -> bool {
    matches!(ty, SolidityType::Uint(bits) | SolidityType::Int(bits) if *bits > MAX_NUMBER_BITS)
}

/// The type as the source names it: `uint256`, `struct Order[]`, `uint8 (enum Side)`.
pub(crate) fn type_words(parameter: &Parameter) -> String {
    let encoded = parameter.ty.to_string();
    let internal = parameter
        .internal_type
        .as_deref()
        .map(|internal| clean(internal, NAME_CHARS));
    let internal = internal.filter(|internal| !internal.is_empty() && *internal != encoded);
    match internal {
        Some(internal) if internal.starts_with("struct ") => internal,
        Some(internal) => format!("{encoded} ({internal})"),
        None if encoded.starts_with('(') => clean(&encoded, NAME_CHARS),
        None => encoded,
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// Whether a function takes ether.
pub(crate) fn is_payable(function: &Function) -> bool {
    function.mutability == Mutability::Payable
}
