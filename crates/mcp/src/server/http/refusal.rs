//! What is refused before there is a JSON-RPC message: the one table of statuses and texts.

use http::{HeaderValue, Response, StatusCode, header};

use super::body::ResponseBody;

/// Why a request is refused before its body is a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The path is not the endpoint's.
    Path,
    /// The request's target is longer than allowed.
    Target,
    /// The request's head is larger than allowed.
    Head,
    /// The body comes in a coding.
    Encoding,
    /// The host is missing, malformed, double, or not allowed.
    Host,
    /// The origin is not allowed.
    Origin,
    /// The method is not POST.
    Method,
    /// A stream is opened, or a session ended, without the name of a session.
    NoSession,
    /// There is no such session, or it is over.
    UnknownSession,
    /// There is no such event to go on from.
    UnknownEvent,
    /// The body is not declared as JSON.
    MediaType,
    /// The client does not accept what the endpoint answers.
    Accept,
    /// The body is larger than allowed.
    TooLarge,
    /// The body took too long.
    Timeout,
    /// The body ended early.
    Broken,
}

impl Refusal {
    /// Status and text.
    const fn declared(self) -> (StatusCode, &'static str) {
        match self {
            Self::Path => (StatusCode::NOT_FOUND, "Not found\n"),
            Self::Target => (StatusCode::URI_TOO_LONG, "The target is too long\n"),
            Self::Head => (
                StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
                "The head is too large\n",
            ),
            Self::Encoding => (
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "Send the message as it is, without a coding\n",
            ),
            Self::Host => (StatusCode::MISDIRECTED_REQUEST, "Host not allowed\n"),
            Self::Origin => (StatusCode::FORBIDDEN, "Origin not allowed\n"),
            Self::Method => (StatusCode::METHOD_NOT_ALLOWED, "Use POST\n"),
            Self::NoSession => (StatusCode::METHOD_NOT_ALLOWED, "Use POST, or name a session\n"),
            Self::UnknownSession => (StatusCode::NOT_FOUND, "Session not found\n"),
            Self::UnknownEvent => (StatusCode::BAD_REQUEST, "Unknown event\n"),
            Self::MediaType => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "Send application/json\n"),
            Self::Accept => (
                StatusCode::NOT_ACCEPTABLE,
                "Accept both application/json and text/event-stream\n",
            ),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "The message is too large\n"),
            Self::Timeout => (
                StatusCode::REQUEST_TIMEOUT,
                "The message took too long to arrive\n",
            ),
            Self::Broken => (StatusCode::BAD_REQUEST, "The message ended early\n"),
        }
    }

    /// The response.
    pub(super) fn response(self) -> Response<ResponseBody> {
        let (status, text) = self.declared();
        let mut response = plain(status, text);
        let headers = response.headers_mut();
        match self {
            Self::Encoding => {
                drop(headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity")))
            }
            Self::Method => drop(headers.insert(header::ALLOW, HeaderValue::from_static("POST"))),
            Self::NoSession => {
                drop(headers.insert(header::ALLOW, HeaderValue::from_static("POST, GET, DELETE")))
            }
            _ => {}
        }
        response
    }
}

/// A fixed text that nobody keeps.
pub(super) fn plain(status: StatusCode, text: &'static str) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::full(text.as_bytes().to_vec()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Refusal; 15] = [
        Refusal::Path,
        Refusal::Target,
        Refusal::Head,
        Refusal::Encoding,
        Refusal::Host,
        Refusal::Origin,
        Refusal::Method,
        Refusal::NoSession,
        Refusal::UnknownSession,
        Refusal::UnknownEvent,
        Refusal::MediaType,
        Refusal::Accept,
        Refusal::TooLarge,
        Refusal::Timeout,
        Refusal::Broken,
    ];

    #[test]
    fn every_refusal_stands_in_a_golden_file_of_the_wire() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/faults/snapshots");
        let files = folder.read_dir().expect("golden files");
        let texts =
            files.map(|file| std::fs::read_to_string(file.expect("readable").path()).expect("readable"));
        let golden: Vec<String> = texts.collect();
        for refusal in ALL {
            let (status, text) = refusal.declared();
            let (status, text) = (format!("< {} ", status.as_u16()), text.trim_end());
            let mut lines = golden.iter().flat_map(|text| text.lines());
            let stands = lines.any(|line| line.starts_with(&status) && line.ends_with(text));
            assert!(stands, "{refusal:?}");
        }
    }
}
