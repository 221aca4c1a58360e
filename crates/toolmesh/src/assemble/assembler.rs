//! Putting sources together.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use toolmesh_tool::{
    BoxFuture, CatalogueTool, Dispatcher, Mount, Prefix, Source, SourceError, Tool, ToolDescriptor, Toolbox,
    dispatcher::CallLimits,
};

use super::{
    AssembleError, Beside, Location, Surroundings, descriptors::DescriptorSource, filter::Filter,
    policies::Watched,
};
use crate::config::{Config, Environment, SourceConfig};

/// What the tools are wanted for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Use {
    /// They are called: contracts are deployed or looked up, and what cannot be called is an error.
    #[default]
    Calling,
    /// They are listed and described: no chain is asked, and a call is refused.
    Listing,
}

/// Makes the sources of a configuration, beside sources of the program's own, into one catalogue behind a dispatcher.
pub struct Assembler {
    config: Config,
    environment: Environment,
    purpose: Use,
    limits: Option<CallLimits>,
    own: Vec<(Arc<dyn Source>, Option<Prefix>)>,
    #[cfg(feature = "mesh")]
    publishes: bool,
    #[cfg(feature = "mesh")]
    node: Option<toolmesh_mesh::MeshBuilder>,
    #[cfg(feature = "evm")]
    progress: Option<toolmesh_evm::fetch::Progress>,
}

impl Assembler {
    /// Begins with a configuration, which may name no source.
    #[must_use]
    pub fn new(config: Config) -> Self {
        Self {
            config,
            environment: Environment::default(),
            purpose: Use::default(),
            limits: None,
            own: Vec::new(),
            #[cfg(feature = "mesh")]
            publishes: false,
            #[cfg(feature = "mesh")]
            node: None,
            #[cfg(feature = "evm")]
            progress: None,
        }
    }

