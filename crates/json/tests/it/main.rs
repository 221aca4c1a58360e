//! What the crate promises, through its public API.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that fails panics")]

mod bind;
mod bounds;
mod build;
mod canonical;
mod hostile;
mod number;
mod pointer;
mod read;
mod round_trip;
mod sharing;
mod write;

/// The value of a document that is known to be right.
fn json(text: &str) -> toolmesh_json::Value {
    toolmesh_json::parse(text.as_bytes()).expect("the document of a test is JSON")
}
