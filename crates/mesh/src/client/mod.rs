//! The side that asks: from a value to a frame, and back.

mod attempt;
mod call;
mod fetch;
mod open;
mod request;
mod stream;

pub(crate) use call::{call_node, call_tool};
pub(crate) use fetch::{describe, hydrated};
pub(crate) use open::{open_service, open_stream};
pub use stream::{RpcItem, RpcStreamTyped};
