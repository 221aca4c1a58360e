//! A loopback Calimero node for tests; never published.
//!
//! It serves the part of a node's HTTP interface that a client of applications uses, with state: applications, contexts,
//! aliases, blobs, namespaces and groups; logins with tokens that end, are renewed once and can be revoked; events over
//! `/sse` and `/ws`. Methods are
//! run by a small interpreter that checks arguments as the application's own deserialiser would. What goes wrong in the
//! world is switched on as a [`Fault`]; every request is kept in a log. With the feature `sandbox` an application with a
//! module runs instead (`App::running`).

mod admin;
mod answer;
mod app;
mod auth;
mod events;
mod fault;
mod guest;
pub mod modules;
mod rpc;
#[cfg(feature = "sandbox")]
mod running;
mod server;
mod socket;
mod sse;
mod state;

pub use app::{App, Behaviour};
pub use fault::Fault;
pub use guest::sample;
pub use server::{LoopbackNode, Options, Recorded};
pub use state::IdForm;
