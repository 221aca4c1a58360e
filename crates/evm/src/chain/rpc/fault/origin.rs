//! Faults out of what the transport reports: an error that the node answered, an HTTP status, a broken connection.

use std::error::Error;

use alloy_transport::{RpcError, TransportError, TransportErrorKind};
use serde_json::Value;

use super::super::http::AnswerTooLarge;
use super::{Fault, shortened};

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
            RpcError::NullResp => Fault::unexpected("it answered null"),
            RpcError::DeserError { .. } => Fault::unexpected("its answer is not the expected JSON"),
            _ => Fault::unexpected("the request could not be made"),
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

fn transport(kind: &TransportErrorKind) -> Fault {
    if let Some(http) = kind.as_http_error() {
        return http_status(http.status, &http.body);
    }
    let error = match kind {
        TransportErrorKind::NonRetryable(error) => match error.downcast_ref::<AnswerTooLarge>() {
            Some(AnswerTooLarge { limit }) => return Fault::TooLarge { limit: *limit },
            None => return Fault::unexpected("the request could not be made"),
        },
        TransportErrorKind::Custom(error) => error,
        _ => return Fault::unexpected("the connection ended"),
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

#[cfg(test)]
mod tests {
    use alloy_primitives::Bytes;

    use super::*;
    use crate::chain::Execution;

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
}
