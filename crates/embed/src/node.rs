//! A whole Toolmesh program.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::future;
use toolmesh::{
    assemble::{Assembler, Assembly},
    config::Environment,
    json::Value,
    mesh::{CallOptionsTyped, Codec, Mesh, NodeId, TagMatcher, ToolMetadataRequest, ToolServeHandle},
    tool::{CancellationToken, Prefix, SchemaForm, dispatcher::CallLimits},
};

use crate::{
    CallOptions, Changes, Events, Fault, FaultKind, Handler, NodeOptions,
    asked::Asked,
    descriptor::served_descriptor,
    handler::{streaming, unary},
    text::read_object,
};

/// The name of the source without tools that a program without sources has; its own tools come with [`Node::serve`].
const NO_SOURCES: &str = "none";

/// How many calls a program without a configuration file runs and keeps waiting, and for how long at most: those of a node
/// that only serves tools of its own, where a stream holds its slot while it is read.
const LIMITS: CallLimits = CallLimits {
    running: 1_024,
    queued: 4_096,
    deadline: Duration::from_secs(3_600),
};

/// A whole Toolmesh program: its own tools, its sources, its place in a mesh. It ends with [`Node::close`], or when it is
/// dropped.
pub struct Node {
    mesh: Mutex<Option<Mesh>>,
    /// Its sources, which end with it: the programs of MCP servers, for instance.
    assembly: Mutex<Option<Arc<Assembly>>>,
    /// Cancelled when the node is closed.
    pub(crate) closing: CancellationToken,
}

/// A tool that is served. Dropping it withdraws the tool.
#[derive(Debug)]
#[must_use = "dropping it withdraws the tool"]
pub struct Served(ToolServeHandle);

impl Served {
    /// The identifier under which the tool is served.
    #[must_use]
    pub fn tool_id(&self) -> &str {
        self.0.tool_id()
    }

    /// The version that is served.
    #[must_use]
    pub fn version(&self) -> String {
        self.0.version().to_string()
    }
}

impl Node {
    /// Starts a node: sources are started, and it joins the mesh. To be awaited on [`crate::runtime`], as everything here.
    ///
    /// # Errors
    /// [`FaultKind::Configuration`] when a source, a certificate or the file cannot be used; [`FaultKind::Invalid`] for other
    /// options; [`FaultKind::System`] when the address is taken; [`FaultKind::Transport`] when no router answers.
    pub async fn start(options: NodeOptions) -> Result<Self, Fault> {
        let environment = Environment::of_process();
        let config = options.configuration(&environment)?;
        let is_without_sources = config.sources.is_empty();
        let node = options
            .mesh(&config.mesh)?
            .capabilities(options.capabilities()?)?;
        let mut assembler = Assembler::new(config).environment(environment).mesh_node(node);
        if options.config.is_none() {
            assembler = assembler.limits(LIMITS);
        }
        if is_without_sources {
            assembler = assembler.tools(NO_SOURCES, Vec::new(), Some(Prefix::None));
        }
        let assembly = Arc::new(assembler.start().await?);
        let mesh = assembly.mesh().cloned().ok_or_else(Fault::closed)?;
        Ok(Self {
            mesh: Mutex::new(Some(mesh)),
            assembly: Mutex::new(Some(assembly)),
            closing: CancellationToken::new(),
        })
    }

    /// The number of this node in its mesh.
    ///
    /// # Errors
    /// [`FaultKind::Closed`].
    pub fn id(&self) -> Result<u64, Fault> {
        Ok(self.mesh()?.node_id().number())
    }

    /// Where other nodes can connect to this one, as the network writes it; empty in memory and behind a router.
    ///
    /// # Errors
    /// [`FaultKind::Closed`].
    pub fn listens_at(&self) -> Result<Vec<String>, Fault> {
        Ok(self.mesh()?.listens_at())
    }

