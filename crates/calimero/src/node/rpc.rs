//! The node's JSON-RPC: executing a method. Its answers are HTTP 200 whatever happened, and its errors have a type and
//! data instead of a code and a message.

use toolmesh_json::{Value, View};

use super::{
    NodeError,
    guest::{data_message, guest_message},
};

/// The body of a call.
pub(super) fn execute_request(context: &str, method: &str, arguments: &Value) -> Value {
    let params = Value::object()
        .put("contextId", context)
        .put("method", method)
        .put("argsJson", arguments);
    Value::object()
        .put("jsonrpc", "2.0")
        .put("id", 1)
        .put("method", "execute")
        .put("params", params)
        .build()
}

/// What a method returned, or why it did not.
pub(super) fn output(answer: &Value) -> Result<Value, NodeError> {
    if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
        return Err(failure(error));
    }
    let result = answer
        .get("result")
        .ok_or_else(|| NodeError::Malformed("a JSON-RPC answer without result and error".to_owned()))?;
    let output = result.as_object().filter(|object| object.contains("output"));
    Ok(match output.and_then(|object| object.get("output")) {
        Some(output) => output.detach(),
        None => result.detach(),
    })
}

/// A typed error as the node writes it.
pub(super) fn failure(error: View<'_>) -> NodeError {
    let kind = error
        .get("type")
        .and_then(View::as_str)
        .unwrap_or("Error")
        .to_owned();
    let data = error.get("data");
    if kind == "FunctionCallError" {
        let message = data.and_then(View::as_str).and_then(guest_message);
        return NodeError::Guest(message.unwrap_or(kind));
    }
    let retry = matches!(
        kind.as_str(),
        "Uninitialized" | "GroupKeyPending" | "UpgradeInProgress"
    );
    let mut message = match data_message(data) {
        Some(about) => format!("{kind}: {about}"),
        None => kind.clone(),
    };
    if retry {
        message.push_str(". This passes: retry later.");
    }
    NodeError::Rpc { kind, message }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolmesh_json::parse;

    fn told(error: &str) -> String {
        let answer = parse(format!(r#"{{"jsonrpc":"2.0","id":1,"error":{error}}}"#).as_bytes()).unwrap();
        output(&answer).unwrap_err().to_string()
    }

    #[test]
    fn every_typed_error_is_told_in_words() {
        for (error, message) in [
            (
                r#"{"type":"FunctionCallError","data":"x: [34, 110, 111, 34]"}"#,
                "no",
            ),
            (
                r#"{"type":"FunctionCallError","data":"guest panicked: m at f:1:2"}"#,
                "guest panicked: m at f:1:2",
            ),
            (r#"{"type":"FunctionCallError","data":""}"#, "FunctionCallError"),
            (
                r#"{"type":"SerdeError","data":{"message":"bad output"}}"#,
                "SerdeError: bad output",
            ),
            (r#"{"type":"ContextNotFound"}"#, "ContextNotFound"),
            (
                r#"{"type":"Uninitialized"}"#,
                "Uninitialized. This passes: retry later.",
            ),
            (
                r#"{"type":"Unauthorized","data":{"context_id":"c","public_key":"k"}}"#,
                r#"Unauthorized: {"context_id":"c","public_key":"k"}"#,
            ),
            (r#"{"type":"ParseError","data":"bad id"}"#, "ParseError: bad id"),
            (r#"{"type":"InternalError","data":{}}"#, "InternalError"),
            (r#"{"type":"Newer"}"#, "Newer"),
        ] {
            assert_eq!(told(error), message);
        }
    }

    #[test]
    fn an_output_is_exact_and_nothing_is_null() {
        let answer = parse(br#"{"result":{"output":18446744073709551615}}"#).unwrap();
        assert_eq!(output(&answer).unwrap().to_text(), "18446744073709551615");
        let nothing = parse(br#"{"result":{"output":null}}"#).unwrap();
        assert!(output(&nothing).unwrap().is_null());
        assert!(output(&parse(b"{}").unwrap()).is_err());
    }
}
