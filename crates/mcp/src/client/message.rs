//! The messages that the client sends.

use toolmesh_json::Value;

use crate::jsonrpc::RequestId;

/// A request.
pub(super) fn request(id: u64, method: &str, params: Value) -> String {
    envelope()
        .put("id", id)
        .put("method", method)
        .put("params", params)
        .build()
        .to_text()
}

/// A notification.
pub(super) fn notification(method: &str, params: Option<Value>) -> String {
    envelope()
        .put("method", method)
        .put_opt("params", params)
        .build()
        .to_text()
}

/// That a request is given up.
pub(super) fn cancelled(id: u64) -> String {
    notification(
        "notifications/cancelled",
        Some(Value::object().put("requestId", id).build()),
    )
}

/// The answer to a request of the server.
pub(super) fn result(id: &RequestId, result: Value) -> String {
    envelope()
        .put("id", id.to_value())
        .put("result", result)
        .build()
        .to_text()
}

/// That a request of the server is refused.
pub(super) fn error(id: &RequestId, code: i32, text: &str) -> String {
    let error = Value::object().put("code", code).put("message", text).build();
    envelope()
        .put("id", id.to_value())
        .put("error", error)
        .build()
        .to_text()
}

fn envelope() -> toolmesh_json::ObjectBuilder {
    Value::object().put("jsonrpc", "2.0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_the_form_of_the_protocol() {
        let empty = || Value::object().build();
        assert_eq!(
            request(7, "ping", empty()),
            r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{}}"#
        );
        assert_eq!(
            notification("notifications/initialized", None),
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#
        );
        assert_eq!(
            cancelled(7),
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#
        );
        let id = RequestId::Text("a".into());
        assert_eq!(result(&id, empty()), r#"{"jsonrpc":"2.0","id":"a","result":{}}"#);
        assert_eq!(
            error(&id, -32601, "Method not found"),
            r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"Method not found"}}"#
        );
    }
}
