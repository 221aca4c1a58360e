//! A text as one segment of a URL or URI.

/// Percent-encoding of everything but unreserved characters.
pub(crate) fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    // A segment of dots alone would climb.
    if encoded.bytes().all(|byte| byte == b'.') {
        return encoded.replace('.', "%2E");
    }
    encoded
}
