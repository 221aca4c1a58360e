//! Putting a node together.

use std::{sync::Arc, time::Duration};

use tokio::runtime::Handle;
use toolmesh_tool::{
    Dispatcher, Prefix, Toolbox,
    dispatcher::{CallLimits, OutputLimits},
    is_plain_name, on_one_line,
};

use super::{Mesh, follow};
#[cfg(feature = "zenoh")]
use crate::engine::Credentials;
use crate::{
    AccessRules, AllowList, BuildError, CapabilitySet,
    access::Access,
    engine::{Engine, Way},
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
    place: Place,
    name: Option<String>,
    dispatcher: Option<Dispatcher>,
    access: AccessRules,
    capabilities: CapabilitySet,
    trust: AllowList,
}

/// Where the node is.
enum Place {
    /// On a network: the mesh that has this key.
    Network { key: [u8; 32], way: Way },
    /// Where the program says.
    Engine(Arc<dyn Engine>),
}

impl MeshBuilder {
    /// A node of the mesh that has this key: nodes with another key neither see nor reach it, and nobody without the key can
    /// read or forge what its nodes tell each other.
    ///
    /// It listens at `listen`, with port 0 at a free port ([`Mesh::listens_at`] tells which). Nodes of one process with one key
    /// find each other by themselves; others are found by [`MeshBuilder::connect`], and from there on each tells the others
    /// where they are.
    ///
    /// Without the crate's feature `zenoh` there is no network: then nodes of this process with one key are the mesh, and the
    /// address is only checked.
    ///
    /// # Errors
    /// [`BuildError::Address`] when `listen` is no address with a port.
    pub fn new(listen: &str, key: &[u8; 32]) -> Result<Self, BuildError> {
        Ok(Self {
            place: Place::Network {
                key: *key,
                way: Way::listening_at(listen)?,
            },
            name: None,
            dispatcher: None,
            access: AccessRules::new(),
            capabilities: CapabilitySet::new(),
            trust: AllowList::everybody(),
        })
    }

    /// A node on an engine of the program's own making, which knows who the node is.
    #[must_use]
    pub fn on(engine: Arc<dyn Engine>) -> Self {
        Self {
            place: Place::Engine(engine),
            name: None,
            dispatcher: None,
            access: AccessRules::new(),
            capabilities: CapabilitySet::new(),
            trust: AllowList::everybody(),
        }
    }

    /// Connects to a node that listens at `HOST:PORT`, now or as soon as it is there; it need not be up. What that node is
    /// connected to is found through it. A place that turns out to be this node is left out. Has no effect on an engine of the program's own.
    ///
    /// # Errors
    /// [`BuildError::Address`] when it has no port.
    pub fn connect(self, place: &str) -> Result<Self, BuildError> {
        self.on_the_way(|way| way.connect(place))
    }

    /// Connects to a router at `HOST:PORT` instead of to nodes: the node then listens nowhere itself, and everything goes
    /// through the router, which can neither read nor change it. Of several routers the first that is there is used. Has no
    /// effect on an engine of the program's own.
    ///
    /// # Errors
    /// [`BuildError::Address`] when it has no port.
    pub fn router(self, place: &str) -> Result<Self, BuildError> {
        self.on_the_way(|way| way.router(place))
    }

    /// Finds other nodes of the network segment by multicast, which is off by default; it needs a certificate, or
    /// [`MeshBuilder::plaintext`], because it listens on the network. Has no effect on an engine of the
    /// program's own.
    #[must_use]
    pub fn multicast(mut self) -> Self {
        if let Place::Network { way, .. } = &mut self.place {
            way.multicast();
        }
        self
    }

    /// Gives the node a certificate: it meets only nodes with a certificate of the same authority, over TLS, and each is to the
    /// other who its certificate says. The certificate's name takes the place of [`MeshBuilder::name`]. Has no effect on an
    /// engine of the program's own.
    #[cfg(feature = "zenoh")]
    #[must_use]
    pub fn credentials(mut self, credentials: Credentials) -> Self {
        if let Place::Network { way, .. } = &mut self.place {
            way.credentials(credentials);
        }
        self
    }

    /// Lets the node listen beyond this machine without certificates: for networks where everybody who has the key is trusted
    /// to be who they say they are. What nodes tell each other is encrypted even so. Has no effect on an engine of the
    /// program's own.
    #[must_use]
    pub fn plaintext(mut self) -> Self {
        if let Place::Network { way, .. } = &mut self.place {
            way.plaintext();
        }
        self
    }

    fn on_the_way(
        mut self,
        change: impl FnOnce(&mut Way) -> Result<(), BuildError>,
    ) -> Result<Self, BuildError> {
        if let Place::Network { way, .. } = &mut self.place {
            change(way)?;
        }
        Ok(self)
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

    /// Sets what the node tells of itself and who may use it, from the first moment on; see also
    /// [`Mesh::announce_capabilities`].
    ///
    /// # Errors
    /// [`BuildError::Capabilities`] when they are not allowed.
    pub fn capabilities(mut self, capabilities: CapabilitySet) -> Result<Self, BuildError> {
        capabilities.check()?;
        self.capabilities = capabilities;
        Ok(self)
    }

    /// Sets whose tools the node sees and calls, from the first moment on; see [`Mesh::trust`].
    #[must_use]
    pub fn trust(mut self, hosts: AllowList) -> Self {
        self.trust = hosts;
        self
    }

    /// Joins the mesh. When this returns, what the nodes that could be reached announce has been told, unless one of them took
    /// longer than two seconds.
    ///
    /// # Errors
    /// [`BuildError`] when the node cannot join, another program is in the mesh with its certificate
    /// ([`EngineError::Twin`](crate::EngineError::Twin)), or a tool of the toolbox cannot be published.
    pub async fn build(self) -> Result<Mesh, BuildError> {
        let runtime = Handle::try_current().map_err(|_| BuildError::NoRuntime)?;
        let engine = match self.place {
            Place::Engine(engine) => engine,
            Place::Network { key, way } => {
                if !way.has_certificate() {
                    warn_of_names(&self.access, &self.trust);
                }
                way.open(&key, self.name.map(checked_name).transpose()?).await?
            }
        };
        checked_name(engine.identity().name.clone())?;
        let follows = self.dispatcher.is_some();
        let dispatcher = self.dispatcher.unwrap_or_else(own_dispatcher);
        let mount = dispatcher.toolbox().mount(NATIVE_SOURCE, Prefix::None)?;
        let me = engine.identity().clone();
        let access = Arc::new(Access::new(dispatcher, me, self.access, self.capabilities));
        let node = Arc::new(Node::new(engine, access, mount, runtime));
        node.fold.trust(self.trust);
        node.engine.join(Door::of(&node))?;
        let mesh = Mesh::of(Arc::clone(&node));
        node.announce_all()?;
        if follows {
            follow::follow(&node)?;
        }
        node.engine.settled().await?;
        Ok(mesh)
    }
}

/// Without certificates whoever has the key calls itself what it likes.
fn warn_of_names(access: &AccessRules, trust: &AllowList) {
    for (list, has_names) in [("access", access.has_names()), ("trust", trust.has_names())] {
        if has_names {
            tracing::warn!(
                "`{list}` has nodes by their names, which protects nothing without certificates: whoever has the key of the mesh \
                 takes any name; give the nodes certificates"
            );
        }
    }
}

/// A name that others show in their logs and on their terminals.
fn checked_name(name: String) -> Result<String, BuildError> {
    if is_plain_name(&name) {
        Ok(name)
    } else {
        Err(BuildError::Name(on_one_line(&name).into_owned()))
    }
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