    /// Serves a tool: registered, announced and callable when this returns, or not at all. The descriptor is JSON with
    /// `tool_id`, or `name` in its place, and whatever else a [`toolmesh::tool::ToolDescriptor`] has; with `streaming` the
    /// handler may send any events, without it all but its result is progress.
    ///
    /// # Errors
    /// [`FaultKind::Json`] and [`FaultKind::Invalid`] for the descriptor, [`FaultKind::AlreadyServing`],
    /// [`FaultKind::Closed`].
    pub fn serve(&self, descriptor: &str, handler: Arc<dyn Handler>) -> Result<Served, Fault> {
        let mesh = self.mesh()?;
        let descriptor = served_descriptor(descriptor)?;
        let served = if descriptor.streaming {
            mesh.serve_tool_streaming_with::<Value, _, _, _>(descriptor, move |context, arguments: Value| {
                future::ready(streaming(&*handler, context, &arguments))
            })
        } else {
            mesh.serve_tool_with::<Value, Value, _, _>(descriptor, move |context, arguments| {
                unary(Arc::clone(&handler), context, arguments)
            })
        };
        Ok(Served(served?))
    }

    /// Calls a tool, wherever in the mesh it is served, this node included, and gives its result as JSON. Dropping the
    /// future, or the token, cancels the call at its handler.
    ///
    /// # Errors
    /// Every kind that a call can end with; [`FaultKind::ToolFailed`] carries the tool's own words.
    pub async fn call(
        &self,
        tool: &str,
        arguments: &str,
        options: &CallOptions,
        token: CancellationToken,
    ) -> Result<String, Fault> {
        let asked = Asked::of(self.mesh()?, tool, arguments, options.with_token(token)?)?;
        let called = asked.mesh.call_tool_value(tool, &asked.arguments, &asked.options);
        match called.await {
            Ok(result) => Ok(result.to_text()),
            Err(error) => Err(self.alone(asked.fault(error).await)),
        }
    }

    /// Calls a tool, and reads its events while it runs.
    ///
    /// # Errors
    /// When no host can be asked; a refusal of the host is the first item of the stream.
    pub async fn call_streaming(
        &self,
        tool: &str,
        arguments: &str,
        options: &CallOptions,
        token: CancellationToken,
    ) -> Result<Events, Fault> {
        let options = options.with_token(token.clone())?;
        let asked = Asked::of(self.mesh()?, tool, arguments, options)?;
        let opened = asked
            .mesh
            .call_tool_streaming_with(tool, &asked.arguments, &asked.options);
        match opened.await {
            Ok(stream) => Ok(Events::new(stream, asked, token)),
            Err(error) => Err(self.alone(error.into())),
        }
    }

    /// The tools that this node sees, as a JSON array of descriptors; with a matcher (JSON, see [`TagMatcher`]) those of
    /// nodes of which a tag matches.
    ///
    /// # Errors
    /// [`FaultKind::Json`] or [`FaultKind::Invalid`] for the matcher, [`FaultKind::Closed`].
    pub fn list(&self, matcher: Option<&str>) -> Result<String, Fault> {
        let matcher = matcher.map(matcher_from).transpose()?;
        let tools = self.mesh()?.list_tools(matcher.as_ref());
        let listed: Value = tools.iter().map(|tool| tool.to_value(SchemaForm::Text)).collect();
        Ok(listed.to_text())
    }

    /// Watches the list of tools from now on.
    ///
    /// # Errors
    /// As [`Node::list`].
    pub fn watch(&self, matcher: Option<&str>, interval_ms: Option<u64>) -> Result<Changes, Fault> {
        let matcher = matcher.map(matcher_from).transpose()?;
        let interval = interval_ms.map(Duration::from_millis);
        Ok(Changes::new(self.mesh()?.watch_tools(matcher, interval)))
    }

    /// The whole descriptor of the tool that a call would reach, schemas included, as JSON.
    ///
    /// # Errors
    /// [`FaultKind::NoRoute`] when there is no such tool; what else a call can end with.
    pub async fn describe(&self, tool: &str, options: &CallOptions) -> Result<String, Fault> {
        let options = options.with_token(CancellationToken::new())?;
        let described = self.mesh()?.describe_tool(tool, &options).await;
        let descriptor = described.map_err(|error| self.alone(error.into()))?;
        Ok(descriptor.to_value(SchemaForm::Text).to_text())
    }

