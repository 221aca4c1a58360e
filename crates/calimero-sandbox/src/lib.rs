//! Runs Calimero applications in this process, without a node: their WebAssembly on the runtime of the node, against a
//! state in memory or in a file.
//!
//! The runtime brings some two hundred crates, so it stands behind the feature `runtime`; without it this crate is only
//! the state, its form in a file, and the bounds. `toolmesh` turns it on by its feature `calimero-sandbox`.
//!
//! | module | |
//! |---|---|
//! | `limits` | what an application may take |
//! | `space` | the state of a context, copied in no time |
//! | `saved` | its form in a file |
//! | `keeper` | who keeps it |
//! | `engine` | the runtime: a module with its bounds, one call of it |
//! | `verdict`, `turn` | calls that take too long, and one call at a time |
//! | `happened` | what a call emitted and logged, as it is told |
//! | `local` | an application that runs |
//! | `open` | from a module to an application that runs |
//! | `source` | its methods as tools, what it emits as resources |
//! | `instance` | an application in one context, called by hand |

#[cfg(feature = "runtime")]
mod engine;
#[cfg(feature = "runtime")]
mod happened;
#[cfg(feature = "runtime")]
mod instance;
#[cfg(any(test, feature = "runtime"))]
mod keeper;
mod limits;
#[cfg(feature = "runtime")]
mod local;
#[cfg(feature = "runtime")]
mod open;
#[cfg(feature = "runtime")]
mod random;
#[cfg(any(test, feature = "runtime"))]
mod saved;
#[cfg(feature = "runtime")]
mod source;
#[cfg(any(test, feature = "runtime"))]
mod space;
#[cfg(any(test, feature = "runtime"))]
mod turn;
#[cfg(any(test, feature = "runtime"))]
mod verdict;

#[cfg(feature = "runtime")]
pub use engine::{CallError, LoadError};
#[cfg(feature = "runtime")]
pub use instance::{Called, Instance};
#[cfg(any(test, feature = "runtime"))]
pub use keeper::{MAX_STATE_FILE_BYTES, StateError};
pub use limits::{
    ENTRY_BYTES, Limits, MAX_CALL_TIME, MAX_ERROR_BYTES, MAX_INPUT_BYTES, MAX_LOG_BYTES, MAX_MEMORY_PAGES,
    MAX_MODULE_BYTES, MAX_OPERATIONS, MAX_OUTPUT_BYTES, MAX_STATE_BYTES, MAX_TABLE_ENTRIES,
};
#[cfg(feature = "runtime")]
pub use local::LOCAL_CONTEXT;
#[cfg(feature = "runtime")]
pub use open::{LocalOptions, OpenError};
#[cfg(feature = "runtime")]
pub use source::LocalSource;

/// The one version of the crates of the Calimero runtime that may be linked: with a newer `calimero-primitives` in the
/// lock file `calimero-crypto` does not build, so every one of them is pinned to it.
pub const RUNTIME_VERSION: &str = "0.11.0-rc.5";
