//! Reading header fields strictly.

use std::borrow::Cow;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::header_text::{PREFIX, SUFFIX};

pub(super) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(super) const METHOD: HeaderName = HeaderName::from_static("mcp-method");
pub(super) const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// What carries a distributed trace.
static TRACE: [HeaderName; 3] = [
    HeaderName::from_static("traceparent"),
    HeaderName::from_static("tracestate"),
    HeaderName::from_static("baggage"),
];

/// Most bytes of a mirrored value, as a header and decoded.
const MAX_VALUE_BYTES: usize = 16_384;

/// A header field that does not have exactly one well-formed value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Malformed;

/// The one value of `name`, less the white space around it; `None` when there is none.
///
/// # Errors
/// [`Malformed`] for a second value, or one with other than printable ASCII.
pub(super) fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, Malformed> {
    // As many names as values: then none has two, and nothing more is to be looked up.
    let one_each = headers.len() == headers.keys_len();
    if !one_each && headers.get_all(name).iter().nth(1).is_some() {
        return Err(Malformed);
    }
    headers.get(name).map(plain).transpose()
}

/// The headers of a distributed trace (W3C Trace Context, Baggage), for the handler and observers. What is malformed is
/// left out: a trace is nobody's reason to refuse a request.
pub(super) fn trace(headers: &HeaderMap) -> Vec<(String, String)> {
    // Most requests have none of them: to go over the few names that there are costs less than to look each of these up.
    let names = TRACE
        .iter()
        .filter(|name| headers.keys().any(|there| there == *name));
    let found = names.filter_map(|name| match single(headers, name) {
        Ok(Some(value)) => Some((name.as_str().to_owned(), value.to_owned())),
        _ => None,
    });
    found.collect()
}

/// The value as text, less the white space around it.
///
/// # Errors
/// [`Malformed`] for characters other than tab and printable ASCII, and for too many of them.
pub(super) fn plain(value: &HeaderValue) -> Result<&str, Malformed> {
    let text = value.to_str().map_err(|_| Malformed)?.trim_matches([' ', '\t']);
    if text.len() > MAX_VALUE_BYTES {
        Err(Malformed)
    } else {
        Ok(text)
    }
}

/// The value that a mirrored header stands for: itself, or what its `=?base64?...?=` form holds. The
/// two marks must not overlap, so `=?base64?=` is a mark without an end, and malformed.
///
/// # Errors
/// [`Malformed`] when the base64 is not canonical, too long, or no UTF-8.
pub(super) fn decode(text: &str) -> Result<Cow<'_, str>, Malformed> {
    if !text.starts_with(PREFIX) || !text.ends_with(SUFFIX) {
        return Ok(Cow::Borrowed(text));
    }
    let inner = text
        .strip_prefix(PREFIX)
        .and_then(|rest| rest.strip_suffix(SUFFIX))
        .ok_or(Malformed)?;
    let bytes = STANDARD.decode(inner).map_err(|_| Malformed)?;
    if bytes.len() > MAX_VALUE_BYTES {
        return Err(Malformed);
    }
    let text = String::from_utf8(bytes).map_err(|_| Malformed)?;
    Ok(Cow::Owned(text))
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn the_headers_of_a_trace_are_kept_and_malformed_ones_left_out() {
        let mut headers = HeaderMap::new();
        let mut add = |name: &'static str, value: &'static str| {
            headers.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        };
        add("traceparent", " 00-a-b-01");
        add("baggage", "a=1");
        add("baggage", "b=2");
        add("x-other", "1");
        assert_eq!(
            trace(&headers),
            [("traceparent".to_owned(), "00-a-b-01".to_owned())]
        );
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
            assert_eq!(decode(bad), Err(Malformed), "{bad}");
        }
    }

    #[test]
    fn a_field_has_one_value_without_the_space_around_it() {
        let mut headers = HeaderMap::new();
        assert_eq!(single(&headers, &METHOD), Ok(None));
        headers.append(METHOD, HeaderValue::from_static(" tools/call\t"));
        assert_eq!(single(&headers, &METHOD), Ok(Some("tools/call")));
        headers.append(METHOD, HeaderValue::from_static("tools/call"));
        assert_eq!(single(&headers, &METHOD), Err(Malformed));
    }
}
