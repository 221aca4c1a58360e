//! The server through its public API: conversations on stdio in memory, requests over real HTTP.

#![expect(
    clippy::expect_used,
    reason = "a test may panic; helpers outside of test functions are tests as well"
)]

mod bounds;
mod edges;
mod faults;
mod http;
mod http_client;
mod http_life;
mod listing;
mod outgoing;
mod over_socket;
mod pages;
mod precedence;
mod projection;
mod session;
mod session_client;
mod stdio;
mod stdio_client;
mod subscriptions;
mod tasks;
mod telling;
mod toolbox;
mod upstream;
mod visible_changes;
mod wire;
