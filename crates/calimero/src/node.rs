//! A Calimero node: found, logged in to, asked.

mod admin;
mod client;
mod discover;
mod error;
mod events;
mod guest;
mod http;
mod id;
mod rpc;
mod session;
mod settings;
mod socket;
mod sse;
mod store;
mod token;
mod trace;

pub(crate) use admin::Call;
pub use client::Node;
pub use discover::{Discovered, DiscoverySource, discover, nearby};
pub use error::NodeError;
pub use events::{EventStream, NodeEvent, Origin, Topics};
pub use guest::guest_message;
pub use http::MAX_ANSWER_BYTES;
pub use id::is_id;
pub use settings::{NodeSettings, Secret};
pub use socket::EventSocket;
pub use sse::MAX_EVENT_BYTES;
pub use store::{TokenStore, Tokens};
pub(crate) use trace::traceparent;
