//! Solidity types to JSON Schema.
//!
//! A schema says exactly what the tool gives back, and what it asks for; other spellings of arguments are
//! rewritten into this form before the schema is applied (see `accept`). Objects are closed, and the root of
//! a tool's schema is a plain object, because clients refuse others.

use toolmesh_json::Value;

use crate::model::{Documentation, Function, Mutability, Parameter, SolidityType};
use crate::text::{COMMENT_CHARS, NAME_CHARS, as_sentence, clean};
use crate::value::bounds;

mod control;

pub(crate) use control::Controls;

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
        SolidityType::Array(item) => Value::object()
            .put("type", "array")
            .put("items", type_schema(item))
            .build(),
        SolidityType::FixedArray(item, length) => Value::object()
            .put("type", "array")
            .put("items", type_schema(item))
            .put("minItems", count(*length))
            .put("maxItems", count(*length))
            .build(),
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
    Value::object()
        .put("type", "object")
        .put("properties", properties)
        .put("required", required)
        .put("additionalProperties", false)
        .build()
}

/// The schema of a tool's structured result.
#[must_use]
pub fn output_schema(function: &Function) -> Value {
    if function.mutability.is_read() {
        read_output(function)
    } else {
        write_output(function)
    }
}

/// The schema of what a function returns: nothing, one value, or an object of several.
pub(crate) fn result_schema(function: &Function) -> Value {
    let comment =
        |place: usize, output: &Parameter| return_comment(&function.documentation, place, &output.name);
    match function.outputs.as_slice() {
        [] => Value::object()
            .put("type", "null")
            .put("description", "The function returns nothing.")
            .build(),
        [output] => parameter_schema(output, comment(0, output)),
        outputs => closed_object(outputs.iter().enumerate().map(|(place, output)| {
            (
                output.key.clone(),
                parameter_schema(output, comment(place, output)),
            )
        })),
    }
}

fn return_comment<'a>(documentation: &'a Documentation, place: usize, name: &str) -> Option<&'a str> {
    let by_name = documentation.returns.get(name);
    by_name
        .or_else(|| documentation.returns.get(&format!("_{place}")))
        .map(String::as_str)
}

fn read_output(function: &Function) -> Value {
    let properties = Value::object()
        .put("result", result_schema(function))
        .put("block_number", block_number_schema())
        .put("invalid_utf8", invalid_utf8_schema());
    Value::object()
        .put("type", "object")
        .put("properties", properties)
        .put("required", Value::array().push("result").push("block_number"))
        .put("additionalProperties", false)
        .build()
}

fn write_output(function: &Function) -> Value {
    let properties = Value::object()
        .put(
            "simulated",
            described("boolean", "Whether the call was only tried: nothing was sent."),
        )
        .put(
            "success",
            described("boolean", "Whether the call succeeded, or would succeed."),
        )
        .put("result", result_schema(function))
        .put(
            "gas_estimate",
            counter("The gas that the transaction would need."),
        )
        .put("gas_price", wei("The price of a unit of gas at present, in wei."))
        .put("tx_hash", transaction_hash())
        .put("gas_used", counter("The gas that the transaction used."))
        .put(
            "effective_gas_price",
            wei("The price that was paid for a unit of gas, in wei."),
        )
        .put(
            "cost_wei",
            wei("What all the gas costs, in wei, without the value that is paid to the contract."),
        )
        .put("cost_formatted", described("string", "The same in ether."))
        .put("block_number", block_number_schema())
        .put("events", events_schema())
        .put("note", described("string", "What to do next."))
        .put("invalid_utf8", invalid_utf8_schema());
    Value::object()
        .put("type", "object")
        .put("properties", properties)
        .put("required", Value::array().push("simulated").push("success"))
        .put("additionalProperties", false)
        .build()
}

fn block_number_schema() -> Value {
    counter("The block whose state the answer is of.")
}

fn transaction_hash() -> Value {
    let schema = Value::object()
        .put("type", "string")
        .put("pattern", "^0x[0-9a-f]{64}$");
    schema.put("description", "The hash of the transaction.").build()
}

/// Loose on purpose: every tool that writes has it, and lists of tools are long enough.
fn events_schema() -> Value {
    let properties = Value::object()
        .put(
            "name",
            Value::object().put("type", Value::array().push("string").push("null")),
        )
        .put("address", Value::object().put("type", "string"))
        .put("args", Value::object().put("type", "object"));
    let item = Value::object()
        .put("type", "object")
        .put("properties", properties)
        .put("required", Value::array().push("name").push("address"));
    let description = "The events that the call emits, in order: the name (null if the interface does not \
                       know the event), the contract, and the fields.";
    Value::object()
        .put("type", "array")
        .put("items", item)
        .put("description", description)
        .build()
}

fn invalid_utf8_schema() -> Value {
    Value::object()
        .put("type", "object")
        .put("additionalProperties", Value::object().put("type", "string"))
        .put(
            "description",
            "The bytes of each string that is no valid UTF-8, by where it stands.",
        )
        .build()
}

fn described(ty: &str, description: &str) -> Value {
    Value::object()
        .put("type", ty)
        .put("description", description)
        .build()
}

fn counter(description: &str) -> Value {
    Value::object()
        .put("type", "integer")
        .put("minimum", 0)
        .put("description", description)
        .build()
}

fn wei(description: &str) -> Value {
    let schema = Value::object()
        .put("type", "string")
        .put("pattern", "^(0|[1-9][0-9]*)$");
    schema.put("description", description).build()
}

/// A closed object that has all of these members.
fn closed_object(members: impl Iterator<Item = (String, Value)>) -> Value {
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
        .put("additionalProperties", false)
        .build()
}

fn text_schema(pattern: &str) -> Value {
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
fn parameter_schema(parameter: &Parameter, comment: Option<&str>) -> Value {
    let schema = type_schema(&parameter.ty);
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
