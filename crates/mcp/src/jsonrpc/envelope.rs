//! From the bytes of one message to a checked envelope.

use toolmesh_json::{Limits, ParseError, Value, View, parse_with};

use super::RequestId;

/// One message from a peer.
#[derive(Debug)]
pub(crate) enum Message {
    /// A request: it is owed exactly one answer.
    Request(Request),
    /// A notification: it is owed nothing.
    Notification(Notification),
    /// The answer to a request of ours.
    Response(Response),
}

/// A request whose envelope is right.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// Its id.
    pub(crate) id: RequestId,
    /// Its method.
    pub(crate) method: String,
    /// Its params, an object; `None` when there were none.
    pub(crate) params: Option<Value>,
    /// Their `_meta`, of any kind: nearly every step looks into it, so it is looked up once.
    pub(crate) meta: Option<Value>,
}

/// A notification whose envelope is right.
#[derive(Debug, Clone)]
pub(crate) struct Notification {
    /// Its method.
    pub(crate) method: String,
    /// Its params, an object; `None` when there were none.
    pub(crate) params: Option<Value>,
}

/// An answer whose envelope is right.
#[derive(Debug, Clone)]
pub(crate) struct Response {
    /// The id of the request that it answers; `None` when the peer could not read it.
    pub(crate) id: Option<RequestId>,
    /// The result, or the error in its place.
    pub(crate) answer: Result<Value, RpcError>,
}

/// An error that a peer answered with. Its texts are a stranger's.
#[derive(Debug, Clone)]
pub(crate) struct RpcError {
    /// Its code; 0 when it has none that is an integer.
    pub(crate) code: i64,
    /// Its text.
    pub(crate) message: String,
    /// What it says beyond that.
    pub(crate) data: Option<Value>,
}

/// Why bytes are no message.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EnvelopeError {
    /// They are not JSON within the limits.
    #[error("the message is not JSON within the limits: {0}")]
    Json(#[from] ParseError),
    /// They are JSON, but no single JSON-RPC 2.0 message; the id is there when it could be read.
    #[error("the message is not one JSON-RPC 2.0 object")]
    Shape(Option<RequestId>),
}

impl Request {
    /// Member `name` of the params.
    pub(crate) fn param(&self, name: &str) -> Option<View<'_>> {
        self.params.as_ref()?.get(name)
    }

    /// Member `name` of the params' `_meta`, when that is an object.
    pub(crate) fn meta(&self, name: &str) -> Option<View<'_>> {
        self.meta.as_ref()?.get(name)
    }
}

impl Notification {
    /// Member `name` of the params.
    pub(crate) fn param(&self, name: &str) -> Option<View<'_>> {
        self.params.as_ref()?.get(name)
    }
}

/// Reads one message. Members that JSON-RPC does not know are tolerated.
///
/// # Errors
/// [`EnvelopeError`]: not JSON, or not one JSON-RPC 2.0 request, notification or response.
pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Message, EnvelopeError> {
    let root = parse_with(bytes, limits)?;
    Members::of(root.view()).message()
}

/// The members of an envelope that matter, as found.
#[derive(Default)]
struct Members<'a> {
    is_object: bool,
    version: Option<View<'a>>,
    id: Option<View<'a>>,
    method: Option<View<'a>>,
    params: Option<View<'a>>,
    result: Option<View<'a>>,
    error: Option<View<'a>>,
}

impl<'a> Members<'a> {
    fn of(root: View<'a>) -> Self {
        let mut members = Self::default();
        let Some(object) = root.as_object() else {
            return members;
        };
        members.is_object = true;
        for (name, value) in object.iter() {
            match name {
                "jsonrpc" => members.version = Some(value),
                "id" => members.id = Some(value),
                "method" => members.method = Some(value),
                "params" => members.params = Some(value),
                "result" => members.result = Some(value),
                "error" => members.error = Some(value),
                _ => {}
            }
        }
        members
    }

    fn message(&self) -> Result<Message, EnvelopeError> {
        let id = self.id.and_then(RequestId::read);
        match self.shape(id.as_ref()) {
            Some(message) => Ok(message),
            None => Err(EnvelopeError::Shape(id)),
        }
    }

