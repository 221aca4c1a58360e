//! Upstream servers as a source: the tools, resources and prompts of another MCP server join the toolbox.
//!
//! It shares only the codec with the server: what is read goes through this crate's own reader, so that schemas, numbers
//! and the order of members stay exactly as they were given. From the outside in:
//!
//! * `location`, `options`: where a server is and how it is reached;
//! * `source`, `supervisor`, `survey`: starting, following, and telling what became of each entry;
//! * `catalogue`, `read`: from its lists to entries; `tool_handler`, `reader`, `turn`, `parking`: from calls to its answers;
//! * `changes`, `subscribing`: what changed there, and what somebody here follows;
//! * `peer`, `negotiate`, `identity`: a connection with which everything is agreed;
//! * `router`, `calling`, `message`: from messages to whoever waits for them;
//! * `link`: stdio and HTTP.

mod calling;
mod catalogue;
mod changes;
mod error;
mod identity;
mod limits;
mod link;
mod location;
mod message;
mod negotiate;
mod options;
mod parking;
mod pause;
mod peer;
mod prefix;
mod read;
mod reader;
mod router;
mod shared;
mod source;
mod subscribing;
mod supervisor;
mod survey;
mod tool_handler;
mod turn;

pub use link::programs_ended;
pub use location::{SCHEME, Upstream, UpstreamError};
pub use options::UpstreamOptions;
pub use source::UpstreamSource;
pub use survey::{Entry, EntryKind, Survey};
