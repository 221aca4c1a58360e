//! From a configuration to a working dispatcher: sources are made, mounted, filtered, and put behind the policies.

mod assembler;
mod descriptors;
mod error;
#[cfg(feature = "evm")]
mod evm;
mod filter;
mod input;
mod location;
mod pattern;

pub use assembler::{Assembler, Assembly, Use};
pub use error::{AssembleError, FaultKind};
pub use input::{MAX_SOURCE_BYTES, read_location};
pub use location::Location;
pub use pattern::{Pattern, PatternError};

#[cfg(feature = "evm")]
pub(crate) use evm::callable_interface;
#[cfg(feature = "evm")]
pub use evm::interface;

pub(crate) use descriptors::read_descriptors;
#[cfg(not(feature = "evm"))]
pub(crate) use input::not_in_this_build;
