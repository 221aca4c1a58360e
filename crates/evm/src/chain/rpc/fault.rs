//! What a failed request means: the node's absence, a contract's revert, or an error of its own.

use std::error::Error;

use alloy_primitives::{Bytes, hex};
use alloy_transport::{RpcError, TransportError, TransportErrorKind};
use serde_json::Value;

use super::http::AnswerTooLarge;
use crate::chain::{ChainError, Execution};

/// The longest text of a node that is passed on, in characters: enough for any sentence.
const MAX_MESSAGE_CHARACTERS: usize = 300;

/// How deep revert data is looked for in a node's error data.
const MAX_DATA_DEPTH: usize = 4;

/// The beginnings of a node's words for an execution that was stopped without data.
const HALTS: [&str; 8] = [
    "out of gas",
    "invalid opcode",
    "invalid jump",
    "stack underflow",
    "stack overflow",
    "opcode not found",
    "write protection",
    "gas required exceeds",
];

/// A request that failed.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    /// The node's answer has more bytes than are read. What was asked may have been done.
    TooLarge { limit: usize },
    /// The node did not answer properly.
    Transport {
        reason: String,
        /// Whether the request may have reached the node all the same.
        perhaps_received: bool,
        /// Whether asking again may help.
        passing: bool,
    },
    /// The node answered an error.
    Answer {
        code: i64,
        message: String,
        data: Option<Value>,
        passing: bool,
    },
}

impl Fault {
    pub(super) fn timeout(seconds: u64) -> Self {
        Self::Transport {
            reason: format!("no answer within {seconds} s"),
            perhaps_received: true,
            passing: true,
        }
    }

    /// The node is of another chain than the others, so it was not asked; another one may be.
    pub(super) fn other_chain() -> Self {
        Self::Transport {
            reason: "it is of another chain".to_owned(),
            perhaps_received: false,
            passing: true,
        }
    }

    /// A request that is no JSON, which no request here is.
    pub(super) fn unwritable() -> Self {
        unexpected("the request could not be written")
    }

    pub(super) fn is_passing(&self) -> bool {
        match self {
            Self::Transport { passing, .. } | Self::Answer { passing, .. } => *passing,
            Self::TooLarge { .. } => false,
        }
    }

    /// Whether the request may have reached the node although this is what became of it.
    pub(super) fn is_perhaps_received(&self) -> bool {
        match self {
            Self::Transport { perhaps_received, .. } => *perhaps_received,
            Self::TooLarge { .. } => true,
            Self::Answer { .. } => false,
        }
    }

    /// Whether the node's words contain one of `phrases`.
    pub(super) fn says(&self, phrases: &[&str]) -> bool {
        match self {
            Self::Transport { .. } | Self::TooLarge { .. } => false,
            Self::Answer { message, .. } => {
                let message = message.to_lowercase();
                phrases.iter().any(|phrase| message.contains(phrase))
            }
        }
    }

    /// How an execution ended, when this is the node's way of telling that.
    pub(super) fn into_execution(self, url: &str) -> Result<Execution, ChainError> {
        let Self::Answer {
            code, message, data, ..
        } = &self
        else {
            return Err(self.into_error(url));
        };
        if let Some(bytes) = data.as_ref().and_then(|data| revert_data(data, MAX_DATA_DEPTH)) {
            return Ok(Execution::Reverted(bytes));
        }
        // 3 is "execution error" with its data; nodes without a reason to give leave the data out.
        if *code == 3 || self.says(&["revert"]) {
            return Ok(Execution::Reverted(Bytes::new()));
        }
        if self.says(&HALTS) {
            return Ok(Execution::Halted(shortened(message)));
        }
        Err(self.into_error(url))
    }

