//! Tools on a mesh of machines: `host` (a front) publishes the toolbox, `source` brings the tools of other machines
//! into it, and one small engine trait carries both.
//!
//! The engines are not built yet; a `mesh:` source and `serve --mesh` say so when they are asked for. Settled are the
//! names and JSON forms that stand on the wire.

mod metadata;

pub use metadata::{ToolMetadataError, ToolMetadataRequest, ToolMetadataResponse};
pub use toolmesh_tool::{ToolDescriptor, ToolEvent};

/// The service by which a host tells the whole descriptor of a tool, schemas included.
pub const TOOL_METADATA_FETCH_SERVICE: &str = "tool.metadata.fetch";

/// The status of an answer in which a handler reports its own error.
pub const NRPC_TYPED_HANDLER_ERROR: u16 = 0x8001;

/// The code of the error event that closes a stream whose handler ended it without one.
pub const MISSING_TERMINAL: &str = "missing_terminal";

/// The message of that event.
pub const MISSING_TERMINAL_MESSAGE: &str =
    "tool handler ended its stream without emitting a terminal Result or Error event";
