//! The stream of one call.

use toolmesh_json::{Value, View};

/// One event of a call; a stream of them ends in exactly one terminal event (`Result` or `Error`).
///
/// The JSON form is tagged by `type` in snake case; absent optional members are left out, never null.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolEvent {
    /// The call began.
    Start {
        /// The tool.
        tool_id: String,
        /// The caller's id of this call.
        call_id: Option<u64>,
        /// Anything else that a host tells.
        metadata: Option<Value>,
    },
    /// It goes on.
    Progress {
        /// Percent done, 0 to 100.
        pct: Option<f64>,
        /// What happens now.
        message: Option<String>,
    },
    /// A piece of partial output.
    Delta {
        /// The piece.
        data: Value,
    },
    /// It is done (terminal).
    Result {
        /// The final payload.
        data: Value,
    },
    /// It failed (terminal).
    Error {
        /// A stable code, such as `tool_error`, `missing_terminal`, or one of [`crate::CallError::code`].
        code: String,
        /// What happened.
        message: String,
        /// More, for programs.
        details: Option<Value>,
    },
}

/// The code of the error event of a result with `is_error`.
pub const TOOL_ERROR: &str = "tool_error";

/// Why a JSON value is no tool event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// `type` is missing or no text.
    #[error("a tool event needs a text member `type`")]
    NoType,
    /// `type` is none of the five.
    #[error("a tool event's `type` is start, progress, delta, result or error")]
    UnknownType,
    /// A member that the type needs is missing or of another kind.
    #[error("a tool event of this type needs a member `{0}` of the right kind")]
    Member(&'static str),
}

impl ToolEvent {
    /// Whether the stream ends here.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Result { .. } | Self::Error { .. })
    }

    /// The JSON form.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let object = Value::object();
        match self {
            Self::Start {
                tool_id,
                call_id,
                metadata,
            } => object
                .put("type", "start")
                .put("tool_id", tool_id.as_str())
                .put_opt("call_id", *call_id)
                .put_opt("metadata", metadata.clone()),
            Self::Progress { pct, message } => object
                .put("type", "progress")
                .put_opt("pct", pct.and_then(|pct| Value::from_serialize(&pct).ok()))
                .put_opt("message", message.as_deref()),
            Self::Delta { data } => object.put("type", "delta").put("data", data.clone()),
            Self::Result { data } => object.put("type", "result").put("data", data.clone()),
            Self::Error {
                code,
                message,
                details,
            } => object
                .put("type", "error")
                .put("code", code.as_str())
                .put("message", message.as_str())
                .put_opt("details", details.clone()),
        }
        .build()
    }

    /// Reads the JSON form; unknown members are ignored.
    ///
    /// # Errors
    /// [`EventError`] when the type is unknown or a member that it needs is missing.
    pub fn from_value(value: View<'_>) -> Result<Self, EventError> {
        let text = |name| value.get(name).and_then(View::as_str).map(str::to_owned);
        let any = |name| value.get(name).map(View::to_value);
        match value
            .get("type")
            .and_then(View::as_str)
            .ok_or(EventError::NoType)?
        {
            "start" => Ok(Self::Start {
                tool_id: text("tool_id").ok_or(EventError::Member("tool_id"))?,
                call_id: value.get("call_id").and_then(View::as_u64),
                metadata: any("metadata"),
            }),
            "progress" => Ok(Self::Progress {
                pct: value
                    .get("pct")
                    .and_then(View::as_number)
                    .map(toolmesh_json::Number::to_f64),
                message: text("message"),
            }),
            "delta" => Ok(Self::Delta {
                data: any("data").ok_or(EventError::Member("data"))?,
            }),
            "result" => Ok(Self::Result {
                data: any("data").ok_or(EventError::Member("data"))?,
            }),
            "error" => Ok(Self::Error {
                code: text("code").ok_or(EventError::Member("code"))?,
                message: text("message").ok_or(EventError::Member("message"))?,
                details: any("details"),
            }),
            _ => Err(EventError::UnknownType),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(text: &str) {
        let value = toolmesh_json::parse(text.as_bytes()).unwrap();
        let event = ToolEvent::from_value(value.view()).unwrap();
        assert_eq!(event.to_value().to_text(), text);
    }

    #[test]
    fn each_event_comes_back_as_it_went() {
        round_trip(r#"{"type":"start","tool_id":"t"}"#);
        round_trip(r#"{"type":"start","tool_id":"t","call_id":18446744073709551615,"metadata":{"a":[1]}}"#);
        round_trip(r#"{"type":"progress"}"#);
        round_trip(r#"{"type":"progress","pct":75.5,"message":"m"}"#);
        round_trip(r#"{"type":"progress","pct":33.3}"#);
        round_trip(r#"{"type":"delta","data":null}"#);
        round_trip(r#"{"type":"result","data":[1.10,"x"]}"#);
        round_trip(r#"{"type":"error","code":"c","message":"m","details":{}}"#);
    }

    #[test]
    fn only_result_and_error_end_a_stream() {
        assert!(ToolEvent::Result { data: Value::null() }.is_terminal());
        assert!(!ToolEvent::Delta { data: Value::null() }.is_terminal());
    }

    #[test]
    fn an_event_without_what_its_type_needs_is_refused() {
        for (text, error) in [
            ("{}", EventError::NoType),
            (r#"{"type":"end"}"#, EventError::UnknownType),
            (r#"{"type":"delta"}"#, EventError::Member("data")),
            (r#"{"type":"start"}"#, EventError::Member("tool_id")),
            (r#"{"type":"error","code":"c"}"#, EventError::Member("message")),
        ] {
            let value = toolmesh_json::parse(text.as_bytes()).unwrap();
            assert_eq!(ToolEvent::from_value(value.view()), Err(error), "{text}");
        }
    }
}
