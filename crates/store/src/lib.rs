//! Task and state stores in SQLite (one file, the default) and PostgreSQL (shared by several servers).
//!
//! The stores are not built yet; settled is how a configuration names one.

mod location;

pub use location::{StoreLocation, StoreLocationError};
