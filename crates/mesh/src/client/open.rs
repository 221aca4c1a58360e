//! Calls whose events are read while they run.

use std::time::Duration;

use tokio::time::Instant;
use toolmesh_json::Value;

use super::{
    attempt::{send, within},
    call::{candidates, time_left},
    request::{request, with_time_left},
    stream::{RpcItem, RpcStreamTyped},
};
use crate::{
    CallOptions, NodeId, RpcError, node::Node, options::DEFAULT_STREAM_DEADLINE, wire::RequestFrame,
};

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
        match open(node, host, &frame, left, options).await {
            Err(error) if error.is_of_host() => {
                node.router.failed(host);
                last = Some(error);
            }
            // Also what another host would refuse as well.
            opened => return opened,
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
    open(node, host, &frame, left, options).await
}

/// Opens a stream at one node. Sending waits where too much waits for that node already; the deadline and the caller end that
/// too.
async fn open<T: RpcItem>(
    node: &Node,
    host: NodeId,
    frame: &RequestFrame,
    left: Duration,
    options: &CallOptions,
) -> Result<RpcStreamTyped<T>, RpcError> {
    let ends = Instant::now() + left;
    let bytes = with_time_left(frame, left)?;
    let sending = send(node, host, bytes, options.stream_window());
    let sent = within(left, &options.cancellation, sending).await?;
    Ok(RpcStreamTyped::new(sent, &frame.service, ends, options))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio_util::sync::CancellationToken;
    use toolmesh_tool::{ToolDescriptor, ToolEvent};

    use super::*;
    use crate::{
        Mesh, MeshBuilder, ToolServeHandle,
        engine::{Hooked, Identity, MemoryNetwork},
    };

    /// A host with the tool `t`, and an agent that has no room for a request.
    async fn host_and_full_agent() -> (Mesh, ToolServeHandle, Mesh) {
        let network = MemoryNetwork::new();
        let engine = |number| network.node(Identity::new(NodeId::new(number), format!("node-{number}")));
        let host = MeshBuilder::on(Arc::new(engine(1))).build().await.unwrap();
        let served = host
            .serve_tool::<Value, Value, _, _>(ToolDescriptor::new("t"), |value| async { Ok(value) })
            .unwrap();
        let hooked = Arc::new(Hooked::new(engine(2)));
        hooked.fill();
        let agent = MeshBuilder::on(hooked).build().await.unwrap();
        (host, served, agent)
    }

    async fn opened(agent: &Mesh, host: NodeId, options: &CallOptions) -> [&'static str; 2] {
        let nothing = Value::object().build();
        let tool = open_stream::<ToolEvent>(&agent.node, "t", &nothing, options).await;
        let service = open_service::<ToolEvent>(&agent.node, host, "tool.watch", &nothing, options).await;
        [tool, service].map(|opened| opened.unwrap_err().kind())
    }

    #[tokio::test(start_paused = true)]
    async fn opening_a_stream_ends_with_its_deadline() {
        let (host, _served, agent) = host_and_full_agent().await;
        let options = CallOptions::new().with_deadline(Duration::from_millis(50));
        let began = Instant::now();
        assert_eq!(opened(&agent, host.node_id(), &options).await, ["timeout"; 2]);
        assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn opening_a_stream_ends_when_its_caller_gives_up() {
        let (host, _served, agent) = host_and_full_agent().await;
        let token = CancellationToken::new();
        let options = CallOptions::new().with_cancellation(token.clone());
        let giving_up = async {
            tokio::task::yield_now().await;
            token.cancel();
        };
        let (ended, ()) = tokio::join!(opened(&agent, host.node_id(), &options), giving_up);
        assert_eq!(ended, ["cancelled"; 2]);
    }
}
