//! The side that answers: from a frame to the dispatcher, and back.

mod admit;
mod chunks;
mod door;
mod reply;
mod running;
mod serve;
mod service;
mod stream;
mod watch;
mod watches;
mod way;

pub(crate) use door::Door;
pub(crate) use reply::{CODE_HEADER, CODE_META};
pub(crate) use running::RunningCalls;
pub use running::{MAX_CREDITS, MAX_RUNNING_BYTES_PER_NODE, MAX_RUNNING_CALLS, MAX_RUNNING_CALLS_PER_NODE};
pub use service::TOOL_SCHEMA_FETCH_SERVICE;
pub(crate) use service::is_reserved;
pub use watch::MAX_TOLD_CHANGES;
pub use watches::MAX_WATCHES_PER_NODE;
pub(crate) use watches::Watches;
