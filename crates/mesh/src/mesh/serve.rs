//! Serving tools.

use std::{
    future::Future,
    sync::{Arc, Weak},
};

use futures_core::Stream;
use serde::{Serialize, de::DeserializeOwned};
use toolmesh_json::Value;
use toolmesh_tool::{
    ArgumentCheck, CallContext, MountError, Tool, ToolBuildError, ToolDescriptor, ToolEvent, ToolHandler,
    ToolName, schema::Profile, semver::Version, typed::Registry,
};

use super::{
    Mesh,
    handler::{Streaming, Unary},
};
use crate::{ServeError, host::is_reserved, node::Node, row::ToolKey};

/// A tool that is served. Dropping it withdraws the tool: it is gone for others at once, and calls that run go on.
#[must_use = "dropping the handle withdraws the tool"]
pub struct ToolServeHandle {
    node: Weak<Node>,
    key: ToolKey,
    name: ToolName,
}

impl ToolServeHandle {
    /// The identifier under which the tool is served.
    #[must_use]
    pub fn tool_id(&self) -> &str {
        &self.key.tool_id
    }

    /// The version that is served.
    #[must_use]
    pub fn version(&self) -> &Version {
        &self.key.version
    }
}

impl Drop for ToolServeHandle {
    fn drop(&mut self) {
        if let Some(node) = self.node.upgrade() {
            node.withdraw(&self.key);
            node.remove(&self.name, &self.key.version);
        }
    }
}

impl std::fmt::Debug for ToolServeHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ToolServeHandle")
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

impl Mesh {
    /// Serves a tool that answers once: registered, announced, and callable by others when this returns, or not at all.
    ///
    /// Arguments are checked by the descriptor's input schema and results by its output schema. The handler's error is a
    /// text for the caller ([`crate::RpcError::ServerError`] with the status [`crate::NRPC_TYPED_HANDLER_ERROR`]). Several
    /// versions of a tool may be served side by side.
    ///
    /// # Errors
    /// [`ServeError`]; nothing has changed then. [`ServeError::AlreadyServing`] when this node serves the version already.
    pub fn serve_tool<Req, Resp, F, Fut>(
        &self,
        descriptor: ToolDescriptor,
        handler: F,
    ) -> Result<ToolServeHandle, ServeError>
    where
        Req: DeserializeOwned + Send + 'static,
        Resp: Serialize + Send + 'static,
        F: Fn(Req) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Resp, String>> + Send + 'static,
    {
        self.serve_tool_with::<Req, Resp, _, _>(descriptor, move |_, request| handler(request))
    }

    /// As [`Mesh::serve_tool`], with a handler that is also given what it may know of the call: who asks, the deadline,
    /// cancellation, headers, the idempotency key, and a way to report progress.
    ///
    /// # Errors
    /// As [`Mesh::serve_tool`].
    pub fn serve_tool_with<Req, Resp, F, Fut>(
        &self,
        descriptor: ToolDescriptor,
        handler: F,
    ) -> Result<ToolServeHandle, ServeError>
    where
        Req: DeserializeOwned + Send + 'static,
        Resp: Serialize + Send + 'static,
        F: Fn(CallContext, Req) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Resp, String>> + Send + 'static,
    {
        self.serve_described(descriptor, Arc::new(Unary::<Req, F>::new(handler)))
    }

    /// Serves a tool that streams events. The stream ends at its first terminal event; when the handler's ends without one,
    /// the caller sees an error event [`crate::MISSING_TERMINAL`]. The descriptor's `streaming` is set.
    ///
    /// # Errors
    /// As [`Mesh::serve_tool`].
    pub fn serve_tool_streaming<Req, F, Fut, S>(
        &self,
        descriptor: ToolDescriptor,
        handler: F,
    ) -> Result<ToolServeHandle, ServeError>
    where
        Req: DeserializeOwned + Send + 'static,
        F: Fn(Req) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = S> + Send + 'static,
        S: Stream<Item = ToolEvent> + Send + 'static,
    {
        self.serve_tool_streaming_with::<Req, _, _, _>(descriptor, move |_, request| handler(request))
    }

    /// As [`Mesh::serve_tool_streaming`], with a handler that is also given what it may know of the call.
    ///
    /// # Errors
    /// As [`Mesh::serve_tool`].
    pub fn serve_tool_streaming_with<Req, F, Fut, S>(
        &self,
        mut descriptor: ToolDescriptor,
        handler: F,
    ) -> Result<ToolServeHandle, ServeError>
    where
        Req: DeserializeOwned + Send + 'static,
        F: Fn(CallContext, Req) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = S> + Send + 'static,
        S: Stream<Item = ToolEvent> + Send + 'static,
    {
        descriptor.streaming = true;
        self.serve_described(descriptor, Arc::new(Streaming::<Req, F>::new(handler)))
    }

