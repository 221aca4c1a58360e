//! The providers' formats from outside: what the shared vectors pin, what providers publish, what comes back.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "what goes wrong here fails the test where it stands"
)]

mod compat;
mod corpus;
mod dispatch;
mod events;
mod listing;
mod lower;
mod names;
mod oracle;
mod properties;
mod result;
mod rules;
mod safe;
mod stream;
mod support;
