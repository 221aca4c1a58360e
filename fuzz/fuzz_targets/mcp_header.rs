//! A header's value on the first line, an argument behind it: the server lets the call through exactly when the header
//! says what the argument says, by a decoder of our own; and what the codec writes, it reads as the same text.
#![no_main]

use std::sync::LazyLock;

use http::HeaderValue;
use libfuzzer_sys::fuzz_target;
use serde_json::json;
use toolmesh_fuzz::{endpoint, head, meta, over_http, server};
use toolmesh_json::Value;
use toolmesh_mcp::{HttpService, ServerLimits, header_text};
use toolmesh_tool::{CallContext, Tool, ToolResult, schema::Profile};

/// Most bytes of a mirrored value.
const MAX_BYTES: usize = 16_384;

static SERVICE: LazyLock<HttpService> = LazyLock::new(|| {
    let schema = br#"{"type":"object","properties":{"text":{"type":"string","x-mcp-header":"Text"}}}"#;
    let schema = toolmesh_json::parse(schema).expect("JSON");
    let tool = Tool::with_name("mirror")
        .input_schema(schema, Profile::Profile1)
        .handler(|_: CallContext, _: Value| std::future::ready(ToolResult::text("passed")));
    endpoint(&server(
        vec![tool.build().expect("a sound tool")],
        ServerLimits::default(),
    ))
});

/// Longer inputs are refused for the size of their head.
const MAX_INPUT: usize = 40_000;

fuzz_target!(|input: &[u8]| {
    if input.len() > MAX_INPUT {
        return;
    }
    let at = input
        .iter()
        .position(|byte| *byte == b'\n')
        .unwrap_or(input.len());
    let (header, argument) = (&input[..at], input.get(at + 1..).unwrap_or_default());
    let Ok(argument) = std::str::from_utf8(argument) else {
        return;
    };
    let written = header_text::encode(argument);
    let value = HeaderValue::from_str(&written).expect("what is written is a header's value");
    assert_eq!(header_text::decode(&written).as_deref(), Ok(argument));
    assert!(
        written
            .bytes()
            .all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte))
    );
    assert_eq!(
        passes(&value, argument),
        written.len() <= MAX_BYTES,
        "{argument:?}"
    );
    if let Ok(value) = HeaderValue::from_bytes(header) {
        let said = decoded(header);
        assert_eq!(
            passes(&value, argument),
            said.as_deref() == Some(argument),
            "{value:?} says {said:?}"
        );
    }
});

/// Whether a call with this header and this argument comes through.
fn passes(header: &HeaderValue, argument: &str) -> bool {
    let meta: serde_json::Value = serde_json::from_str(&meta("{}")).expect("JSON");
    let params = json!({"name": "mirror", "arguments": {"text": argument}, "_meta": meta});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let head = head("tools/call")
        .header("mcp-name", "mirror")
        .header("mcp-param-text", header);
    let (status, answer) = over_http(&SERVICE, head, body);
    if status == 200 {
        assert_eq!(answer["result"]["content"][0]["text"], "passed");
        return true;
    }
    let refusal = json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32020, "message": "Header mismatch"}});
    assert_eq!((status.as_u16(), answer), (400, refusal));
    false
}

/// What a header's value says, read by the letter of the specification; `None` when it says nothing.
fn decoded(value: &[u8]) -> Option<String> {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
    let start = value
        .iter()
        .position(|byte| !is_space(byte))
        .unwrap_or(value.len());
    let end = value
        .iter()
        .rposition(|byte| !is_space(byte))
        .map_or(start, |last| last + 1);
    let text = std::str::from_utf8(&value[start..end]).ok()?;
    let plain = text
        .bytes()
        .all(|byte| byte == b'\t' || (b' '..=b'~').contains(&byte));
    if !plain || text.len() > MAX_BYTES {
        return None;
    }
    if !text.starts_with("=?base64?") || !text.ends_with("?=") {
        return Some(text.to_owned());
    }
    // Both marks have eleven characters, and must not share any.
    let inner = text
        .get("=?base64?".len()..text.len() - "?=".len())
        .filter(|_| text.len() >= 11)?;
    let bytes = base64(inner.as_bytes()).filter(|bytes| bytes.len() <= MAX_BYTES)?;
    String::from_utf8(bytes).ok()
}

/// Canonical, padded base64 of the usual alphabet, four letters at a time.
fn base64(letters: &[u8]) -> Option<Vec<u8>> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let padding = letters.iter().rev().take_while(|letter| **letter == b'=').count();
    if letters.len() % 4 != 0 || padding > 2 {
        return None;
    }
    for four in letters.chunks(4) {
        let known = four.iter().take_while(|letter| **letter != b'=').count();
        let is_last = std::ptr::eq(four.as_ptr_range().end, letters.as_ptr_range().end);
        if known < 4 && (!is_last || known + padding != 4) {
            return None;
        }
        let mut bits = 0_u32;
        for letter in four.iter().take(known) {
            let value = ALPHABET.iter().position(|known| known == letter)?;
            bits = bits << 6 | u32::try_from(value).ok()?;
        }
        bits <<= 6 * (4 - known);
        let three = bits.to_be_bytes();
        // What stands behind the last whole byte must be nothing.
        let (taken, rest) = three[1..].split_at(known - 1);
        if rest.iter().any(|byte| *byte != 0) {
            return None;
        }
        bytes.extend_from_slice(taken);
    }
    Some(bytes)
}
