//! The one `tools/call` that every load sends, and the check of what comes back.
//!
//! The call is prepared bytes, framed as its transport wants it. Each carries an id of its own, ten digits long, so that
//! every call is of one length and an id is written in place.

use anyhow::{Context, Result, bail, ensure};
use memchr::memmem;
use serde_json::json;

use crate::ECHO;

/// The first id; all have ten digits.
pub const FIRST_ID: u64 = 1_000_000_000;

/// Digits of an id.
const ID_DIGITS: usize = 10;

/// The message that is to be echoed.
pub const MESSAGE: &str = "hello";

/// A prepared call.
#[derive(Debug, Clone)]
pub struct Call {
    bytes: Vec<u8>,
    id_at: usize,
}

impl Call {
    /// The call between what its transport puts before and after it; `head` is told how long the call itself is.
    ///
    /// # Errors
    /// None in practice: the id stands in the call.
    pub fn framed(head: impl FnOnce(usize) -> String, tail: &str) -> Result<Self> {
        let body = body();
        let id_in_body = body
            .find(&FIRST_ID.to_string())
            .context("the call does not carry its id")?;
        let head = head(body.len());
        Ok(Self {
            id_at: head.len() + id_in_body,
            bytes: [head.as_str(), &body, tail].concat().into_bytes(),
        })
    }

    /// Writes the id of the next call in its place.
    pub fn set_id(&mut self, id: u64) {
        let digits = id.to_string();
        if let Some(place) = self
            .bytes
            .get_mut(self.id_at..self.id_at + ID_DIGITS)
            .filter(|place| place.len() == digits.len())
        {
            place.copy_from_slice(digits.as_bytes());
        }
    }

    /// What is sent.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// The call as a client of revision 2026-07-28 makes it.
fn body() -> String {
    let call = json!({
        "jsonrpc": "2.0",
        "id": FIRST_ID,
        "method": "tools/call",
        "params": {
            "name": ECHO,
            "arguments": {"message": MESSAGE},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "load", "version": "0.1.0"},
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    });
    call.to_string()
}

/// The id that an answer carries. An answer counts only when it carries the message.
///
/// # Errors
/// What is wrong with the answer, and the answer.
pub fn answered(answer: &[u8]) -> Result<u64> {
    let shown = || String::from_utf8_lossy(answer).into_owned();
    ensure!(
        memmem::find(answer, MESSAGE.as_bytes()).is_some(),
        "an answer does not carry the message: {}",
        shown()
    );
    let id = memmem::find(answer, br#""id":"#).and_then(|at| {
        let rest = answer.get(at + 5..)?.trim_ascii_start();
        std::str::from_utf8(rest.get(..ID_DIGITS)?).ok()?.parse().ok()
    });
    match id {
        Some(id) => Ok(id),
        None => bail!("an answer carries no id of ten digits: {}", shown()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_written_in_its_place_and_read_back() -> Result<()> {
        let mut call = Call::framed(|length| format!("{length}:"), "\n")?;
        call.set_id(FIRST_ID + 7);
        assert_eq!(answered(call.bytes())?, FIRST_ID + 7);
        assert!(call.bytes().ends_with(b"}\n"));
        Ok(())
    }

    #[test]
    fn an_answer_without_message_or_id_does_not_count() {
        assert!(answered(br#"{"id":1000000000}"#).is_err());
        assert!(answered(br#"{"id":7,"text":"hello"}"#).is_err());
    }
}
