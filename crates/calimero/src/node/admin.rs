//! The node's administrative interface: one path and body a call.

use std::time::Duration;

use reqwest::Method;
use toolmesh_json::Value;

use super::http::Request;
use crate::segment::encoded;

/// How long a join may take: the node waits for another member.
const JOIN_TIMEOUT: Duration = Duration::from_secs(65);

/// One call of the administrative interface.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    method: Method,
    path: String,
    body: Option<Body>,
    timeout: Option<Duration>,
}

#[derive(Clone, Debug)]
enum Body {
    Json(Value),
    Bytes(Vec<u8>),
}

impl Call {
    /// Reads what is at the path.
    pub(crate) fn get(segments: &[&str]) -> Self {
        Self {
            method: Method::GET,
            path: path(segments),
            body: None,
            timeout: None,
        }
    }

    /// Posts JSON.
    pub(crate) fn post(segments: &[&str], body: impl Into<Value>) -> Self {
        Self {
            method: Method::POST,
            body: Some(Body::Json(body.into())),
            ..Self::get(segments)
        }
    }

    /// Puts JSON.
    pub(crate) fn put(segments: &[&str], body: impl Into<Value>) -> Self {
        Self {
            method: Method::PUT,
            body: Some(Body::Json(body.into())),
            ..Self::get(segments)
        }
    }

    /// Puts bytes.
    pub(crate) fn put_bytes(segments: &[&str], bytes: Vec<u8>) -> Self {
        Self {
            method: Method::PUT,
            body: Some(Body::Bytes(bytes)),
            ..Self::get(segments)
        }
    }

    /// Deletes what is at the path.
    pub(crate) fn delete(segments: &[&str]) -> Self {
        Self {
            method: Method::DELETE,
            ..Self::get(segments)
        }
    }

    /// Adds a member to the query.
    pub(crate) fn query(mut self, name: &str, value: Option<&str>) -> Self {
        if let Some(value) = value {
            self.path.push(if self.path.contains('?') { '&' } else { '?' });
            self.path.push_str(&format!("{name}={}", encoded(value)));
        }
        self
    }

    /// Sends this body along.
    pub(crate) fn with_json(mut self, body: impl Into<Value>) -> Self {
        self.body = Some(Body::Json(body.into()));
        self
    }

    /// Waits as long as a join may take.
    pub(crate) fn patient(mut self) -> Self {
        self.timeout = Some(JOIN_TIMEOUT);
        self
    }

    pub(super) fn into_request(self, traceparent: Option<&str>) -> Request {
        let request = Request {
            method: self.method,
            timeout: self.timeout,
            traceparent: traceparent.map(str::to_owned),
            ..Request::get(self.path)
        };
        match self.body {
            None => request,
            Some(Body::Json(body)) => request.json(&body),
            Some(Body::Bytes(bytes)) => Request {
                body: Some((bytes, "application/octet-stream")),
                ..request
            },
        }
    }
}

fn path(segments: &[&str]) -> String {
    let segments: Vec<String> = segments.iter().map(|segment| encoded(segment)).collect();
    format!("/admin-api/{}", segments.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_from_outside_stays_one_segment_of_the_path() {
        let call = Call::get(&["contexts", "../a b?x=1"]).query("service_name", Some("a&b"));
        assert_eq!(
            call.path,
            "/admin-api/contexts/..%2Fa%20b%3Fx%3D1?service_name=a%26b"
        );
        assert_eq!(Call::get(&["blobs", ".."]).path, "/admin-api/blobs/%2E%2E");
    }
}
