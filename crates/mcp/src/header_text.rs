//! Any text as the value of a header field (2026-07-28: mirrored headers).

use base64::{Engine as _, engine::general_purpose::STANDARD};

/// What a value in base64 begins with.
pub(crate) const PREFIX: &str = "=?base64?";
/// What it ends with.
pub(crate) const SUFFIX: &str = "?=";

/// The text itself when a header field can hold it and nobody takes it for something else, otherwise its base64 form.
pub(crate) fn encode(text: &str) -> String {
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
}
