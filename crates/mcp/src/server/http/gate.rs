//! The checks of a request's head.

use http::{HeaderMap, Method, Uri, header};

use super::{
    headers::{Field, Fields},
    hosts::Hosts,
    refusal::Refusal,
};

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const USUAL_ACCEPT: &str = "application/json, text/event-stream";

/// What a request wants of the endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verb {
    /// It brings a message.
    Message,
    /// It opens a stream of a session.
    Stream,
    /// It ends a session.
    End,
}

/// Checks host and origin, in this order.
///
/// # Errors
/// The first [`Refusal`].
pub(super) fn check_site(target: &Uri, fields: &Fields<'_>, hosts: &Hosts) -> Result<(), Refusal> {
    let named = fields.host.single().map_err(|_| Refusal::Host)?;
    // A request in HTTP/2 form, or one with an absolute target, names its host there; it must not name two.
    let target = target.authority().map(|authority| authority.as_str());
    let host = match (named, target) {
        (Some(named), Some(target)) if !named.eq_ignore_ascii_case(target) => return Err(Refusal::Host),
        (named, target) => named.or(target),
    };
    if !host.is_some_and(|host| hosts.allows(host)) {
        return Err(Refusal::Host);
    }
    match fields.origin.single() {
        Ok(None) => Ok(()),
        Ok(Some(origin)) if hosts.allows_origin(origin) => Ok(()),
        _ => Err(Refusal::Origin),
    }
}

/// Checks method, media types and coding, in this order. Only where there are `sessions` has a request other verbs than
/// to bring a message.
///
/// # Errors
/// The first [`Refusal`].
pub(super) fn check_verb(method: &Method, fields: &Fields<'_>, sessions: bool) -> Result<Verb, Refusal> {
    match *method {
        Method::POST if !is_json(fields) => Err(Refusal::MediaType),
        Method::POST if !is_plain(fields) => Err(Refusal::Encoding),
        Method::POST if accepts_both(fields) => Ok(Verb::Message),
        Method::GET if sessions && accepts(fields.all, EVENTS) => Ok(Verb::Stream),
        Method::DELETE if sessions => Ok(Verb::End),
        Method::GET if sessions => Err(Refusal::Accept),
        Method::POST => Err(Refusal::Accept),
        _ => Err(Refusal::Method),
    }
}

/// Whether the body comes as it is: what a coding unfolds to has no bound.
fn is_plain(fields: &Fields<'_>) -> bool {
    if matches!(fields.content_encoding, Field::Absent) {
        return true;
    }
    let codings = fields.all.get_all(header::CONTENT_ENCODING).iter();
    let mut codings = codings.map(|value| value.to_str().unwrap_or("unreadable").trim());
    codings.all(|coding| coding.is_empty() || coding.eq_ignore_ascii_case("identity"))
}

/// Whether the body is declared as JSON; JSON is UTF-8, so no other charset is taken.
fn is_json(fields: &Fields<'_>) -> bool {
    let Ok(Some(declared)) = fields.content_type.single() else {
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
fn accepts_both(fields: &Fields<'_>) -> bool {
    is_usual(fields) || (accepts(fields.all, JSON) && accepts(fields.all, EVENTS))
}

/// Whether both kinds are named as every client library names them; the rest is for people with other tools.
fn is_usual(fields: &Fields<'_>) -> bool {
    fields.accept.once().is_some_and(|value| value == USUAL_ACCEPT)
}

/// Whether the client names streams before JSON: it is then answered with a stream also where JSON would do.
pub(super) fn prefers_stream(fields: &Fields<'_>) -> bool {
    if is_usual(fields) {
        return false;
    }
    let accept = fields.all.get(header::ACCEPT);
    let Some(ranges) = accept.and_then(|value| value.to_str().ok()) else {
        return false;
    };
    let mut named = ranges.split(',').filter_map(|range| {
        let stream = range_takes(range, EVENTS);
        (stream || range_takes(range, JSON)).then_some(stream && !range_takes(range, JSON))
    });
    named.next().unwrap_or(false)
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
    use http::{HeaderValue, Request, request::Parts};

    use super::*;

    fn checked<T>(change: impl FnOnce(&mut Parts) -> T) -> Result<(), Refusal> {
        verb(change, false).map(drop)
    }

    fn verb<T>(change: impl FnOnce(&mut Parts) -> T, sessions: bool) -> Result<Verb, Refusal> {
        let request = Request::post("/mcp")
            .header("host", "localhost:1")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        let (mut parts, ()) = request.body(()).expect("a request").into_parts();
        change(&mut parts);
        let fields = Fields::of(&parts.headers);
        check_site(
            &parts.uri,
            &fields,
            &Hosts::new("127.0.0.1:1".parse().ok(), &[], &[]),
        )?;
        check_verb(&parts.method, &fields, sessions)
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
    fn streams_and_ends_are_verbs_only_where_there_are_sessions() {
        let of = |method: Method, sessions| verb(|parts| parts.method = method, sessions);
        assert_eq!(of(Method::POST, true), Ok(Verb::Message));
        assert_eq!(of(Method::GET, true), Ok(Verb::Stream));
        assert_eq!(of(Method::DELETE, true), Ok(Verb::End));
        assert_eq!(of(Method::PUT, true), Err(Refusal::Method));
        assert_eq!(of(Method::GET, false), Err(Refusal::Method));
        assert_eq!(of(Method::DELETE, false), Err(Refusal::Method));
        let plain = |parts: &mut Parts| {
            parts.method = Method::GET;
            drop(
                parts
                    .headers
                    .insert("accept", HeaderValue::from_static("text/html")),
            );
        };
        assert_eq!(verb(plain, true), Err(Refusal::Accept));
    }

    #[test]
    fn an_absolute_target_names_the_host_that_the_header_names() {
        let target = |target: &'static str| checked(|parts| parts.uri = target.parse().expect("a target"));
        assert_eq!(target("http://LOCALHOST:1/mcp"), Ok(()));
        assert_eq!(target("http://127.0.0.1:1/mcp"), Err(Refusal::Host));
        assert_eq!(target("http://evil.example/mcp"), Err(Refusal::Host));
        let without_header = checked(|parts| {
            parts.headers.remove("host");
            parts.uri = "http://localhost:1/mcp".parse().expect("a target");
        });
        assert_eq!(without_header, Ok(()));
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
        assert_eq!(with("content-encoding", "gzip"), Err(Refusal::Encoding));
        assert_eq!(with("content-encoding", "identity, gzip"), Err(Refusal::Encoding));
        assert_eq!(with("content-encoding", "Identity"), Ok(()));
        assert_eq!(with("accept", "application/json"), Err(Refusal::Accept));
        assert_eq!(
            with("accept", "application/json, text/event-stream;q=0"),
            Err(Refusal::Accept)
        );
        assert_eq!(checked(|parts| parts.method = Method::GET), Err(Refusal::Method));
    }

    #[test]
    fn a_client_that_names_streams_first_prefers_them() {
        let prefers = |accept: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert("accept", HeaderValue::from_static(accept));
            prefers_stream(&Fields::of(&headers))
        };
        assert!(prefers("text/event-stream, application/json"));
        assert!(prefers("text/html, text/event-stream;q=0.9, */*"));
        for accept in [
            USUAL_ACCEPT,
            "*/*",
            "text/event-stream;q=0, application/json",
            "text/html",
        ] {
            assert!(!prefers(accept), "{accept}");
        }
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
