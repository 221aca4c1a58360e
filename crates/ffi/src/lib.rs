//! The C interface over [`toolmesh_embed`], under the Go binding and for programs in C: one library, versioned, refused on
//! mismatch.
//!
//! `include/toolmesh.h` is made of this crate by cbindgen and begins with the rules: who owns what, which thread calls what,
//! how things fail. In short: no function waits, what takes time tells a callback exactly once (`task.rs`), a panic is one of
//! the codes ([`ToolmeshCode`]), and every text has a length. This is the one crate of the product that dereferences what it is
//! given; what pointers have to be is said once, in `boundary.rs`.

mod answer;
mod boundary;
mod call;
mod formats;
mod handler;
mod mcp;
mod node;
mod streams;
mod task;
mod token;

pub use answer::{ToolmeshAnswer, ToolmeshCode, ToolmeshText, toolmesh_answer_free, toolmesh_code_word};
pub use call::{
    ToolmeshEventsOpened, toolmesh_call, toolmesh_call_streaming, toolmesh_describe, toolmesh_fetch_metadata,
};
pub use formats::{
    ToolmeshToolset, toolmesh_lower_call, toolmesh_to_tool, toolmesh_toolset_calls, toolmesh_toolset_free,
    toolmesh_toolset_messages, toolmesh_toolset_tools, toolmesh_toolset_translate, toolmesh_toolset_warnings,
};
pub use handler::{
    ToolmeshBegin, ToolmeshCall, ToolmeshRelease, ToolmeshServed, ToolmeshWatched, toolmesh_call_arguments,
    toolmesh_call_caller, toolmesh_call_deadline_ms, toolmesh_call_event, toolmesh_call_fail,
    toolmesh_call_finish, toolmesh_call_free, toolmesh_call_headers, toolmesh_call_idempotency_key,
    toolmesh_call_is_cancelled, toolmesh_call_on_cancel, toolmesh_serve, toolmesh_served_free,
};
pub use mcp::{
    ToolmeshEndpoint, ToolmeshEndpointOpened, toolmesh_endpoint_free, toolmesh_endpoint_stop,
    toolmesh_endpoint_url, toolmesh_serve_mcp_http, toolmesh_serve_mcp_stdio,
};
pub use node::{
    ToolmeshNode, ToolmeshNodeStarted, toolmesh_hosts, toolmesh_list, toolmesh_node_close,
    toolmesh_node_free, toolmesh_node_id, toolmesh_node_listens_at, toolmesh_node_start,
};
pub use streams::{
    ToolmeshChanges, ToolmeshEvents, toolmesh_changes_free, toolmesh_changes_next, toolmesh_events_cancel,
    toolmesh_events_free, toolmesh_events_next, toolmesh_watch,
};
pub use task::ToolmeshDone;
pub use token::{ToolmeshToken, toolmesh_token_cancel, toolmesh_token_free, toolmesh_token_new};

/// The version of the C interface; it grows with every incompatible change.
pub const TOOLMESH_ABI_VERSION: u32 = 1;

/// The version of the C interface that this library has. A program built for another one must not go on.
#[unsafe(no_mangle)]
pub extern "C" fn toolmesh_abi_version() -> u32 {
    TOOLMESH_ABI_VERSION
}
