//! Tools on a mesh of machines: typed, found by whoever may see them, called wherever they are served, streamed.
//!
//! A [`Mesh`] is one node. It serves tools ([`Mesh::serve_tool`], [`Mesh::serve_tool_streaming`], or a whole
//! [`toolmesh_tool::Dispatcher`] by [`MeshBuilder::dispatcher`]), lists and watches those of all nodes
//! ([`Mesh::list_tools`], [`Mesh::watch_tools`]), and calls them ([`Mesh::call_tool`], [`Mesh::call_tool_streaming`]). Every
//! call passes the dispatcher of the node that serves the tool.
//!
//! What carries the mesh is an [`engine`]: zenoh for nodes of several processes and machines (the feature `zenoh`, on by
//! default), and [`engine::MemoryEngine`] for those of one process.
//!
//! ```
//! use toolmesh_mesh::{MeshBuilder, metadata_for};
//!
//! #[derive(schemars::JsonSchema, serde::Serialize, serde::Deserialize)]
//! struct Text {
//!     text: String,
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let key = [7; 32];
//! let host = MeshBuilder::new("127.0.0.1:0", &key)?.build().await?;
//! let descriptor = metadata_for::<Text, Text>("shout").description("Says it loudly.").build();
//! let _served = host.serve_tool::<Text, Text, _, _>(descriptor, |said| async move {
//!     Ok(Text { text: said.text.to_uppercase() })
//! })?;
//!
//! // Of the same process and with the same key: the two find each other.
//! let agent = MeshBuilder::new("127.0.0.1:0", &key)?.build().await?;
//! assert_eq!(agent.list_tools(None).len(), 1);
//! let heard: Text = agent.call_tool("shout", &Text { text: "hello".into() }).await?;
//! assert_eq!(heard.text, "HELLO");
//! # Ok(())
//! # }
//! ```

mod access;
mod breaker;
mod capability;
mod change;
mod client;
mod describe;
mod difference;
pub mod engine;
mod error;
mod fold;
mod host;
mod matcher;
mod mesh;
mod metadata;
mod node;
mod options;
mod predicate;
mod route;
mod row;
mod schemas;
mod seldom;
mod source;
mod tag;
mod tool_capability;
mod watch_request;
pub mod wire;

pub use access::{AccessRules, AccessRulesError, AllowList, MAX_CHAIN_NAME_BYTES, MAX_GATEWAYS};
pub use breaker::{BreakerPolicy, MAX_CIRCUITS};
pub use capability::{CapabilityError, CapabilitySet, MAX_ALLOWED, MAX_METADATA_VALUE_BYTES, MAX_TAGS};
pub use change::{ChangeError, ToolListChange};
pub use client::{RpcItem, RpcStreamTyped};
pub use describe::{ToolMetadataBuilder, metadata_for};
pub use engine::{Alone, EngineError, Identity, MemoryNetwork, NodeId};
#[cfg(feature = "zenoh")]
pub use engine::{
    CredentialPart, Credentials, CredentialsError, CredentialsFault, MeshRouter, MeshRouterBuilder,
    NameError, RouterRules,
};
pub use error::{AnnounceError, BuildError, CodecDirection, RpcError, ServeError};
pub use fold::{MAX_BYTES_PER_NODE, MAX_TOOLS_PER_NODE};
pub use host::{
    MAX_CREDITS, MAX_RUNNING_BYTES_PER_NODE, MAX_RUNNING_CALLS, MAX_RUNNING_CALLS_PER_NODE, MAX_TOLD_CHANGES,
    MAX_WATCHES_PER_NODE, TOOL_SCHEMA_FETCH_SERVICE,
};
pub use matcher::{CompiledMatcher, MAX_PATTERN_BYTES, MatcherError, TagMatcher};
pub use mesh::{Mesh, MeshBuilder, SeenNode, ToolListWatch, ToolServeHandle, ToolServer};
pub use metadata::{ToolMetadataError, ToolMetadataRequest, ToolMetadataResponse};
pub use options::{
    CallOptions, CallOptionsTyped, Codec, DEFAULT_ANSWER_WINDOW, DEFAULT_DEADLINE, DEFAULT_STREAM_DEADLINE,
    DEFAULT_STREAM_WINDOW, MAX_DEADLINE, MAX_STREAM_WINDOW, RetryPolicy,
};
pub use predicate::{MAX_PREDICATE_BYTES, Predicate, PredicateError, PredicateNode, TagKey, WHERE_HEADER};
pub use route::RoutingPolicy;
pub use row::{MAX_INLINE_SCHEMA_BYTES, MAX_ROW_BYTES};
pub use schemas::MAX_CACHED_SCHEMA_BYTES;
pub use seldom::Seldom;
pub use source::MeshSource;
pub use tag::{Axis, AxisTag, MAX_TAG_BYTES, TagError, check_tag};
pub use tool_capability::ToolCapability;
pub use toolmesh_tool::{ToolDescriptor, ToolEvent};
pub use watch_request::ToolWatchRequest;
pub use wire::{CREDIT_BYTES, NRPC_TYPED_HANDLER_ERROR};

/// The service by which a host tells the whole descriptor of a tool, schemas included.
pub const TOOL_METADATA_FETCH_SERVICE: &str = "tool.metadata.fetch";

/// The service by which a host tells what changes among its tools: a stream of [`ToolListChange`].
pub const TOOL_WATCH_SERVICE: &str = "tool.watch";

/// The code of the error event that closes a stream whose handler ended it without one.
pub const MISSING_TERMINAL: &str = "missing_terminal";

/// The message of that event.
pub const MISSING_TERMINAL_MESSAGE: &str =
    "tool handler ended its stream without emitting a terminal Result or Error event";

/// The guide's examples are compiled.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/mesh.md")]
struct Guide;
