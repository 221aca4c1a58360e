//! The source.

use std::sync::{Arc, Mutex};

use tokio::task::JoinHandle;
use toolmesh_tool::{BoxFuture, Mount, Source, SourceError};

use super::{
    EventChannel, HandleKey, Shared, Toolset,
    follow::follow,
    lock,
    refresh::{RefreshError, poll},
};
use crate::node::{Node, NodeSettings};
use crate::tool::Mapping;

/// How a node is offered.
#[derive(Clone, Debug)]
pub struct NodeOptions {
    /// How it is found and logged in to.
    pub settings: NodeSettings,
    /// How methods become tools.
    pub mapping: Mapping,
    /// Which tools about the node are there.
    pub toolsets: Vec<Toolset>,
    /// What handles are signed with; without one, a key that lives as long as the source.
    pub handle_key: Option<HandleKey>,
    /// How the node tells what happens.
    pub events: EventChannel,
}

impl NodeOptions {
    /// Everything that there is, found by these settings.
    #[must_use]
    pub fn new(settings: NodeSettings) -> Self {
        Self {
            settings,
            mapping: Mapping::default(),
            toolsets: Toolset::ALL.to_vec(),
            handle_key: None,
            events: EventChannel::default(),
        }
    }
}

/// A source that offers a node and its applications.
///
/// A node that cannot be reached when the source starts is asked again later: the tools about the node are there from
/// the beginning, those of its applications as soon as they are known.
#[derive(Debug)]
pub struct NodeSource {
    shared: Arc<Shared>,
    /// What goes on beside calls; it ends with the source.
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

impl NodeSource {
    /// A source called `name`.
    #[must_use]
    pub fn new(name: impl Into<String>, options: NodeOptions) -> Self {
        Self {
            shared: Arc::new(Shared::new(name.into(), options)),
            tasks: Mutex::default(),
        }
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// The node.
    #[must_use]
    pub fn node(&self) -> &Node {
        &self.shared.node
    }

    async fn begin(&self, mount: Mount) -> Result<(), SourceError> {
        // A source starts once; a second mount would be another source.
        let _ = self.shared.mount.set(mount);
        self.shared.offer(&[])?;
        match self.shared.refresh().await {
            Ok(()) => {}
            Err(RefreshError::Mount(error)) => return Err(error.into()),
            Err(RefreshError::Node(error)) => {
                tracing::warn!(source = %self.shared.name, %error, "the installed applications cannot be read yet");
            }
        }
        let weak = || Arc::downgrade(&self.shared);
        let mut tasks = vec![tokio::spawn(poll(weak()))];
        if self.shared.events != EventChannel::Off {
            tasks.push(tokio::spawn(follow(weak())));
        }
        *lock(&self.tasks) = tasks;
        Ok(())
    }
}

impl Drop for NodeSource {
    fn drop(&mut self) {
        lock(&self.tasks).iter().for_each(JoinHandle::abort);
    }
}

impl Source for NodeSource {
    fn name(&self) -> &str {
        &self.shared.name
    }

    fn start<'a>(&'a self, mount: Mount) -> BoxFuture<'a, Result<(), SourceError>> {
        Box::pin(self.begin(mount))
    }
}
