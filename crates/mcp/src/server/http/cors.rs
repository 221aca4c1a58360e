//! Letting the pages of allowed origins read answers (Fetch Standard, 3.2).

use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, header, request::Parts};

use super::{
    body::ResponseBody,
    headers::{PARAMETER_PREFIX, single},
};

/// How long a browser may remember what is allowed: 10 min.
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");

const METHODS: HeaderValue = HeaderValue::from_static("POST, GET, DELETE");

/// Headers that a page may send besides those that need no permission.
const HEADERS: [&str; 8] = [
    "accept",
    "authorization",
    "content-type",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
];

/// Headers of answers that a page may read.
const EXPOSED: HeaderValue = HeaderValue::from_static("mcp-session-id, retry-after, www-authenticate");

/// Most names that one preflight may ask for: 64, well over what any request of the protocol has.
const MAX_ASKED: usize = 64;

/// Whether the request asks only what a page may do.
pub(super) fn is_preflight(head: &Parts) -> bool {
    head.method == Method::OPTIONS
        && head.headers.contains_key(header::ORIGIN)
        && head.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// Answers a preflight from an allowed origin. Of the headers for arguments, those that `is_mirrored` knows are allowed.
pub(super) fn preflight(head: &Parts, is_mirrored: impl Fn(&str) -> bool) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let asked = single(&head.headers, &header::ACCESS_CONTROL_REQUEST_HEADERS);
    let mirrored = asked
        .ok()
        .flatten()
        .unwrap_or_default()
        .split(',')
        .take(MAX_ASKED);
    let mirrored = mirrored
        .map(|name| name.trim().to_ascii_lowercase())
        .filter(|name| name.strip_prefix(PARAMETER_PREFIX).is_some_and(&is_mirrored));
    let mut allowed = HEADERS.join(", ");
    for name in mirrored.filter_map(|name| HeaderName::try_from(name).ok()) {
        allowed.push_str(", ");
        allowed.push_str(name.as_str());
    }
    if let Ok(allowed) = HeaderValue::try_from(allowed) {
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed);
    }
    response
}

/// Lets the page of the request's origin, which is allowed, read the answer.
pub(super) fn allow(origin: Option<&HeaderValue>, answer: &mut HeaderMap) {
    let Some(origin) = origin else { return };
    answer.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    answer.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    // Another origin must not be given this answer from a cache.
    answer.append(header::VARY, HeaderValue::from_static("origin"));
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn parts(method: &str, headers: &[(&'static str, &'static str)]) -> Parts {
        let mut request = Request::builder().method(method);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).expect("a request").into_parts().0
    }

    #[test]
    fn a_preflight_is_an_options_request_of_a_page_that_asks_for_a_method() {
        let origin = ("origin", "https://a.example");
        let method = ("access-control-request-method", "POST");
        assert!(is_preflight(&parts("OPTIONS", &[origin, method])));
        assert!(!is_preflight(&parts("OPTIONS", &[origin])));
        assert!(!is_preflight(&parts("OPTIONS", &[method])));
        assert!(!is_preflight(&parts("POST", &[origin, method])));
    }

    #[test]
    fn of_the_headers_for_arguments_only_registered_ones_are_allowed() {
        let asked = (
            "access-control-request-headers",
            "Mcp-Param-Tenant, mcp-param-other, x-other",
        );
        let response = preflight(&parts("OPTIONS", &[asked]), |suffix| suffix == "tenant");
        let allowed = &response.headers()["access-control-allow-headers"];
        assert_eq!(
            allowed,
            "accept, authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id, mcp-param-tenant"
        );
    }
}
