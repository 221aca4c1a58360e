//! What makes tools.

use futures_util::future::BoxFuture;

use crate::{Mount, MountError};

/// A source makes tools (and resources, prompts): it fills its mount when it starts, and keeps it true while it runs.
/// It knows nothing of fronts.
pub trait Source: Send + Sync {
    /// The source's name: unique in a toolbox, used as prefix and in messages.
    fn name(&self) -> &str;

    /// Makes the entries and puts them into `mount`. A source that changes later keeps the mount.
    ///
    /// # Errors
    /// [`SourceError`] when the source cannot be read, is invalid, unreachable, or its entries collide.
    fn start<'a>(&'a self, mount: Mount) -> BoxFuture<'a, Result<(), SourceError>>;
}

/// Why a source could not start; the kinds are those that an operator acts on differently.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The source is not there or cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// The source was read and is not valid.
    #[error("{0}")]
    Invalid(String),
    /// What the source needs is missing or wrong in the configuration.
    #[error("{0}")]
    Configuration(String),
    /// A remote side cannot be reached.
    #[error("{0}")]
    Unreachable(String),
    /// A policy refuses.
    #[error("{0}")]
    Refused(String),
    /// Its entries do not fit into the toolbox.
    #[error(transparent)]
    Mount(#[from] MountError),
}
