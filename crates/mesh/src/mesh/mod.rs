//! A node of the mesh, as programs use it.

mod builder;
mod call;
mod discover;
mod follow;
mod handler;
mod publish;
mod serve;
mod watch;

use std::sync::Arc;

pub use builder::MeshBuilder;
pub use discover::{SeenNode, ToolServer};
pub use serve::ToolServeHandle;
pub(crate) use serve::tool_of;
pub use watch::ToolListWatch;

use crate::{
    AccessRules, AnnounceError, BreakerPolicy, CapabilitySet,
    engine::{Identity, NodeId},
    node::Node,
};

/// A node of the mesh: it serves tools, sees those of others, and calls them. Clones are one node, which leaves the mesh
/// when the last of them is dropped; handles of served tools do not keep it there.
#[derive(Clone)]
pub struct Mesh {
    pub(crate) node: Arc<Node>,
    _leaves_on_drop: Arc<LeavesOnDrop>,
}

struct LeavesOnDrop(Arc<Node>);

impl Drop for LeavesOnDrop {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Mesh {
    pub(crate) fn of(node: Arc<Node>) -> Self {
        Self {
            _leaves_on_drop: Arc::new(LeavesOnDrop(Arc::clone(&node))),
            node,
        }
    }

    /// The number of this node.
    #[must_use]
    pub fn node_id(&self) -> NodeId {
        self.node.engine.identity().node
    }

    /// Who this node is to others.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        self.node.engine.identity()
    }

    /// Where other nodes can connect to this one, as `PROTOCOL/HOST:PORT`; empty when it listens nowhere.
    #[must_use]
    pub fn listens_at(&self) -> Vec<String> {
        self.node.engine.listens_at()
    }

    /// Sets what this node tells of itself, and who may see and call its tools; what was set before is replaced. Tools are
    /// announced when they are served: this announces them again, to those who may see them now.
    ///
    /// # Errors
    /// [`AnnounceError`] when the capabilities are not allowed (nothing has changed then), or the node has left the mesh.
    #[expect(
        clippy::unused_async,
        reason = "an engine on a network may have to wait, and programs of the tool mesh await it"
    )]
    pub async fn announce_capabilities(&self, capabilities: CapabilitySet) -> Result<(), AnnounceError> {
        capabilities.check()?;
        self.node.set_capabilities(capabilities)?;
        Ok(())
    }

    /// Sets who may see and call what at this node; what was set before is replaced. Everything is announced again, to those
    /// who may see it now; calls that run go on.
    ///
    /// # Errors
    /// [`AnnounceError`] when the node has left the mesh.
    #[expect(
        clippy::unused_async,
        reason = "an engine on a network may have to wait, as for the capabilities"
    )]
    pub async fn set_access(&self, rules: AccessRules) -> Result<(), AnnounceError> {
        Ok(self.node.set_rules(rules)?)
    }

    /// Sets when this node leaves a host alone with a stateless tool at which it keeps failing; `None`, as at first, for never.
    /// A call for which no other host is left then fails at once, with [`crate::RpcError::NoRoute`].
    pub fn set_breaker(&self, policy: Option<BreakerPolicy>) {
        self.node.breaker.set(policy);
    }

    /// Leaves the mesh: this node's tools are gone for others, and calls in both directions end.
    pub fn shutdown(&self) {
        self.node.close();
    }
}

impl std::fmt::Debug for Mesh {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mesh")
            .field("identity", self.identity())
            .finish_non_exhaustive()
    }
}
