//! Calls whose events are read while they run.

use tokio::time::Instant;
use toolmesh_json::Value;

use super::{
    attempt::send,
    call::{candidates, time_left},
    request::{request, with_time_left},
    stream::{RpcItem, RpcStreamTyped},
};
use crate::{CallOptions, NodeId, RpcError, node::Node, options::DEFAULT_STREAM_DEADLINE};

/// Opens a stream of a tool's events. Where the tool is stateless, the next node is asked when one cannot be reached.
pub(crate) async fn open_stream<T: RpcItem>(
    node: &Node,
    tool_id: &str,
    arguments: &Value,
    options: &CallOptions,
) -> Result<RpcStreamTyped<T>, RpcError> {
    let began = Instant::now();
    let found = candidates(node, tool_id, options)?;
    let frame = request(tool_id, Some(&found.key.version), arguments, true, options)?;
    let hosts = node.router.order(options.routing, found.nodes);
    let tries = if found.stateless { hosts.len() } else { 1 };
    let mut last = None;
    for host in hosts.into_iter().take(tries) {
        let left = time_left(began, DEFAULT_STREAM_DEADLINE, options)?;
        let bytes = with_time_left(&frame, left)?;
        match send(node, host, bytes, options.stream_window()).await {
            Ok(sent) => return Ok(RpcStreamTyped::new(sent, tool_id, left, options)),
            Err(error) => {
                node.router.failed(host);
                last = Some(error);
            }
        }
    }
    Err(last.unwrap_or(RpcError::Cancelled))
}

/// Opens a stream of one of the services of a node.
pub(crate) async fn open_service<T: RpcItem>(
    node: &Node,
    host: NodeId,
    service: &str,
    body: &Value,
    options: &CallOptions,
) -> Result<RpcStreamTyped<T>, RpcError> {
    let frame = request(service, None, body, true, options)?;
    let left = time_left(Instant::now(), DEFAULT_STREAM_DEADLINE, options)?;
    let bytes = with_time_left(&frame, left)?;
    let sent = send(node, host, bytes, options.stream_window()).await?;
    Ok(RpcStreamTyped::new(sent, service, left, options))
}
