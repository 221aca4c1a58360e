//! Answers in the node's forms.

use axum::{
    body::Body,
    http::{Response, StatusCode, header},
};
use serde_json::{Value, json};

pub(crate) type Answer = Response<Body>;

/// A success, in the envelope that most answers have.
pub(crate) fn data(value: &Value) -> Answer {
    plain_json(StatusCode::OK, &json!({ "data": value }))
}

/// A success without the envelope.
pub(crate) fn flat(value: &Value) -> Answer {
    plain_json(StatusCode::OK, value)
}

/// A failure in words.
pub(crate) fn error(status: u16, message: &str) -> Answer {
    plain_json(status_of(status), &json!({ "error": message }))
}

/// A failure without a body.
pub(crate) fn empty(status: u16, auth_error: Option<&str>) -> Answer {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status_of(status);
    if let Some(value) = auth_error.and_then(|text| text.parse().ok()) {
        response.headers_mut().insert("x-auth-error", value);
    }
    response
}

/// A failure in plain text.
pub(crate) fn text(status: u16, message: &str) -> Answer {
    let mut response = Response::new(Body::from(message.to_owned()));
    *response.status_mut() = status_of(status);
    response
}

fn plain_json(status: StatusCode, value: &Value) -> Answer {
    let mut response = Response::new(Body::from(value.to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        header::HeaderValue::from_static("application/json"),
    );
    response
}

fn status_of(status: u16) -> StatusCode {
    StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}