    /// The fault as an error of the chain whose node has the (harmless) URL `url`.
    pub(super) fn into_error(self, url: &str) -> ChainError {
        match self {
            Self::Transport { reason, .. } => ChainError::Unreachable {
                url: url.to_owned(),
                reason,
            },
            Self::TooLarge { limit } => ChainError::AnswerTooLarge {
                url: url.to_owned(),
                limit,
            },
            Self::Answer { code, message, .. } => ChainError::Rpc {
                code,
                message: shortened(&message),
            },
        }
    }
}

impl From<TransportError> for Fault {
    fn from(error: TransportError) -> Self {
        match error {
            RpcError::ErrorResp(payload) => Self::Answer {
                passing: payload.is_retry_err() && !concerns_size(&payload.message),
                code: payload.code,
                data: payload
                    .data
                    .as_ref()
                    .and_then(|data| serde_json::from_str(data.get()).ok()),
                message: payload.message.into_owned(),
            },
            RpcError::Transport(kind) => transport(&kind),
            RpcError::NullResp => unexpected("it answered null"),
            RpcError::DeserError { .. } => unexpected("its answer is not the expected JSON"),
            _ => unexpected("the request could not be made"),
        }
    }
}

/// Some nodes refuse too large a query with the code of a rate limit; asking for the same again does not help.
fn concerns_size(message: &str) -> bool {
    let message = message.to_lowercase();
    ["results", "range", "size"]
        .iter()
        .any(|word| message.contains(word))
}

fn unexpected(reason: &str) -> Fault {
    Fault::Transport {
        reason: reason.to_owned(),
        perhaps_received: true,
        passing: false,
    }
}

fn transport(kind: &TransportErrorKind) -> Fault {
    if let Some(http) = kind.as_http_error() {
        return http_status(http.status, &http.body);
    }
    let error = match kind {
        TransportErrorKind::NonRetryable(error) => match error.downcast_ref::<AnswerTooLarge>() {
            Some(AnswerTooLarge { limit }) => return Fault::TooLarge { limit: *limit },
            None => return unexpected("the request could not be made"),
        },
        TransportErrorKind::Custom(error) => error,
        _ => return unexpected("the connection ended"),
    };
    let not_connected = error
        .downcast_ref::<reqwest::Error>()
        .is_some_and(reqwest::Error::is_connect);
    Fault::Transport {
        reason: innermost(error.as_ref()),
        perhaps_received: !not_connected,
        passing: true,
    }
}

/// A node's answer with an HTTP status that is no success: some put a JSON-RPC error in its body.
fn http_status(status: u16, body: &str) -> Fault {
    let passing = matches!(status, 429 | 502..=504);
    let answer: Option<Value> = serde_json::from_str(body).ok();
    let error = answer.as_ref().and_then(|answer| answer.get("error"));
    if let Some((error, code)) = error.and_then(|error| Some((error, error.get("code")?.as_i64()?))) {
        let message = error
            .get("message")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned();
        return Fault::Answer {
            code,
            message,
            data: error.get("data").cloned(),
            passing,
        };
    }
    Fault::Transport {
        reason: format!("HTTP status {status}"),
        perhaps_received: status >= 500,
        passing,
    }
}

/// The text of the error's first cause, which names the trouble and, unlike those above it, no URL.
fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut cause = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    match cause.downcast_ref::<reqwest::Error>() {
        Some(error) if error.is_timeout() => "no answer in time".to_owned(),
        Some(_) => "the connection failed".to_owned(),
        None => shortened(&cause.to_string()),
    }
}

/// The revert data in an error's `data`, in the forms in which nodes give it: hex text, hex text behind
/// a word ("Reverted 0x..."), or somewhere inside an object (`data`, `result`, `return`, ...).
fn revert_data(data: &Value, depth: usize) -> Option<Bytes> {
    match data {
        Value::String(text) => {
            let digits = text
                .trim()
                .rsplit(char::is_whitespace)
                .next()?
                .strip_prefix("0x")?;
            hex::decode(digits).ok().map(Bytes::from)
        }
        Value::Object(members) if depth > 0 => ["data", "return", "result", "originalError", "error"]
            .iter()
            .filter_map(|name| members.get(*name))
            .chain(
                members
                    .iter()
                    .filter(|(name, _)| name.starts_with("0x"))
                    .map(|(_, inner)| inner),
            )
            .find_map(|inner| revert_data(inner, depth - 1)),
        _ => None,
    }
}

