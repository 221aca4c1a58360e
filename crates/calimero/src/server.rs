//! A node's applications as one source: their methods as tools, and the tools about the node itself.

mod apps;
mod contexts;
mod events;
mod fixed;
mod guide;
mod naming;
mod refresh;
mod run;
mod source;
mod toolset;

pub use events::events_uri;
pub use guide::{guide_uri, procedures};
pub use source::{NodeOptions, NodeSource};
pub use toolset::{Toolset, UnknownToolset};

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use toolmesh_tool::Mount;

use crate::model::{Application, Manifest};
use crate::node::Node;
use crate::tool::Mapping;
use contexts::KnownContext;

/// What all tools of a node share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) node: Node,
    pub(crate) mapping: Mapping,
    pub(crate) toolsets: Vec<Toolset>,
    /// The source's name, for messages.
    pub(crate) name: String,
    mount: OnceLock<Mount>,
    /// The installed applications as they were last read.
    apps: Mutex<Arc<Vec<Application>>>,
    /// Interfaces by blob and service: a blob never changes.
    interfaces: Mutex<HashMap<String, Arc<Manifest>>>,
    /// The selected context of each application, by its id.
    selected: Mutex<HashMap<String, String>>,
    /// Contexts whose application is known.
    contexts: Mutex<HashMap<String, KnownContext>>,
    /// Aliases that were found.
    aliases: Mutex<HashMap<String, String>>,
    /// What happened lately.
    feed: Mutex<events::Feed>,
    /// Held while the list of applications is read, so that an older list never lands over a newer one.
    refreshing: tokio::sync::Mutex<Option<String>>,
}

impl Shared {
    pub(crate) fn new(node: Node, name: String, mapping: Mapping, toolsets: Vec<Toolset>) -> Self {
        Self {
            node,
            mapping,
            toolsets,
            name,
            mount: OnceLock::new(),
            apps: Mutex::default(),
            interfaces: Mutex::default(),
            selected: Mutex::default(),
            contexts: Mutex::default(),
            aliases: Mutex::default(),
            feed: Mutex::default(),
            refreshing: tokio::sync::Mutex::default(),
        }
    }

    /// The installed applications as they were last read.
    pub(crate) fn apps(&self) -> Arc<Vec<Application>> {
        Arc::clone(&lock(&self.apps))
    }
}

/// The contents of a mutex; a panic elsewhere leaves them as they are, and each is whole at any time.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
