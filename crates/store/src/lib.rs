//! Task stores in SQLite (one file, the default) and PostgreSQL (shared by several servers).
//!
//! [`open()`] turns a [`StoreLocation`] into a `TaskStore`. What a task is and who may change it is decided in
//! `toolmesh-tool`; a store here keeps records as rows, swaps a row only for the one that was read, and is durable
//! when it says so. Times are the database's, so that the clocks of the servers that share it need not agree.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use toolmesh_store::{StoreLocation, open};
//!
//! let store = open(&StoreLocation::parse("sqlite:tasks.db")?).await?;
//! # let _ = store;
//! # Ok(())
//! # }
//! ```

mod location;
mod migrate;
mod open;
mod row;
mod sql;
mod statements;

pub use location::{StoreLocation, StoreLocationError};
pub use open::{DEFAULT_LIVE_TASKS, OpenError, StoreSettings, open, open_with};
