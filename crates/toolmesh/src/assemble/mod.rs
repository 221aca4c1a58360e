//! From a configuration to a working dispatcher: sources are made, mounted, filtered, and put behind the policies.

#[cfg(feature = "calimero")]
mod application;
mod assembler;
mod beside;
#[cfg(feature = "calimero")]
pub(crate) mod calimero;
#[cfg(feature = "calimero")]
pub(crate) mod calimero_node;
#[cfg(feature = "evm")]
mod contract;
mod descriptors;
#[cfg(feature = "mcp")]
mod endpoint;
mod error;
#[cfg(feature = "evm")]
mod evm;
mod filter;
mod input;
mod location;
#[cfg(feature = "mesh")]
mod mesh;
#[cfg(feature = "evm")]
mod network;
mod policies;
#[cfg(feature = "mesh")]
mod rules;
#[cfg(feature = "evm")]
mod sandbox;
#[cfg(feature = "evm")]
mod signer;
mod state_keys;
mod surroundings;
#[cfg(feature = "mcp")]
pub(crate) mod upstream;

pub use assembler::{Assembler, Assembly, Use};
pub use beside::Beside;
#[cfg(feature = "mcp")]
pub use endpoint::{EndpointError, http_options};
pub use error::{AssembleError, FaultKind};
pub use input::{MAX_SOURCE_BYTES, read_location};
pub use location::Location;
#[cfg(feature = "mesh")]
pub use mesh::{MeshError, trusts_nobody};
#[cfg(feature = "evm")]
pub(crate) use sandbox::kept as kept_sandbox;
pub use state_keys::{StateKeyError, state_protector};
pub use surroundings::Surroundings;
pub use toolmesh_tool::{Pattern, PatternError};

pub(crate) use policies::task_store;

#[cfg(feature = "evm")]
pub use evm::interface;
#[cfg(feature = "evm")]
pub(crate) use evm::{callable_interface, interface_in};
#[cfg(feature = "evm")]
pub use network::{KnownNetwork, networks};

pub(crate) use descriptors::read_descriptors;
#[cfg(not(feature = "evm"))]
pub(crate) use input::not_in_this_build;
pub(crate) use input::source_bytes;
