//! Calling a tool of another node, as a handler.

use std::{sync::Weak, time::Instant};

use futures_util::StreamExt;
use toolmesh_json::Value;
use toolmesh_tool::{
    BoxFuture, CallContext, CallError, HandlerError, Outcome, ToolEvent, ToolHandler, semver::VersionReq,
};

use super::outcome;
use crate::{CallOptions, RpcError, RpcStreamTyped, client, engine::NodeId, node::Node};

/// Headers of a call that go along to the next node: those of the W3C trace.
const HANDED_ON: [&str; 2] = ["traceparent", "tracestate"];

/// A tool of other nodes.
pub(super) struct RemoteTool {
    pub(super) node: Weak<Node>,
    pub(super) tool_id: String,
    pub(super) requirement: VersionReq,
    pub(super) has_output_schema: bool,
}

impl ToolHandler for RemoteTool {
    fn call<'a>(&'a self, context: CallContext, arguments: Value) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let Some(node) = self.node.upgrade() else {
                return CallError::from(HandlerError::new("this node has left the mesh")).into();
            };
            let options = self.options(&context);
            if !context.is_streamed() {
                let answer = client::call_tool(&node, &self.tool_id, &arguments, &options).await;
                return match answer {
                    Ok(data) => outcome::completed(data, self.has_output_schema),
                    Err(error) => self.failed(&node, error),
                };
            }
            match client::open_stream(&node, &self.tool_id, &arguments, &options).await {
                Ok(stream) => self.stream(&node, stream, &context).await,
                Err(error) => self.failed(&node, error),
            }
        })
    }
}

impl RemoteTool {
    fn options(&self, context: &CallContext) -> CallOptions {
        let mut options = CallOptions::new()
            .with_version(self.requirement.clone())
            .with_cancellation(context.cancellation().clone())
            .on_behalf_of(context.caller());
        if let Some(deadline) = context.deadline() {
            options = options.with_deadline(deadline.saturating_duration_since(Instant::now()));
        }
        if !context.idempotency_key().is_empty() {
            options = options.with_idempotency_key(context.idempotency_key());
        }
        let headers = context.headers().iter();
        headers
            .filter(|(name, _)| HANDED_ON.contains(&name.as_str()))
            .fold(options, |options, (name, value)| options.with_header(name, value))
    }

    /// The client is told that it was refused, and the operator of this node why that may be.
    fn failed(&self, node: &Node, error: RpcError) -> Outcome {
        if let RpcError::CapabilityDenied { target, .. } = &error
            && let Some(left_out) = node.denied_elsewhere.may_write(Instant::now())
        {
            let left_out = (left_out > 0).then_some(left_out);
            tracing::warn!(
                tool = self.tool_id, node = %NodeId::new(*target), left_out,
                "a node denied a call that came through this one; who calls for others has to be in `gateways` of its `access`, and \
                 the client in its lists"
            );
        }
        outcome::failed(error)
    }

    async fn stream(
        &self,
        node: &Node,
        mut stream: RpcStreamTyped<ToolEvent>,
        context: &CallContext,
    ) -> Outcome {
        while let Some(item) = stream.next().await {
            match item {
                Err(error) => return self.failed(node, error),
                Ok(ToolEvent::Result { data }) => return outcome::completed(data, self.has_output_schema),
                Ok(ToolEvent::Error {
                    code,
                    message,
                    details,
                }) => return outcome::of_event(&code, message, details),
                // Without metadata it says what the start of this call said already.
                Ok(ToolEvent::Start { metadata: None, .. }) => {}
                Ok(event) => context.event(event).await,
            }
        }
        CallError::Internal("a stream of the mesh ended without a terminal event".to_owned()).into()
    }
}
