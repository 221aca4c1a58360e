//! The checks of a request's head.

use http::{HeaderMap, Method, header, request::Parts};

use super::{headers::single, hosts::Hosts, refusal::Refusal};

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const USUAL_ACCEPT: &str = "application/json, text/event-stream";

/// Checks host, origin, method, and media types, in this order.
///
/// # Errors
/// The first [`Refusal`].
pub(super) fn check(head: &Parts, hosts: &Hosts) -> Result<(), Refusal> {
    let host = single(&head.headers, &header::HOST).ok().flatten();
    // A request in HTTP/2 form, or one with an absolute target, names its host there.
    let host = host.or_else(|| head.uri.authority().map(|authority| authority.as_str()));
    if !host.is_some_and(|host| hosts.allows(host)) {
        return Err(Refusal::Host);
    }
    match single(&head.headers, &header::ORIGIN) {
        Ok(None) => {}
        Ok(Some(origin)) if hosts.allows_origin(origin) => {}
        _ => return Err(Refusal::Origin),
    }
    if head.method != Method::POST {
        return Err(Refusal::Method);
    }
    if !is_json(&head.headers) {
        return Err(Refusal::MediaType);
    }
    if accepts_both(&head.headers) {
        Ok(())
    } else {
        Err(Refusal::Accept)
    }
}

/// Whether the body is declared as JSON; JSON is UTF-8, so no other charset is taken.
fn is_json(headers: &HeaderMap) -> bool {
    let Ok(Some(declared)) = single(headers, &header::CONTENT_TYPE) else {
        return false;
    };
    if declared == JSON {
        return true;
    }
    let mut parts = declared.split(';').map(str::trim);
    let is_json = parts.next().is_some_and(|kind| kind.eq_ignore_ascii_case(JSON));
    is_json && parts.all(is_utf8_parameter)
}

fn is_utf8_parameter(parameter: &str) -> bool {
    match parameter.split_once('=') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
            value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
        }
        _ => parameter.is_empty(),
    }
}

/// Whether the client accepts both kinds of answers.
fn accepts_both(headers: &HeaderMap) -> bool {
    // As every client library writes it; the rest is for people with other tools.
    let usual = headers
        .get(header::ACCEPT)
        .is_some_and(|value| value == USUAL_ACCEPT);
    usual || (accepts(headers, JSON) && accepts(headers, EVENTS))
}

/// Whether the client accepts `kind`; one that names nothing accepts everything (RFC 9110, 12.5.1).
fn accepts(headers: &HeaderMap, kind: &str) -> bool {
    let mut named = false;
    for value in headers.get_all(header::ACCEPT) {
        named = true;
        let Ok(value) = value.to_str() else { return false };
        if value.split(',').any(|range| range_takes(range, kind)) {
            return true;
        }
    }
    !named
}

fn range_takes(range: &str, kind: &str) -> bool {
    let mut parts = range.split(';').map(str::trim);
    let range = parts.next().unwrap_or_default();
    let family = kind.split_once('/').map_or("", |(family, _)| family);
    let takes = range.eq_ignore_ascii_case(kind)
        || range == "*/*"
        || range
            .split_once('/')
            .is_some_and(|(name, rest)| rest == "*" && name.eq_ignore_ascii_case(family));
    takes && !parts.any(is_zero_weight)
}

fn is_zero_weight(parameter: &str) -> bool {
    let weight = parameter
        .split_once('=')
        .filter(|(name, _)| name.trim().eq_ignore_ascii_case("q"));
    weight.is_some_and(|(_, weight)| weight.trim().parse::<f64>().is_ok_and(|weight| weight <= 0.0))
}

#[cfg(test)]
mod tests {
    use http::{HeaderValue, Request};

    use super::*;

    fn checked<T>(change: impl FnOnce(&mut Parts) -> T) -> Result<(), Refusal> {
        let request = Request::post("/mcp")
            .header("host", "localhost:1")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        let (mut parts, ()) = request.body(()).expect("a request").into_parts();
        change(&mut parts);
        check(&parts, &Hosts::new("127.0.0.1:1".parse().ok(), &[], &[]))
    }

    fn with(name: &'static str, value: &'static str) -> Result<(), Refusal> {
        checked(|parts| {
            parts.headers.insert(name, HeaderValue::from_static(value));
        })
    }

    #[test]
    fn a_usual_request_passes() {
        assert_eq!(checked(|_| {}), Ok(()));
        assert_eq!(with("content-type", "Application/JSON; charset=UTF-8"), Ok(()));
        assert_eq!(with("accept", "*/*"), Ok(()));
        assert_eq!(with("accept", "text/*;q=0.5, application/json"), Ok(()));
        assert_eq!(checked(|parts| drop(parts.headers.remove("accept"))), Ok(()));
        assert_eq!(with("origin", "http://localhost:9"), Ok(()));
    }

    #[test]
    fn each_fault_has_its_refusal() {
        assert_eq!(with("host", "evil.example"), Err(Refusal::Host));
        assert_eq!(
            checked(|parts| drop(parts.headers.remove("host"))),
            Err(Refusal::Host)
        );
        assert_eq!(
            checked(|parts| parts
                .headers
                .append("host", HeaderValue::from_static("localhost:1"))),
            Err(Refusal::Host)
        );
        assert_eq!(with("origin", "https://evil.example"), Err(Refusal::Origin));
        assert_eq!(with("content-type", "text/plain"), Err(Refusal::MediaType));
        assert_eq!(
            with("content-type", "application/json; charset=latin1"),
            Err(Refusal::MediaType)
        );
        assert_eq!(
            checked(|parts| drop(parts.headers.remove("content-type"))),
            Err(Refusal::MediaType)
        );
        assert_eq!(with("accept", "application/json"), Err(Refusal::Accept));
        assert_eq!(
            with("accept", "application/json, text/event-stream;q=0"),
            Err(Refusal::Accept)
        );
        assert_eq!(checked(|parts| parts.method = Method::GET), Err(Refusal::Method));
    }

    #[test]
    fn of_two_faults_the_earlier_step_answers() {
        let both = |first: (&'static str, &'static str), change: fn(&mut Parts)| {
            checked(|parts| {
                parts.headers.insert(first.0, HeaderValue::from_static(first.1));
                change(parts);
            })
        };
        let bad_origin: fn(&mut Parts) = |parts| {
            drop(
                parts
                    .headers
                    .insert("origin", HeaderValue::from_static("https://evil.example")),
            )
        };
        assert_eq!(both(("host", "evil.example"), bad_origin), Err(Refusal::Host));
        assert_eq!(
            both(("origin", "https://evil.example"), |parts| parts.method =
                Method::GET),
            Err(Refusal::Origin)
        );
        assert_eq!(
            both(("content-type", "text/plain"), |parts| parts.method = Method::GET),
            Err(Refusal::Method)
        );
        assert_eq!(
            both(("content-type", "text/plain"), |parts| {
                drop(
                    parts
                        .headers
                        .insert("accept", HeaderValue::from_static("text/html")),
                );
            }),
            Err(Refusal::MediaType)
        );
    }
}
