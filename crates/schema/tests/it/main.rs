//! The crate through its public API.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on has failed"
)]

mod bounds;
mod compile;
mod diagnostics;
mod draft;
mod evaluation_limits;
mod hostile;
mod operations;
mod profile_1;
mod resources;
mod shared;
mod suite;
mod suite_drafts;
mod suite_profile_1;
mod tool_input;
mod unevaluated;
