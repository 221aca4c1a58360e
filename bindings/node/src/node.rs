//! A node, as the package holds it.

use std::sync::{Arc, OnceLock};

use napi::{Status, bindgen_prelude::BigInt, threadsafe_function::ThreadsafeFunction};
use napi_derive::napi;
use toolmesh_embed::{
    CallOptions, CancellationToken, Fault, FaultKind, McpEndpoint, NodeOptions, ServerInfo,
};

use crate::{
    call::Call,
    program::Held,
    streams::{Changes, Events},
    telling::{Pending, Told, start, thrown},
};

/// What begins each call of a tool. It does not keep the program running: a tool that nobody withdrew is no work.
type Begin = Held<ThreadsafeFunction<Call, (), Call, Status, false, true>>;

/// A whole Toolmesh program; it is there once `start` has told so.
#[napi]
pub struct Node(Arc<OnceLock<Arc<toolmesh_embed::Node>>>);

/// A tool that is served.
#[napi]
pub struct Served(Option<toolmesh_embed::Served>);

/// An MCP server on a port; it is there once `serveMcp` has told so.
#[napi]
pub struct Endpoint(Arc<OnceLock<McpEndpoint>>);

#[napi]
impl Node {
    /// A node that has not started.
    #[napi(constructor)]
    pub fn new() -> Self {
        Self(Arc::default())
    }

    /// Starts it.
    #[napi]
    pub fn start(&self, options: String, told: Told) -> napi::Result<Pending> {
        let place = Arc::clone(&self.0);
        let starting = async move {
            let node = toolmesh_embed::Node::start(NodeOptions::from_json(&options)?).await?;
            // It is started once.
            let _ = place.set(Arc::new(node));
            Ok(None)
        };
        start(starting, told)
    }

    /// Its number in the mesh.
    #[napi(getter)]
    pub fn id(&self) -> napi::Result<BigInt> {
        Ok(BigInt::from(self.node()?.id().map_err(|fault| thrown(&fault))?))
    }

    /// Where others can connect to it.
    #[napi(getter)]
    pub fn listens_at(&self) -> napi::Result<Vec<String>> {
        self.node()?.listens_at().map_err(|fault| thrown(&fault))
    }

    /// Serves a tool.
    #[napi]
    pub fn serve(&self, descriptor: String, begin: Begin) -> napi::Result<Served> {
        let handler = move |call: toolmesh_embed::Call| {
            // When the program has ended, the call is let go, and fails.
            begin.call(Call::of(call));
        };
        let served = self.node()?.serve(&descriptor, Arc::new(handler));
        served
            .map(|served| Served(Some(served)))
            .map_err(|fault| thrown(&fault))
    }

    /// Calls a tool.
    #[napi]
    pub fn call(
        &self,
        tool: String,
        arguments: String,
        options: String,
        told: Told,
    ) -> napi::Result<Pending> {
        let node = self.node()?;
        let calling = async move {
            let options = CallOptions::from_json(&options)?;
            let token = CancellationToken::new();
            node.call(&tool, &arguments, &options, token).await.map(Some)
        };
        start(calling, told)
    }

    /// Calls a tool, whose events are read one by one.
    #[napi]
    pub fn call_streaming(&self, tool: String, arguments: String, options: String) -> napi::Result<Events> {
        let options = CallOptions::from_json(&options).map_err(|fault| thrown(&fault))?;
        Ok(Events::of(&self.node()?, tool, arguments, options))
    }

    /// The tools that the node sees.
    #[napi]
    pub fn list(&self, matcher: Option<String>) -> napi::Result<String> {
        let listed = self.node()?.list(matcher.as_deref());
        listed.map_err(|fault| thrown(&fault))
    }

    /// Watches them.
    #[napi]
    pub fn watch(&self, matcher: Option<String>, interval_ms: Option<u32>) -> napi::Result<Changes> {
        let changes = self.node()?.watch(matcher.as_deref(), interval_ms.map(u64::from));
        changes.map(Changes::of).map_err(|fault| thrown(&fault))
    }

    /// A whole descriptor.
    #[napi]
    pub fn describe(&self, tool: String, options: String, told: Told) -> napi::Result<Pending> {
        let node = self.node()?;
        let describing = async move {
            let options = CallOptions::from_json(&options)?;
            node.describe(&tool, &options).await.map(Some)
        };
        start(describing, told)
    }

    /// A whole descriptor, of one node.
    #[napi]
    pub fn fetch_metadata(&self, node: BigInt, tool: String, told: Told) -> napi::Result<Pending> {
        let (_, number, lossless) = node.get_u64();
        let asks = self.node()?;
        let fetching = async move {
            if !lossless {
                return Err(Fault::new(FaultKind::Invalid, "a node's number has 64 bits"));
            }
            asks.fetch_metadata(number, &tool).await.map(Some)
        };
        start(fetching, told)
    }

    /// The nodes that serve a tool.
    #[napi]
    pub fn hosts(&self, tool: String, options: String) -> napi::Result<Vec<BigInt>> {
        let options = CallOptions::from_json(&options).map_err(|fault| thrown(&fault))?;
        let hosts = self
            .node()?
            .hosts(&tool, &options)
            .map_err(|fault| thrown(&fault))?;
        Ok(hosts.into_iter().map(BigInt::from).collect())
    }

    /// Serves MCP on a port.
    #[napi]
    pub fn serve_mcp(
        &self,
        address: String,
        name: String,
        version: String,
        told: Told,
    ) -> napi::Result<Endpoint> {
        let (node, place) = (self.node()?, Arc::<OnceLock<McpEndpoint>>::default());
        let endpoint = Endpoint(Arc::clone(&place));
        let serving = async move {
            let bound = node
                .serve_mcp_http(&address, ServerInfo::new(name, version))
                .await?;
            let url = bound.url().to_owned();
            let _ = place.set(bound);
            Ok(Some(url))
        };
        start(serving, told)?;
        Ok(endpoint)
    }

    /// Serves MCP on standard input and output, until the input ends.
    #[napi]
    pub fn serve_mcp_stdio(&self, name: String, version: String, told: Told) -> napi::Result<Pending> {
        let node = self.node()?;
        let serving = async move {
            let info = ServerInfo::new(name, version);
            let served = node.serve_mcp_stdio(info, CancellationToken::new()).await;
            served.map(|()| None)
        };
        start(serving, told)
    }

    /// Leaves the mesh.
    #[napi]
    pub fn close(&self) {
        if let Some(node) = self.0.get() {
            node.close();
        }
    }

    fn node(&self) -> napi::Result<Arc<toolmesh_embed::Node>> {
        let node = self.0.get().map(Arc::clone);
        node.ok_or_else(|| thrown(&Fault::new(FaultKind::Closed, "the node has not started")))
    }
}

#[napi]
impl Served {
    /// Withdraws the tool.
    #[napi]
    pub fn close(&mut self) {
        self.0 = None;
    }
}

#[napi]
impl Endpoint {
    /// Stops: calls in flight are finished.
    #[napi]
    pub fn close(&self, told: Told) -> napi::Result<Pending> {
        let place = Arc::clone(&self.0);
        let stopping = async move {
            if let Some(endpoint) = place.get() {
                endpoint.stop().await;
            }
            Ok(None)
        };
        start(stopping, told)
    }
}
