//! Reading header fields strictly.

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::header_text::MAX_TEXT_BYTES;

pub(super) const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(super) const METHOD: HeaderName = HeaderName::from_static("mcp-method");
pub(super) const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// What carries a distributed trace.
static TRACE: [HeaderName; 3] = [
    HeaderName::from_static("traceparent"),
    HeaderName::from_static("tracestate"),
    HeaderName::from_static("baggage"),
];

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
    if text.len() > MAX_TEXT_BYTES {
        Err(Malformed)
    } else {
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_field_has_one_value_without_the_space_around_it() {
        let mut headers = HeaderMap::new();
        assert_eq!(single(&headers, &METHOD), Ok(None));
        headers.append(METHOD, HeaderValue::from_static(" tools/call\t"));
        assert_eq!(single(&headers, &METHOD), Ok(Some("tools/call")));
        headers.append(METHOD, HeaderValue::from_static("tools/call"));
        assert_eq!(single(&headers, &METHOD), Err(Malformed));
    }
}
