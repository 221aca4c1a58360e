//! Typed interfaces as tools that agents can call: the library to depend on.
//!
//! * [`tool`] is the core: tools, the toolbox, the dispatcher; [`json`] and [`schema`] stand below it.
//! * A *source* makes tools: a Solidity contract ([`evm`]), or tools of one's own, written with [`tool::Tool`].
//! * A *front* offers them: MCP on stdio and HTTP ([`mcp`]).
//! * [`config`] reads `toolmesh.toml` and its environment forms; [`assemble`] makes the sources that it names, mounts
//!   them, and hands back a [`tool::Dispatcher`] for the fronts; [`inspect`] tells what is in a source.
//! * `mesh_keys` makes keys and certificates for a mesh.
//! * [`observe`] writes audit records, counts calls, and offers metrics and health; [`doctor`] looks a configuration over.
//!
//! ```no_run
//! use toolmesh::{
//!     assemble::{Assembler, Location},
//!     config::{Config, SourceConfig},
//!     mcp::{McpServer, ServerInfo},
//! };
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let mut config = Config::default();
//! config.sources.push(SourceConfig::at(Location::parse("examples/token.json")));
//! let assembly = Assembler::new(config).start().await?;
//! McpServer::new(assembly.dispatcher().clone(), ServerInfo::new("example", "1.0.0")).serve_stdio().await?;
//! # Ok(())
//! # }
//! ```
//!
//! Features (all on by default, except `calimero-sandbox` and `otlp`): `evm`, `calimero`, `mcp`, `mesh`, `observe`,
//! `provider`, `store`.

pub mod assemble;
pub mod config;
pub mod doctor;
pub mod inspect;
#[cfg(feature = "mcp")]
mod inspect_upstream;
#[cfg(feature = "mesh")]
pub mod mesh_keys;
pub mod observe;

mod read;

pub use toolmesh_json as json;
pub use toolmesh_schema as schema;
pub use toolmesh_tool as tool;

#[cfg(feature = "calimero")]
pub use toolmesh_calimero as calimero;
#[cfg(feature = "calimero-sandbox")]
pub use toolmesh_calimero_sandbox as calimero_sandbox;
#[cfg(feature = "evm")]
pub use toolmesh_evm as evm;
#[cfg(feature = "mcp")]
pub use toolmesh_mcp as mcp;
#[cfg(feature = "mesh")]
pub use toolmesh_mesh as mesh;
#[cfg(feature = "provider")]
pub use toolmesh_provider as provider;
#[cfg(feature = "store")]
pub use toolmesh_store as store;
