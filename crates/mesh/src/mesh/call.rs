//! Calling tools.

use serde::{Serialize, de::DeserializeOwned};
use toolmesh_json::Value;
use toolmesh_tool::ToolEvent;

use super::Mesh;
use crate::{
    CallOptions, CallOptionsTyped, RpcError,
    client::{self, RpcStreamTyped},
    engine::NodeId,
};

impl Mesh {
    /// Calls a tool wherever it is served, and waits for its result.
    ///
    /// # Errors
    /// [`RpcError::NoRoute`] when no node that this one can see serves it; [`RpcError::ServerError`] with the host's
    /// status, [`crate::NRPC_TYPED_HANDLER_ERROR`] for the handler's own error; every other [`RpcError`].
    pub async fn call_tool<Req, Resp>(&self, tool_id: &str, request: &Req) -> Result<Resp, RpcError>
    where
        Req: Serialize + ?Sized,
        Resp: DeserializeOwned,
    {
        self.call_tool_with(tool_id, request, &CallOptions::new()).await
    }

    /// As [`Mesh::call_tool`], with options.
    ///
    /// # Errors
    /// As [`Mesh::call_tool`].
    pub async fn call_tool_with<Req, Resp>(
        &self,
        tool_id: &str,
        request: &Req,
        options: &CallOptions,
    ) -> Result<Resp, RpcError>
    where
        Req: Serialize + ?Sized,
        Resp: DeserializeOwned,
    {
        let result = self.call_tool_value(tool_id, &encode(request)?, options).await?;
        result.deserialize().map_err(RpcError::decode)
    }

    /// As [`Mesh::call_tool_with`], with JSON on both sides: nothing is rounded, and members keep their order.
    ///
    /// # Errors
    /// As [`Mesh::call_tool`].
    pub async fn call_tool_value(
        &self,
        tool_id: &str,
        arguments: &Value,
        options: &CallOptions,
    ) -> Result<Value, RpcError> {
        client::call_tool(&self.node, tool_id, arguments, options).await
    }

    /// Calls a tool wherever it is served, and reads its events while it runs. Tools that do not stream give a start and a
    /// result.
    ///
    /// # Errors
    /// [`RpcError`] when no host can be asked. What the host refuses is the first item of the stream.
    pub async fn call_tool_streaming<Req>(
        &self,
        tool_id: &str,
        request: &Req,
    ) -> Result<RpcStreamTyped<ToolEvent>, RpcError>
    where
        Req: Serialize + ?Sized,
    {
        self.call_tool_streaming_with(tool_id, request, &CallOptions::new())
            .await
    }

    /// As [`Mesh::call_tool_streaming`], with options.
    ///
    /// # Errors
    /// As [`Mesh::call_tool_streaming`].
    pub async fn call_tool_streaming_with<Req>(
        &self,
        tool_id: &str,
        request: &Req,
        options: &CallOptions,
    ) -> Result<RpcStreamTyped<ToolEvent>, RpcError>
    where
        Req: Serialize + ?Sized,
    {
        let arguments = encode(request)?;
        client::open_stream(&self.node, tool_id, &arguments, options).await
    }

    /// Calls a service, or a tool, of one node.
    ///
    /// # Errors
    /// As [`Mesh::call_tool`].
    pub async fn call_typed<Req, Resp>(
        &self,
        node: NodeId,
        service: &str,
        request: &Req,
        options: CallOptionsTyped,
    ) -> Result<Resp, RpcError>
    where
        Req: Serialize + ?Sized,
        Resp: DeserializeOwned,
    {
        let body = encode(request)?;
        let result = client::call_node(&self.node, node, service, &body, &options.raw).await?;
        result.deserialize().map_err(RpcError::decode)
    }
}

fn encode<Req: Serialize + ?Sized>(request: &Req) -> Result<Value, RpcError> {
    Value::from_serialize(request).map_err(RpcError::encode)
}
