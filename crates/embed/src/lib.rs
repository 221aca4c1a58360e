//! Toolmesh as programs in other languages hold it: the one layer under the Python, Node and Go bindings.
//!
//! A [`Node`] is a whole Toolmesh program: tools of the host language ([`Node::serve`]), sources ([`NodeOptions::sources`]:
//! contracts, Calimero applications, other MCP servers), a place in a mesh, and an MCP server ([`Node::serve_mcp_http`],
//! [`Node::serve_mcp_stdio`]). Everything that crosses to the other language is a text (JSON, exact), a number, or one of
//! the objects here; every rule (schemas, limits, policies, routing, provider formats) stays behind it, in Rust.
//!
//! * A handler is *begun* ([`Handler::begin`]) with a [`Call`] and finishes it whenever it likes, from any thread: so a
//!   goroutine, a coroutine or a JavaScript promise can answer, and no thread waits for it.
//! * What waits in Rust is a future on [`runtime`]; a binding awaits it in its own way, or blocks without holding its
//!   interpreter.
//! * What fails is a [`Fault`]: a kind that every language turns into its own typed error, and a text for people.

mod asked;
mod call;
mod call_options;
mod changes;
mod descriptor;
mod events;
mod fault;
mod formats;
mod handler;
mod mcp;
mod node;
mod options;
mod reading;
mod runtime;
mod text;
mod toolset;

pub use call::{Call, CancelWatch};
pub use call_options::{CallOptions, Routing};
pub use changes::Changes;
pub use events::Events;
pub use fault::{Fault, FaultKind};
pub use formats::{FormatError, ToolFormat, lower_call, to_tool};
pub use handler::{Handler, HandlerFailure};
pub use mcp::McpEndpoint;
pub use node::{Node, Served};
pub use options::{Allowed, Engine, NodeOptions};
pub use runtime::runtime;
pub use toolmesh::{
    json,
    mcp::ServerInfo,
    mesh::{MISSING_TERMINAL, TOOL_METADATA_FETCH_SERVICE},
    provider::ToolCallSpec,
    tool::CancellationToken,
};
pub use toolset::Toolset;
