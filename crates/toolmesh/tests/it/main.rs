//! The library through its public face: configurations and sources put together.

#![expect(
    clippy::unwrap_used,
    reason = "what goes wrong here fails the test where it stands"
)]

mod assembling;
mod native;
mod observing;
