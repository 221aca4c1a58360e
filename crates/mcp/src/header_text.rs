//! Any text as the value of a header field (2026-07-28: mirrored headers), for clients and proxies of one's own.
//!
//! A text that a header field can hold stands for itself. Every other one is its base64 form, `=?base64?...?=`.

use std::borrow::Cow;

use base64::{Engine as _, engine::general_purpose::STANDARD};

/// Most bytes of a mirrored text that the server takes, as a header and decoded.
pub const MAX_TEXT_BYTES: usize = 16_384;

/// What a value in base64 begins with.
const PREFIX: &str = "=?base64?";
/// What it ends with.
const SUFFIX: &str = "?=";

/// A value that stands for no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the header's value is no canonical base64 form of a text of at most {MAX_TEXT_BYTES} bytes")]
pub struct MalformedText;

/// The text itself when a header field can hold it and nobody takes it for something else, otherwise its base64 form.
/// [`decode`] gives it back, up to [`MAX_TEXT_BYTES`].
#[must_use]
pub fn encode(text: &str) -> String {
    let printable = |byte: u8| matches!(byte, b'\t' | b' '..=b'~');
    let is_plain = !text.is_empty()
        && text.bytes().all(printable)
        && text.trim_matches([' ', '\t']).len() == text.len()
        && !(text.starts_with(PREFIX) && text.ends_with(SUFFIX));
    if is_plain {
        text.to_owned()
    } else {
        format!("{PREFIX}{}{SUFFIX}", STANDARD.encode(text))
    }
}

/// The text that a value, less the white space around it, stands for: itself, or what its base64 form holds. The two marks
/// must not overlap, so `=?base64?=` is a mark without an end, and malformed; half a mark is literal.
///
/// # Errors
/// [`MalformedText`] when the base64 is not canonical, holds too much, or no UTF-8.
pub fn decode(value: &str) -> Result<String, MalformedText> {
    decoded(value).map(Cow::into_owned)
}

/// As [`decode`], without a copy of what stands for itself.
pub(crate) fn decoded(value: &str) -> Result<Cow<'_, str>, MalformedText> {
    if !value.starts_with(PREFIX) || !value.ends_with(SUFFIX) {
        return Ok(Cow::Borrowed(value));
    }
    let inner = value
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.strip_suffix(SUFFIX))
        .ok_or(MalformedText)?;
    let bytes = STANDARD.decode(inner).map_err(|_| MalformedText)?;
    if bytes.len() > MAX_TEXT_BYTES {
        return Err(MalformedText);
    }
    String::from_utf8(bytes)
        .map(Cow::Owned)
        .map_err(|_| MalformedText)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_plain_where_it_can_be_and_the_specifications_examples_come_out() {
        for (value, header) in [
            ("echo", "echo"),
            ("a b\tc", "a b\tc"),
            ("=?base64?abc", "=?base64?abc"),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
            ("", "=?base64??="),
        ] {
            assert_eq!(encode(value), header);
        }
    }

    #[test]
    fn the_specifications_examples_decode() {
        for (header, value) in [
            ("=?base64?SGVsbG8sIOS4lueVjA==?=", "Hello, 世界"),
            ("=?base64?IHBhZGRlZCA=?=", " padded "),
            ("=?base64?bGluZTEKbGluZTI=?=", "line1\nline2"),
            ("=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=", "=?base64?literal?="),
            ("=?base64??=", ""),
        ] {
            assert_eq!(decode(header).as_deref(), Ok(value), "{header}");
        }
    }

    #[test]
    fn half_a_mark_is_literal_and_overlapping_marks_are_malformed() {
        for literal in ["plain", "=?base64?abc", "abc?=", "=?BASE64?YQ==?=", ""] {
            assert_eq!(decode(literal).as_deref(), Ok(literal));
        }
        for bad in [
            "=?base64?=",
            "=?base64?YQ?=",
            "=?base64?YR==?=",
            "=?base64?Y Q=?=",
            "=?base64?_w==?=",
            "=?base64?/w==?=",
        ] {
            assert_eq!(decode(bad), Err(MalformedText), "{bad}");
        }
    }

    #[test]
    fn a_decoded_text_has_its_bound_and_not_a_byte_more() {
        let held = |bytes: usize| decode(&encode(&format!("é{}", "x".repeat(bytes - 2)))).is_ok();
        assert!(held(MAX_TEXT_BYTES) && !held(MAX_TEXT_BYTES + 1));
    }
}
