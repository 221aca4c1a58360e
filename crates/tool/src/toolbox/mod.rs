//! The named catalogue: sources add and remove entries while it runs, readers see a consistent snapshot.

mod catalogue;
mod check;
mod edit;
mod entry;
mod mount;
mod ordered;
mod search;
mod watch;

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{broadcast, watch as state};

pub use catalogue::Catalogue;
pub use check::{EntryError, MAX_ENTRY_NAME_BYTES, MAX_PROMPT_ARGUMENTS};
use edit::Edit;
pub use edit::{MAX_ENTRIES, MAX_TEMPLATES};
pub use entry::CatalogueTool;
pub use mount::{Entries, Mount, MountError, Prefix};
pub use search::{MAX_QUERY_BYTES, MAX_QUERY_WORDS, MAX_SEARCH_HITS, SearchHit};
pub(crate) use watch::Sight;
pub use watch::{CatalogueChange, CatalogueWatch, ListsChange};

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
    /// Held while a change is made, so that changes come one after the other and readers wait for none of them.
    writing: Mutex<()>,
    updates: broadcast::Sender<String>,
}

impl Shared {
    /// Makes the next state from the current one, or leaves everything as it is.
    fn change<T>(&self, work: impl FnOnce(&mut Edit) -> Result<T, MountError>) -> Result<T, MountError> {
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let current = Arc::clone(&self.current.borrow());
        let mut edit = Edit::new(&current);
        let made = work(&mut edit)?;
        let next = edit.finish()?;
        // What the states do not share is dropped here, after readers have the new one.
        drop(self.current.send_replace(Arc::new(next)));
        Ok(made)
    }
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
                writing: Mutex::new(()),
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

    /// URIs of resources whose contents changed, from now on. A reader that is more than 1,024 behind is told so
    /// (`Lagged`), and must then take every resource for changed.
    #[must_use]
    pub fn resource_updates(&self) -> broadcast::Receiver<String> {
        self.shared.updates.subscribe()
    }
}
