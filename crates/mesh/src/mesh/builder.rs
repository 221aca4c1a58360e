//! Putting a node together.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use tokio::runtime::Handle;
use toolmesh_tool::{
    Dispatcher, Prefix, Toolbox,
    dispatcher::{CallLimits, OutputLimits},
};

use super::{Mesh, follow};
use crate::{
    AccessRules, BuildError,
    access::Access,
    engine::{Engine, Identity, MemoryNetwork, NodeId},
    host::Door,
    node::{NATIVE_SOURCE, Node},
    wire::MAX_ANSWER_BYTES,
};

/// How many calls a node without a dispatcher of the program's own runs and keeps waiting, and for how long at most. Streams
/// hold their slot while they are read, hence more slots than a dispatcher has by itself.
const LIMITS: CallLimits = CallLimits {
    running: 4_096,
    queued: 4_096,
    deadline: Duration::from_secs(3_600),
};

/// Puts a node together.
pub struct MeshBuilder {
    key: [u8; 32],
    name: Option<String>,
    engine: Option<Arc<dyn Engine>>,
    dispatcher: Option<Dispatcher>,
    access: AccessRules,
}

impl MeshBuilder {
    /// A node of the mesh that has this key: nodes with another key neither see nor reach it.
    ///
    /// The one engine so far joins the nodes of one process. It listens nowhere: the address is checked and otherwise not
    /// used.
    ///
    /// # Errors
    /// [`BuildError::Address`] when `listen` is no address with a port.
    pub fn new(listen: &str, key: &[u8; 32]) -> Result<Self, BuildError> {
        let address: Result<SocketAddr, _> = listen.parse();
        address.map_err(|_| BuildError::Address(listen.to_owned()))?;
        Ok(Self {
            key: *key,
            name: None,
            engine: None,
            dispatcher: None,
            access: AccessRules::new(),
        })
    }

    /// A node on an engine of the program's own making, which knows who the node is.
    #[must_use]
    pub fn on(engine: Arc<dyn Engine>) -> Self {
        Self {
            key: [0; 32],
            name: None,
            engine: Some(engine),
            dispatcher: None,
            access: AccessRules::new(),
        }
    }

    /// Names the node, for logs and as the identity of its calls; by default its number. An engine that was given knows the
    /// name already.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Serves what this dispatcher has in its toolbox, now and as it changes; every call passes it, with all its policies.
    /// Without one the node has a dispatcher of its own for the tools of [`Mesh::serve_tool`].
    #[must_use]
    pub fn dispatcher(mut self, dispatcher: Dispatcher) -> Self {
        self.dispatcher = Some(dispatcher);
        self
    }

    /// Sets who may see and call what, from the first moment on; see also [`Mesh::set_access`].
    #[must_use]
    pub fn access(mut self, rules: AccessRules) -> Self {
        self.access = rules;
        self
    }

    /// Joins the mesh.
    ///
    /// # Errors
    /// [`BuildError`] when the node cannot join, or a tool of the toolbox cannot be published.
    #[expect(
        clippy::unused_async,
        reason = "an engine on a network has to wait, and programs of the tool mesh await it"
    )]
    pub async fn build(self) -> Result<Mesh, BuildError> {
        let runtime = Handle::try_current().map_err(|_| BuildError::NoRuntime)?;
        let engine = match self.engine {
            Some(engine) => engine,
            None => in_memory(&self.key, self.name)?,
        };
        let follows = self.dispatcher.is_some();
        let dispatcher = self.dispatcher.unwrap_or_else(own_dispatcher);
        let mount = dispatcher.toolbox().mount(NATIVE_SOURCE, Prefix::None)?;
        let access = Arc::new(Access::new(dispatcher, engine.identity().clone(), self.access));
        let node = Arc::new(Node::new(engine, access, mount, runtime));
        node.engine.join(Door::of(&node))?;
        let mesh = Mesh::of(Arc::clone(&node));
        node.set_capabilities(crate::CapabilitySet::new())?;
        if follows {
            follow::follow(&node)?;
        }
        Ok(mesh)
    }
}

fn in_memory(key: &[u8; 32], name: Option<String>) -> Result<Arc<dyn Engine>, BuildError> {
    let node = NodeId::new(getrandom::u64().map_err(|_| BuildError::Random)?);
    let name = name.unwrap_or_else(|| node.to_string());
    let engine = MemoryNetwork::of_key(key).node(Identity::new(node, name));
    Ok(Arc::new(engine))
}

fn own_dispatcher() -> Dispatcher {
    let output = OutputLimits {
        bytes: MAX_ANSWER_BYTES,
        ..OutputLimits::default()
    };
    Dispatcher::builder(Toolbox::new())
        .limits(LIMITS)
        .output_limits(output)
        .endpoint("mesh")
        .build()
}

impl std::fmt::Debug for MeshBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The key is a secret.
        f.debug_struct("MeshBuilder")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
