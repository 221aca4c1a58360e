//! What a typed handler is given.

use toolmesh_json::Value;

/// Arguments bound to a type, beside the validated object they came from.
#[derive(Debug, Clone)]
pub struct TypedArguments<A> {
    /// The bound value.
    pub converted: A,
    /// The validated object.
    pub raw: Value,
}