    /// Asks one node for the whole descriptor of a tool: the JSON `{"type": "found" | "not_found", ...}` of the service
    /// `tool.metadata.fetch`.
    ///
    /// # Errors
    /// What a call can end with.
    pub async fn fetch_metadata(&self, node: u64, tool: &str) -> Result<String, Fault> {
        let request = ToolMetadataRequest {
            name: tool.to_owned(),
        };
        let options = CallOptionsTyped {
            codec: Codec::Json,
            ..CallOptionsTyped::default()
        };
        let service = toolmesh::mesh::TOOL_METADATA_FETCH_SERVICE;
        let answer: Value = self
            .mesh()?
            .call_typed(NodeId::new(node), service, &request, options)
            .await?;
        Ok(answer.to_text())
    }

    /// The numbers of the nodes that serve a tool, of the version that a call would reach.
    ///
    /// # Errors
    /// [`FaultKind::Invalid`] for the options, [`FaultKind::Closed`].
    pub fn hosts(&self, tool: &str, options: &CallOptions) -> Result<Vec<u64>, Fault> {
        let options = options.with_token(CancellationToken::new())?;
        let hosts = self.mesh()?.hosts(tool, &options);
        Ok(hosts.into_iter().map(NodeId::number).collect())
    }

    /// Leaves the mesh: what is served is withdrawn, calls in both directions end, MCP servers stop once their calls are finished,
    /// and then the sources. Closing twice is no fault.
    pub fn close(&self) {
        self.closing.cancel();
        let left = self.mesh.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mesh) = left {
            mesh.shutdown();
        }
        let sources = self
            .assembly
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        drop(sources);
    }

    /// A failure of a call. Where nobody serves a tool, that this node is alone is what its program has to know.
    fn alone(&self, mut fault: Fault) -> Fault {
        let is_no_route = fault.kind == FaultKind::NoRoute;
        if let (true, Some(places)) = (is_no_route, self.sees_nobody_through()) {
            fault.message = format!(
                "{}; this node sees no other node through {places}: nobody is there, or they have another key or another \
                 authority, and the log on standard error tells which",
                fault.message
            );
        }
        fault
    }

    /// The places where others should be, when this node sees none.
    fn sees_nobody_through(&self) -> Option<String> {
        let assembly = self.assembly().ok()?;
        let mesh = &assembly.config().mesh;
        let places: Vec<&str> = mesh
            .connect
            .iter()
            .chain(&mesh.routers)
            .map(String::as_str)
            .collect();
        let others = self.mesh().ok()?.nodes().len().saturating_sub(1);
        (others == 0 && !places.is_empty()).then(|| places.join(", "))
    }

    pub(crate) fn assembly(&self) -> Result<Arc<Assembly>, Fault> {
        let assembly = self.assembly.lock().unwrap_or_else(PoisonError::into_inner);
        assembly.clone().ok_or_else(Fault::closed)
    }

    fn mesh(&self) -> Result<Mesh, Fault> {
        let mesh = self.mesh.lock().unwrap_or_else(PoisonError::into_inner);
        mesh.clone().ok_or_else(Fault::closed)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.close();
    }
}

impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Node").finish_non_exhaustive()
    }
}

/// A matcher that could match nothing is a mistake of the program, and is told.
fn matcher_from(text: &str) -> Result<TagMatcher, Fault> {
    let matcher: TagMatcher = read_object(text, "the members of a tag matcher")?;
    matcher
        .compile()
        .map_err(|reason| Fault::because(FaultKind::Invalid, &reason))?;
    Ok(matcher)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ServerInfo, runtime};

    #[test]
    fn the_sources_of_a_closed_node_are_gone_while_it_is_kept() {
        let node = runtime().unwrap().block_on(Node::start(NodeOptions::default()));
        let node = node.unwrap();
        let sources = Arc::downgrade(&node.assembly().unwrap());
        node.close();
        assert!(sources.upgrade().is_none());
        assert_eq!(node.assembly().unwrap_err().kind, FaultKind::Closed);
    }

    #[test]
    fn an_mcp_server_keeps_its_sources_until_it_has_stopped_and_no_longer() {
        runtime().unwrap().block_on(async {
            let node = Node::start(NodeOptions::default()).await.unwrap();
            let sources = Arc::downgrade(&node.assembly().unwrap());
            let info = ServerInfo::new("test", "0");
            let server = node.serve_mcp_http("127.0.0.1:0", info).await.unwrap();
            assert_eq!(sources.strong_count(), 2, "the node's, and the server's");
            node.close();
            server.stop().await;
            assert_eq!(sources.strong_count(), 0);
        });
    }
}