    /// Sets the environment that secrets are taken from; without it there are none. Keys of the environment are put
    /// into the configuration apart, by [`Config::apply_environment`].
    #[must_use]
    pub fn environment(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    /// Tells how long answers of explorers and other servers come in, while sources start.
    #[cfg(feature = "evm")]
    #[must_use]
    pub fn progress(mut self, progress: toolmesh_evm::fetch::Progress) -> Self {
        self.progress = Some(progress);
        self
    }

    fn surroundings(&self) -> Surroundings {
        let surroundings = Surroundings::new(self.config.clone(), self.environment.clone());
        #[cfg(feature = "evm")]
        if let Some(progress) = &self.progress {
            return surroundings.progress(Arc::clone(progress));
        }
        surroundings
    }

    /// Sets what the tools are wanted for; for calling unless said otherwise.
    #[must_use]
    pub fn purpose(mut self, purpose: Use) -> Self {
        self.purpose = purpose;
        self
    }

    /// Offers the tools on the mesh of the configuration, but for those that came from there.
    #[cfg(feature = "mesh")]
    #[must_use]
    pub fn publish_on_mesh(mut self) -> Self {
        self.publishes = true;
        self
    }

    /// Offers the tools on a mesh as this node, and takes those of the source `mesh:` from there, instead of joining the mesh of
    /// the configuration.
    #[cfg(feature = "mesh")]
    #[must_use]
    pub fn mesh_node(mut self, node: toolmesh_mesh::MeshBuilder) -> Self {
        self.node = Some(node);
        self.publish_on_mesh()
    }

    /// Sets how many calls run and wait at once, and for how long, over what the configuration says.
    #[must_use]
    pub fn limits(mut self, limits: CallLimits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Adds a source of the program's own. With `None` its prefix follows the rule: none for the only source, the
    /// source's name where there are several.
    #[must_use]
    pub fn source(mut self, source: Arc<dyn Source>, prefix: Option<Prefix>) -> Self {
        self.own.push((source, prefix));
        self
    }

    /// Adds tools of the program's own as a source of that name.
    #[must_use]
    pub fn tools(self, name: impl Into<String>, tools: Vec<Tool>, prefix: Option<Prefix>) -> Self {
        self.source(
            Arc::new(OwnTools {
                name: name.into(),
                tools,
            }),
            prefix,
        )
    }

    /// Starts every source and puts the policies over them.
    ///
    /// # Errors
    /// [`AssembleError`] on the first source that cannot be made, on names that collide, and when filters leave
    /// nothing or too much.
    pub async fn start(self) -> Result<Assembly, AssembleError> {
        let several = self.config.sources.len() + self.own.len() > 1;
        if self.config.sources.is_empty() && self.own.is_empty() {
            return Err(AssembleError::NoSource);
        }
        let place = Place {
            toolbox: Toolbox::new(),
            several,
            left_out: Arc::default(),
        };
        let mut sources: Vec<Arc<dyn Source>> = Vec::new();
        let surroundings = self.surroundings();
        let is_mesh = |source: &&SourceConfig| cfg!(feature = "mesh") && source.location == Location::Mesh;
        for source in self.config.sources.iter().filter(|source| !is_mesh(source)) {
            let filter = Filter::new(source, &self.config.policy)?;
            let made = open(source, &surroundings, self.purpose).await?;
            place.start(made.as_ref(), source.prefix.clone(), filter).await?;
            sources.push(made);
        }
        #[cfg(feature = "evm")]
        if let Some(tools) = sandbox_tools(&surroundings) {
            let filter = Filter::of_policy(&self.config.policy)?;
            place.start(tools.as_ref(), Some(Prefix::None), filter).await?;
            sources.push(tools);
        }
        for (made, prefix) in self.own {
            place
                .start(made.as_ref(), prefix, Filter::of_policy(&self.config.policy)?)
                .await?;
            sources.push(made);
        }
        let toolbox = place.toolbox.clone();
        let watched = match self.purpose {
            Use::Listing => Watched::listing(toolbox, &self.config, self.limits),
            Use::Calling => Watched::calling(toolbox, &self.config, &self.environment, self.limits).await?,
        };
        // Last: the node offers what is there by now, and its source must not offer that to itself.
        #[cfg(feature = "mesh")]
        let serves_later = self.node.is_some();
        #[cfg(feature = "mesh")]
        let mesh = {
            let publishes = self.publishes.then_some(&watched.dispatcher);
            super::mesh::start(&self.config, self.node, publishes).await?
        };
        #[cfg(feature = "mesh")]
        for source in self.config.sources.iter().filter(is_mesh) {
            if let Some(mesh) = &mesh {
                let made = Arc::new(mesh.source(&source.name));
                let filter = Filter::new(source, &self.config.policy)?;
                place.start(made.as_ref(), source.prefix.clone(), filter).await?;
                sources.push(made);
            }
        }
        place.check(self.config.server.max_tools)?;
        #[cfg(feature = "mesh")]
        let rules = if self.publishes {
            self.config.mesh.watch_rules(&place.toolbox, serves_later)
        } else {
            None
        };
        Ok(Assembly {
            watched,
            config: self.config,
            #[cfg(feature = "mesh")]
            mesh,
            #[cfg(feature = "mesh")]
            _rules: rules,
            _sources: sources,
        })
    }
}

/// Sources that run, behind one dispatcher. Dropping it ends sources that follow something live.
pub struct Assembly {
    watched: Watched,
    config: Config,
    #[cfg(feature = "mesh")]
    mesh: Option<toolmesh_mesh::Mesh>,
    #[cfg(feature = "mesh")]
    _rules: Option<super::rules::RulesWatch>,
    _sources: Vec<Arc<dyn Source>>,
}

impl Assembly {
    /// The one way to call the tools; cheap to clone.
    #[must_use]
    pub fn dispatcher(&self) -> &Dispatcher {
        &self.watched.dispatcher
    }

    /// What counts the calls, when the configuration offers metrics.
    #[cfg(feature = "observe")]
    #[must_use]
    pub fn metrics(&self) -> Option<&Arc<crate::observe::Metrics>> {
        self.watched.metrics.as_ref()
    }

    /// Begins what runs beside the fronts while a server serves: taking over idle tasks, metrics and health.
    ///
    /// # Errors
    /// [`AssembleError`] when the address of the metrics is not to be had.
    pub async fn beside(&self) -> Result<Beside, AssembleError> {
        Beside::start(self).await
    }

    /// The node of the mesh, when the tools come from there or are offered there.
    #[cfg(feature = "mesh")]
    #[must_use]
    pub fn mesh(&self) -> Option<&toolmesh_mesh::Mesh> {
        self.mesh.as_ref()
    }

    /// The nodes of the mesh that serve a tool, with the version of each; none when it is not from there.
    #[cfg(feature = "mesh")]
    #[must_use]
    pub fn servers(&self, tool: &CatalogueTool) -> Vec<toolmesh_mesh::ToolServer> {
        let mut sources = self.config.sources.iter();
        let is_from_there =
            sources.any(|source| source.location == Location::Mesh && source.name == tool.source());
        let mesh = self.mesh.as_ref().filter(|_| is_from_there);
        mesh.map(|mesh| mesh.servers(tool.tool().name().as_str()))
            .unwrap_or_default()
    }

    /// The form in which a tool is told of; one of the mesh with the number of nodes that serve this version.
    #[must_use]
    pub fn descriptor(&self, tool: &CatalogueTool) -> ToolDescriptor {
        let mut descriptor = tool.descriptor();
        #[cfg(feature = "mesh")]
        {
            let servers = self.servers(tool).into_iter();
            let serving = servers.filter(|server| server.version == *tool.tool().version());
            descriptor.node_count = serving.count().try_into().unwrap_or(u32::MAX);
        }
        descriptor
    }

    /// The configuration that it was made from.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }
}

impl std::fmt::Debug for Assembler {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Assembler")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Assembly {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Assembly")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

/// Tools of the program's own.
struct OwnTools {
    name: String,
    tools: Vec<Tool>,
}

impl Source for OwnTools {
    fn name(&self) -> &str {
        &self.name
    }

    fn start<'a>(&'a self, mount: Mount) -> BoxFuture<'a, Result<(), SourceError>> {
        Box::pin(async move { Ok(mount.replace(self.tools.clone())?) })
    }
}

