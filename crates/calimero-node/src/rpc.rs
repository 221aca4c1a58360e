//! `/jsonrpc`: always HTTP 200, errors with a type and data.

use serde_json::{Value, json};

use crate::{
    Fault,
    answer::{self, Answer},
    guest::{Trap, run},
    state::State,
};

pub(crate) fn route(state: &mut State, body: &Value) -> Answer {
    if body.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return answer::text(422, "Failed to deserialize the JSON body into the target type");
    }
    let id = body.get("id").cloned().unwrap_or_default();
    let mut reply = json!({ "jsonrpc": "2.0", "id": id });
    let (key, value) = match execute(state, body) {
        Ok(output) => ("result", json!({ "output": output })),
        Err(error) => ("error", error),
    };
    if let Some(reply) = reply.as_object_mut() {
        reply.insert(key.to_owned(), value);
    }
    answer::flat(&reply)
}

/// The error that a fault makes of every call.
fn error_of(fault: Fault) -> Option<Value> {
    let with = |kind: &str, data: Value| json!({ "type": kind, "data": data });
    Some(match fault {
        Fault::Uninitialized => json!({ "type": "Uninitialized" }),
        Fault::GroupKeyPending => with("GroupKeyPending", json!({ "context_id": "c" })),
        Fault::UpgradeInProgress => with("UpgradeInProgress", json!({ "group_id": "g" })),
        Fault::InternalError => with("InternalError", json!({})),
        Fault::InternalKind => with("InternalError", json!({ "kind": "runtime" })),
        Fault::OutputNotJson => with("SerdeError", json!({ "message": "expected value at line 1" })),
        Fault::ParseError => with("ParseError", json!("invalid context id")),
        Fault::NotAuthorized => with("Unauthorized", json!({ "context_id": "c", "public_key": "k" })),
        Fault::CrossCall => with("XCallNotPermitted", json!({ "context_id": "c" })),
        Fault::GuestError => function_call(&guest_error(&json!("the application says no"))),
        Fault::GuestPanic => function_call("guest panicked: out of cheese at lib.rs:1:2"),
        Fault::NotMember => function_call("Caller is not a member of this context"),
        Fault::OutOfGas => function_call("execution exhausted its gas limit of 7 points"),
        _ => return None,
    })
}

/// Runs the method that a request names: its output, or the error.
pub(crate) fn execute(state: &mut State, body: &Value) -> Result<Value, Value> {
    let faults = Fault::ALL.into_iter().filter(|fault| state.has(*fault));
    if let Some(error) = faults.into_iter().find_map(error_of) {
        return Err(error);
    }
    if state.has(Fault::LargestInteger) {
        return Ok(json!(u64::MAX));
    }
    if state.has(Fault::NullResult) {
        return Ok(Value::Null);
    }
    let text = |key: &str| body.pointer(key).and_then(Value::as_str);
    let (Some(context), Some(method)) = (text("/params/contextId"), text("/params/method")) else {
        return Err(json!({ "type": "ParseError", "data": "missing field" }));
    };
    let arguments = body.pointer("/params/argsJson").cloned().unwrap_or_default();
    call(state, context, method, &arguments)
}

fn call(state: &mut State, id: &str, method: &str, arguments: &Value) -> Result<Value, Value> {
    #[cfg(feature = "sandbox")]
    if let Some(answer) = crate::running::call(state, id, method, arguments) {
        return answer;
    }
    let Some(mut context) = state.contexts.get(id).cloned() else {
        return Err(json!({ "type": "ContextNotFound" }));
    };
    let Some((manifest, behaviour)) = state.running(&context) else {
        let application = context.application;
        return Err(json!({ "type": "ApplicationNotInstalled", "data": { "application_id": application } }));
    };
    let outcome = run(manifest, behaviour, &mut context.values, method, arguments);
    let output = outcome.map_err(|trap| {
        function_call(&match trap {
            Trap::Error(error) => guest_error(&error),
            Trap::Panic(message) => format!("guest panicked: {message} at src/lib.rs:1:2"),
            Trap::NoMethod => format!("method \"{method}\" not found"),
        })
    })?;
    state.contexts.insert(id.to_owned(), context);
    Ok(output)
}

pub(crate) fn function_call(data: &str) -> Value {
    json!({ "type": "FunctionCallError", "data": data })
}

/// The error's JSON as [`returned_error`] has it.
pub(crate) fn guest_error(error: &Value) -> String {
    returned_error(error.to_string().as_bytes())
}

/// The bytes of the error's JSON in Rust's debug form.
pub(crate) fn returned_error(json: &[u8]) -> String {
    format!("the method call returned an error: {json:?}")
}
