//! Bytes: asked for as hexadecimal digits or numbers, given back as numbers.

use toolmesh_json::Value;

/// The largest fixed size whose number of hexadecimal digits stands in a pattern; a repetition of more is refused by
/// pattern compilers. The array's length is bounded whatever the size.
pub(crate) const MAX_PATTERN_BYTES: u64 = 500;

/// Bytes as they are asked for.
pub(super) fn input(size: Option<u64>) -> Value {
    let form = match size {
        Some(size) => format!("a {size}-byte array"),
        None => "a byte array".to_owned(),
    };
    let hex = Value::object()
        .put("type", "string")
        .put("pattern", pattern(size));
    Value::object()
        .put("description", format!("bytes: a hex string or {form}"))
        .put("anyOf", Value::array().push(hex).push(numbers(size)))
        .build()
}

/// Bytes as numbers.
pub(super) fn numbers(size: Option<u64>) -> Value {
    let byte = Value::object()
        .put("type", "integer")
        .put("minimum", 0)
        .put("maximum", 255);
    let array = Value::object().put("type", "array").put("items", byte);
    match size {
        None => array.build(),
        Some(size) => array.put("minItems", size).put("maxItems", size).build(),
    }
}

fn pattern(size: Option<u64>) -> String {
    match size.filter(|size| *size <= MAX_PATTERN_BYTES) {
        Some(size) => format!("^[0-9a-fA-F]{{{}}}$", size.saturating_mul(2)),
        None => "^(?:[0-9a-fA-F]{2})*$".to_owned(),
    }
}
