//! The Model Context Protocol: revisions, JSON-RPC, the server on stdio and HTTP, the client for upstream servers.
//!
//! * [`server`] is a front: [`McpServer`] offers what a [`toolmesh_tool::Dispatcher`] lets its callers see, over
//!   standard input and output or over Streamable HTTP.
//! * [`client`] is a source: the tools of another MCP server. It shares only the codec with the server.
//! * The revisions 2025-06-18, 2025-11-25 and 2026-07-28 are served side by side. Each is a table (methods, what it can
//!   express, codes, statuses, texts), so that nothing else compares versions or spells a code.
//!
//! ```no_run
//! use toolmesh_mcp::{HttpOptions, McpServer, ServerInfo};
//! use toolmesh_tool::{Dispatcher, Toolbox};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let dispatcher = Dispatcher::builder(Toolbox::new()).build();
//! let server = McpServer::new(dispatcher, ServerInfo::new("example", "1.0.0"));
//!
//! let bound = server.bind_http(([127, 0, 0, 1], 0).into(), HttpOptions::default()).await?;
//! println!("listening at {}", bound.url());
//! bound.serve(std::future::pending()).await?;
//! # Ok(())
//! # }
//! ```

pub mod client;
pub mod header_text;
pub mod server;

mod jsonrpc;
mod lines;
mod revision;
mod wire;

pub use client::{Upstream, UpstreamError, UpstreamOptions, UpstreamSource};
pub use revision::supported_versions;
pub use server::{
    BindError, BoundServer, HttpOptions, HttpService, McpServer, ServeError, ServerInfo, ServerLimits,
    TlsError, TlsIdentity, UnknownParameters,
};
