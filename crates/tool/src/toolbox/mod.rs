//! The named catalogue: sources add and remove entries while it runs, readers see a consistent snapshot.

mod catalogue;
mod mount;
mod watch;

use std::sync::Arc;

use tokio::sync::{broadcast, watch as state};

pub use catalogue::{Catalogue, CatalogueTool};
pub use mount::{Entries, Mount, MountError, Prefix};
pub use watch::{CatalogueChange, CatalogueWatch};

/// Resource updates that a slow watcher may lag behind before it is told that it missed some.
const UPDATE_QUEUE: usize = 1_024;

/// The named catalogue. Clones share it.
#[derive(Debug, Clone)]
pub struct Toolbox {
    shared: Arc<Shared>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    /// The current snapshot; whoever waits for changes waits on this.
    current: state::Sender<Arc<Catalogue>>,
    updates: broadcast::Sender<String>,
}

impl Default for Toolbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Toolbox {
    /// An empty toolbox.
    #[must_use]
    pub fn new() -> Self {
        let current = state::Sender::new(Arc::new(Catalogue::default()));
        Self {
            shared: Arc::new(Shared {
                current,
                updates: broadcast::Sender::new(UPDATE_QUEUE),
            }),
        }
    }

    /// Makes room for a source. Its entries appear under `prefix` when the mount fills them in.
    ///
    /// # Errors
    /// [`MountError::SourceName`] when another source has this name.
    pub fn mount(&self, source: &str, prefix: Prefix) -> Result<Mount, MountError> {
        Mount::new(Arc::clone(&self.shared), source, prefix)
    }

    /// The catalogue as it is now: consistent, and never changing.
    #[must_use]
    pub fn snapshot(&self) -> Arc<Catalogue> {
        Arc::clone(&self.shared.current.borrow())
    }

    /// Watches the catalogue from now on.
    #[must_use]
    pub fn watch(&self) -> CatalogueWatch {
        CatalogueWatch::new(self.shared.current.subscribe())
    }

    /// URIs of resources whose contents changed, from now on.
    #[must_use]
    pub fn resource_updates(&self) -> broadcast::Receiver<String> {
        self.shared.updates.subscribe()
    }
}