/// Where sources are mounted.
struct Place {
    toolbox: Toolbox,
    several: bool,
    /// How many tools the filters left out.
    left_out: Arc<AtomicUsize>,
}

impl Place {
    /// Mounts a source under its own prefix or the one of the rule (none for the only source, else its name), and
    /// starts it.
    async fn start(
        &self,
        source: &dyn Source,
        prefix: Option<Prefix>,
        filter: Filter,
    ) -> Result<(), AssembleError> {
        let name = source.name();
        let by_rule = || {
            if self.several {
                Prefix::Name(name.to_owned())
            } else {
                Prefix::None
            }
        };
        let mount = self.toolbox.mount(name, prefix.unwrap_or_else(by_rule))?;
        let left_out = Arc::clone(&self.left_out);
        let mount = mount.with_filter(move |name, tool| {
            let keeps = filter.keeps(name, tool);
            left_out.fetch_add(usize::from(!keeps), Ordering::Relaxed);
            keeps
        });
        source.start(mount).await.map_err(|error| match error {
            SourceError::Mount(error) => AssembleError::Mount(error),
            error => AssembleError::Start {
                name: name.to_owned(),
                error,
            },
        })
    }

    /// Refuses when there is nothing or too much in the toolbox.
    fn check(&self, max: Option<usize>) -> Result<(), AssembleError> {
        let snapshot = self.toolbox.snapshot();
        let count = snapshot.listed_tools().len();
        let total = self.left_out.load(Ordering::Relaxed);
        if count == 0 && total > 0 {
            return Err(AssembleError::NothingLeft { total });
        }
        match max {
            Some(max) if count > max => Err(AssembleError::TooManyTools { count, max }),
            _ => Ok(()),
        }
    }
}

/// The tools of the sandbox's owner, when they are wanted and there is a sandbox.
#[cfg(feature = "evm")]
fn sandbox_tools(surroundings: &Surroundings) -> Option<Arc<dyn Source>> {
    let chain = surroundings.sandbox().used()?;
    let wanted = surroundings.config().sandbox.tools;
    wanted.then(|| Arc::new(toolmesh_evm::SandboxSource::new("sandbox", chain)) as Arc<dyn Source>)
}

async fn open(
    source: &SourceConfig,
    surroundings: &Surroundings,
    purpose: Use,
) -> Result<Arc<dyn Source>, AssembleError> {
    match &source.location {
        Location::Descriptors(_) => Ok(Arc::new(DescriptorSource::open(&source.name, &source.location)?)),
        #[cfg(feature = "mcp")]
        Location::Mcp(text) => Ok(super::upstream::open(source, text)?),
        Location::File(_) | Location::Stdin | Location::Url(_) | Location::Contract { .. } => {
            open_interface(source, surroundings, purpose).await
        }
        #[cfg(feature = "calimero")]
        Location::Calimero(url) => super::calimero_node::open(source, url, surroundings.environment()),
        other => Err(super::input::not_in_this_build(other)),
    }
}

/// A source of the kind that its bytes are, or of a contract that is looked up.
async fn open_interface(
    source: &SourceConfig,
    surroundings: &Surroundings,
    purpose: Use,
) -> Result<Arc<dyn Source>, AssembleError> {
    let bytes = super::source_bytes(source, surroundings).await?;
    #[cfg(feature = "calimero")]
    if let Some(bytes) = bytes
        .as_deref()
        .filter(|bytes| toolmesh_calimero::recognises(bytes))
    {
        return super::calimero::open(source, bytes, surroundings, purpose).await;
    }
    #[cfg(feature = "evm")]
    return super::evm::open(source, surroundings, bytes.as_deref(), purpose).await;
    #[cfg(not(feature = "evm"))]
    {
        let _ = (bytes, purpose);
        Err(super::input::not_in_this_build(&source.location))
    }
}