    /// Serves a tool that was made elsewhere: by `#[tool]`, by [`Tool::with_name`], or by a source.
    ///
    /// # Errors
    /// As [`Mesh::serve_tool`].
    pub fn serve(&self, tool: Tool) -> Result<ToolServeHandle, ServeError> {
        let descriptor = tool.descriptor();
        self.node.serve(tool, descriptor)
    }

    fn serve_described(
        &self,
        descriptor: ToolDescriptor,
        handler: Arc<dyn ToolHandler>,
    ) -> Result<ToolServeHandle, ServeError> {
        let tool = tool_of(&descriptor, handler, ArgumentCheck::Dispatcher)?;
        self.node.serve(tool, descriptor)
    }
}

impl Registry for Mesh {
    type Registered = ToolServeHandle;
    type Error = ServeError;

    /// As [`Mesh::serve`]; the function `<fn>_register` of `#[tool]` calls this.
    fn register(&self, tool: Tool) -> Result<ToolServeHandle, ServeError> {
        self.serve(tool)
    }
}

impl Node {
    fn serve(
        self: &Arc<Self>,
        tool: Tool,
        descriptor: ToolDescriptor,
    ) -> Result<ToolServeHandle, ServeError> {
        let key = ToolKey {
            tool_id: descriptor.tool_id.clone(),
            version: tool.version().clone(),
        };
        if is_reserved(&key.tool_id) {
            return Err(ServeError::InvalidServiceName(key.tool_id));
        }
        let name = tool.name().clone();
        self.mount.add(vec![tool.clone()]).map_err(|error| match error {
            MountError::Collision { .. } => ServeError::AlreadyServing(key.tool_id.clone()),
            error => ServeError::Mount(error),
        })?;
        if let Err(error) = self.publish(key.clone(), descriptor, &tool) {
            self.remove(&name, &key.version);
            return Err(error);
        }
        Ok(ToolServeHandle {
            node: Arc::downgrade(self),
            key,
            name,
        })
    }

    fn remove(&self, name: &ToolName, version: &Version) {
        let removed = self
            .mount
            .exchange(&[(name.clone(), version.clone())], Vec::new());
        // Fewer entries neither collide nor are too many.
        debug_assert!(removed.is_ok());
    }
}

/// The tool that a descriptor describes.
pub(crate) fn tool_of(
    descriptor: &ToolDescriptor,
    handler: Arc<dyn ToolHandler>,
    check: ArgumentCheck,
) -> Result<Tool, ServeError> {
    let tool_id = &descriptor.tool_id;
    if descriptor.pricing_terms.is_some() {
        return Err(ServeError::UnenforceablePricing(tool_id.clone()));
    }
    let version = Version::parse(&descriptor.version).map_err(|_| ServeError::Version {
        tool_id: tool_id.clone(),
        version: descriptor.version.clone(),
    })?;
    let named = Tool::with_name(tool_id);
    let mut input = match schema(tool_id, "input", descriptor.input_schema.as_deref())? {
        Some(document) => named.input_schema(document, Profile::Draft2020_12),
        None => named.json_object_arguments(),
    };
    if let Some(document) = schema(tool_id, "output", descriptor.output_schema.as_deref())? {
        input = input.output_schema(document, Profile::Draft2020_12);
    }
    let mut tool = input
        .dyn_handler(handler)
        .argument_check(check)
        // On a mesh a result is any JSON.
        .text_suffices(true)
        .version(version)
        .estimated_time_ms(descriptor.estimated_time_ms)
        .stateless(descriptor.stateless)
        .streaming(descriptor.streaming)
        .annotations(descriptor.annotations.clone());
    if let Some(description) = &descriptor.description {
        tool = tool.description(description);
    }
    if let Some(title) = &descriptor.title {
        tool = tool.title(title);
    }
    tool = descriptor.tags.iter().fold(tool, |tool, tag| tool.tag(tag));
    tool = descriptor
        .requires
        .iter()
        .fold(tool, |tool, what| tool.requires(what));
    tool = descriptor
        .icons
        .iter()
        .cloned()
        .fold(tool, |tool, icon| tool.icon(icon));
    tool.build().map_err(|error| match error {
        ToolBuildError::Name { name, .. } => ServeError::InvalidServiceName(name),
        error => ServeError::Build(error),
    })
}

fn schema(tool_id: &str, side: &'static str, text: Option<&str>) -> Result<Option<Value>, ServeError> {
    let parsed = text.map(|text| toolmesh_json::parse(text.as_bytes())).transpose();
    parsed.map_err(|reason| ServeError::Schema {
        tool_id: tool_id.to_owned(),
        side,
        reason,
    })
}
