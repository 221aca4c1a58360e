//! A node's applications as one source: their methods as tools, and the tools about the node itself.

mod apps;
mod contexts;
mod events;
mod fixed;
mod follow;
mod guide;
mod handle;
mod naming;
mod refresh;
mod report;
mod run;
mod selection;
mod source;
mod target;
mod toolset;

pub use events::group_events_uri;
pub use follow::{EventChannel, UnknownEventChannel};
pub use guide::{guide_uri, procedures};
pub use handle::{HandleKey, HandleKeyError, MAX_HANDLE_BYTES};
pub use run::checked_arguments;
pub use source::{NodeOptions, NodeSource};
pub use toolset::{Toolset, UnknownToolset};

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use toolmesh_json::Value;
use toolmesh_tool::{CallContext, Mount};

use crate::execute::ExecuteError;
use crate::feed::Feed;
use crate::model::{Application, Manifest};
use crate::node::{Call, Node, NodeError, traceparent};
use crate::tool::Mapping;
use contexts::KnownContext;
use selection::Selections;

/// What all tools of a node share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) node: Node,
    pub(crate) mapping: Mapping,
    pub(crate) toolsets: Vec<Toolset>,
    /// What signs handles.
    key: Result<HandleKey, HandleKeyError>,
    /// The source's name, for messages.
    pub(crate) name: String,
    mount: OnceLock<Mount>,
    /// The installed applications as they were last read.
    apps: Mutex<Arc<Vec<Application>>>,
    /// Interfaces by blob and service: a blob never changes.
    interfaces: Mutex<HashMap<String, Arc<Manifest>>>,
    /// The selected contexts.
    selected: Mutex<Selections>,
    /// Contexts whose application is known.
    contexts: Mutex<HashMap<String, KnownContext>>,
    /// Aliases that were found.
    aliases: Mutex<HashMap<String, String>>,
    /// What happened lately.
    feed: Mutex<Feed>,
    /// The same of groups and namespaces.
    group_feed: Mutex<Feed>,
    /// How the node tells of it.
    events: EventChannel,
    /// Held while the list of applications is read, so that an older list never lands over a newer one.
    refreshing: tokio::sync::Mutex<Option<String>>,
}

impl Shared {
    pub(crate) fn new(name: String, options: NodeOptions) -> Self {
        Self {
            node: Node::new(options.settings),
            mapping: options.mapping,
            toolsets: options.toolsets,
            key: options.handle_key.map_or_else(HandleKey::random, Ok),
            name,
            mount: OnceLock::new(),
            apps: Mutex::default(),
            interfaces: Mutex::default(),
            selected: Mutex::default(),
            contexts: Mutex::default(),
            aliases: Mutex::default(),
            feed: Mutex::default(),
            group_feed: Mutex::default(),
            events: options.events,
            refreshing: tokio::sync::Mutex::default(),
        }
    }

    /// Makes one call of the administrative interface, with the trace context of the call that it is made for.
    pub(crate) async fn ask(&self, context: &CallContext, call: Call) -> Result<Value, NodeError> {
        self.node.ask(call, traceparent(context).as_deref()).await
    }

    fn handle_key(&self) -> Result<&HandleKey, ExecuteError> {
        let told = |error: &HandleKeyError| ExecuteError::Refused(error.to_string());
        self.key.as_ref().map_err(told)
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