    fn shape(&self, id: Option<&RequestId>) -> Option<Message> {
        let id_is_readable = id.is_some() == self.id.is_some();
        if !self.is_object || self.version?.as_str() != Some("2.0") || !id_is_readable {
            return None;
        }
        match self.method {
            Some(method) => self.call(method.as_str()?, id),
            None => self.response(id).map(Message::Response),
        }
    }

    fn call(&self, method: &str, id: Option<&RequestId>) -> Option<Message> {
        let mixed = self.result.is_some() || self.error.is_some();
        let positional = self.params.is_some_and(|params| params.as_object().is_none());
        if mixed || positional {
            return None;
        }
        let method = method.to_owned();
        let params = self.params.map(View::to_value);
        let meta = || self.params?.get("_meta").map(View::to_value);
        Some(match id {
            Some(id) => Message::Request(Request {
                id: id.clone(),
                method,
                params,
                meta: meta(),
            }),
            None => Message::Notification(Notification { method, params }),
        })
    }

    fn response(&self, id: Option<&RequestId>) -> Option<Response> {
        let id = id.cloned();
        match (self.result, self.error) {
            (Some(result), None) if id.is_some() => Some(Response {
                id,
                answer: Ok(result.to_value()),
            }),
            // An error may come without an id: the peer could not read ours.
            (None, Some(error)) => Some(Response {
                id,
                answer: Err(RpcError::read(error)),
            }),
            _ => None,
        }
    }
}

impl RpcError {
    fn read(error: View<'_>) -> Self {
        Self {
            code: error.get("code").and_then(View::as_i64).unwrap_or_default(),
            message: error
                .get("message")
                .and_then(View::as_str)
                .unwrap_or_default()
                .to_owned(),
            data: error.get("data").map(View::to_value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(text: &str) -> &'static str {
        match read(text.as_bytes(), &Limits::default()) {
            Ok(Message::Request(_)) => "request",
            Ok(Message::Notification(_)) => "notification",
            Ok(Message::Response(_)) => "response",
            Err(EnvelopeError::Json(_)) => "json",
            Err(EnvelopeError::Shape(Some(_))) => "shape with id",
            Err(EnvelopeError::Shape(None)) => "shape",
        }
    }

    #[test]
    fn a_message_is_one_object_of_the_three_kinds() {
        assert_eq!(outcome(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#), "request");
        assert_eq!(
            outcome(r#"{"jsonrpc":"2.0","id":"1","method":"ping","params":{},"x":1}"#),
            "request"
        );
        assert_eq!(
            outcome(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
            "notification"
        );
        assert_eq!(outcome(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), "response");
        assert_eq!(
            outcome(r#"{"jsonrpc":"2.0","error":{"code":1,"message":""}}"#),
            "response"
        );
    }

    #[test]
    fn what_is_not_json_is_told_apart_from_what_is_no_envelope() {
        assert_eq!(outcome("{"), "json");
        assert_eq!(outcome(""), "json");
        assert_eq!(
            outcome(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#),
            "json"
        );
        assert_eq!(outcome("[]"), "shape");
        assert_eq!(outcome(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#), "shape");
        assert_eq!(outcome("7"), "shape");
    }

    #[test]
    fn the_id_is_kept_when_only_the_rest_is_wrong() {
        assert_eq!(
            outcome(r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#),
            "shape with id"
        );
        assert_eq!(outcome(r#"{"id":1,"method":"ping"}"#), "shape with id");
        assert_eq!(outcome(r#"{"jsonrpc":"2.0","id":1,"method":7}"#), "shape with id");
        assert_eq!(
            outcome(r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#),
            "shape with id"
        );
        assert_eq!(
            outcome(r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#),
            "shape with id"
        );
        assert_eq!(outcome(r#"{"jsonrpc":"2.0","id":1}"#), "shape with id");
        assert_eq!(
            outcome(r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#),
            "shape with id"
        );
    }

    #[test]
    fn an_unreadable_id_spoils_the_message() {
        assert_eq!(outcome(r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#), "shape");
        assert_eq!(outcome(r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#), "shape");
        assert_eq!(outcome(r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#), "shape");
    }
}