/// A node's words without control characters, cut to a bounded length.
fn shortened(message: &str) -> String {
    let clean = message
        .chars()
        .map(|character| if character.is_control() { ' ' } else { character });
    clean.take(MAX_MESSAGE_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answer(code: i64, message: &str, data: Option<Value>) -> Fault {
        Fault::Answer {
            code,
            message: message.to_owned(),
            data,
            passing: false,
        }
    }

    #[test]
    fn revert_data_is_found_in_every_form_that_nodes_use() {
        let forms = [
            json!("0x01020304"),
            json!("Reverted 0x01020304"),
            json!({"message": "Error: VM Exception", "data": "0x01020304"}),
            json!({"0xab": {"error": "revert", "return": "0x01020304"}, "name": "RuntimeError"}),
            json!({"originalError": {"data": {"data": "0x01020304"}}}),
        ];
        for data in forms {
            let fault = answer(-32015, "VM execution error.", Some(data.clone()));
            let expected = Execution::Reverted(Bytes::from([1, 2, 3, 4]));
            assert_eq!(fault.into_execution("http://node").unwrap(), expected, "{data}");
        }
    }

    #[test]
    fn a_revert_without_data_a_halt_and_an_error_are_told_apart() {
        let execution = |code, message| answer(code, message, None).into_execution("http://node");
        assert_eq!(
            execution(3, "execution reverted").unwrap(),
            Execution::Reverted(Bytes::new())
        );
        assert_eq!(
            execution(-32000, "execution reverted").unwrap(),
            Execution::Reverted(Bytes::new())
        );
        assert_eq!(
            execution(-32003, "Out of gas: required").unwrap(),
            Execution::Halted("Out of gas: required".to_owned())
        );
        assert!(matches!(
            execution(-32601, "Method not found"),
            Err(ChainError::Rpc { code: -32601, .. })
        ));
    }

    #[test]
    fn an_error_in_the_body_of_a_failed_http_answer_counts_as_the_node_s_answer() {
        let body =
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":3,"message":"execution reverted","data":"0x09"}}"#;
        let execution = http_status(400, body).into_execution("http://node").unwrap();
        assert_eq!(execution, Execution::Reverted(Bytes::from([9])));
        let refused = http_status(401, "<html>").into_error("http://node");
        assert_eq!(
            refused.to_string(),
            "the RPC node http://node cannot be reached (HTTP status 401): check the URL and that the node is \
             running"
        );
        assert!(http_status(503, "").is_passing() && !http_status(401, "").is_passing());
    }

    #[test]
    fn a_node_s_words_are_cut_and_cleaned() {
        let words = format!("a\u{1b}[31m\n{}", "x".repeat(400));
        let shown = shortened(&words);
        assert_eq!(shown.chars().count(), MAX_MESSAGE_CHARACTERS);
        assert!(shown.starts_with("a [31m x"));
        assert_eq!(
            shortened(&"y".repeat(MAX_MESSAGE_CHARACTERS)).len(),
            MAX_MESSAGE_CHARACTERS
        );
    }

    #[test]
    fn revert_data_deeper_than_the_limit_is_not_looked_for() {
        let nested = |depth| (0..depth).fold(json!("0x01"), |inner, _| json!({"data": inner}));
        assert!(revert_data(&nested(MAX_DATA_DEPTH), MAX_DATA_DEPTH).is_some());
        assert!(revert_data(&nested(MAX_DATA_DEPTH + 1), MAX_DATA_DEPTH).is_none());
    }
}
