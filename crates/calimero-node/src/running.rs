//! Applications whose module runs, instead of being interpreted.

use serde_json::{Value, json};
use toolmesh_calimero_sandbox::{CallError, Instance, Limits};

use crate::{
    App,
    rpc::{function_call, returned_error},
    state::State,
};

/// What runs in a new context of a service, after its `init`; nothing for an application without a module.
pub(crate) fn created(app: &App, service: Option<&str>, input: &[u8]) -> Result<Option<Instance>, String> {
    let Some((_, module)) = app.modules.iter().find(|(name, _)| name.as_deref() == service) else {
        return Ok(None);
    };
    let mut instance = Instance::new(module, Limits::default()).map_err(|error| error.to_string())?;
    let input = if input.is_empty() { b"{}" } else { input };
    match instance.call("init", input.to_vec()).returned {
        Ok(_) | Err(CallError::MethodNotFound(_)) => Ok(Some(instance)),
        Err(error) => Err(in_the_nodes_words(&error)),
    }
}

/// Calls a method in a context where a module runs; `None` where none does.
pub(crate) fn call(
    state: &mut State,
    id: &str,
    method: &str,
    arguments: &Value,
) -> Option<Result<Value, Value>> {
    let instance = state.contexts.get_mut(id)?.instance.as_mut()?;
    let called = instance.call(method, arguments.to_string().into_bytes());
    for (kind, payload) in &called.events {
        state.events.emit(id, kind, payload);
    }
    Some(match called.returned {
        Ok(None) => Ok(Value::Null),
        Ok(Some(output)) => serde_json::from_slice(&output)
            .map_err(|error| json!({ "type": "SerdeError", "data": { "message": error.to_string() } })),
        Err(error) => Err(function_call(&in_the_nodes_words(&error))),
    })
}

fn in_the_nodes_words(error: &CallError) -> String {
    match error {
        CallError::Application(json) => returned_error(json),
        CallError::MethodNotFound(name) => format!("method \"{name}\" not found"),
        other => other.to_string(),
    }
}
