//! The injected `_context` argument: which context of the application a call is for.

use toolmesh_json::Value;

use crate::model::Method;

/// The name of the injected argument. No generator of manifests writes a parameter that begins with an underscore, so an
/// application's own `context` keeps its name.
pub const CONTEXT_ARGUMENT: &str = "_context";

/// Whether the tool of a method takes the injected argument: not where the method declares a parameter of that name,
/// which then keeps it.
#[must_use]
pub fn takes_context(method: &Method) -> bool {
    method.params.iter().all(|param| param.name != CONTEXT_ARGUMENT)
}

/// The schema of the injected argument.
pub(crate) fn context_schema() -> Value {
    Value::object()
        .put("type", "string")
        .put(
            "description",
            "Context id or alias to execute against; defaults to the selected context.",
        )
        .build()
}
