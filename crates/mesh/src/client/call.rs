//! Calls for one answer: choosing a node, trying, trying again.

use std::time::{Duration, Instant};

use toolmesh_json::{Limits, Value};
use toolmesh_tool::semver::VersionReq;

use super::{
    attempt::{ask, failure, timed_out},
    request::{request, with_time_left},
};
use crate::{
    CallOptions, NodeId, RpcError,
    fold::Candidates,
    node::Node,
    options::{DEFAULT_DEADLINE, MAX_DEADLINE},
    wire::{MAX_BODY_BYTES, RequestFrame, Status},
};

/// Calls a tool, wherever it is served.
pub(crate) async fn call_tool(
    node: &Node,
    tool_id: &str,
    arguments: &Value,
    options: &CallOptions,
) -> Result<Value, RpcError> {
    let began = Instant::now();
    let candidates = candidates(node, tool_id, options)?;
    let mut frame = request(tool_id, Some(&candidates.key.version), arguments, false, options)?;
    let stateless = candidates.row.descriptor.stateless;
    let attempts = if stateless {
        options.retry.attempts.max(1)
    } else {
        1
    };
    let hosts = node.router.order(options.routing, candidates.nodes);
    let mut last = no_route(tool_id, options.version.as_ref());
    for (attempt, host) in (0..attempts).zip(hosts.iter().cycle()) {
        wait(options.retry.wait_before(attempt), began, options).await?;
        match attempt_one(node, *host, &mut frame, began, options).await {
            Err(error) if error.is_transient() => last = error,
            ended => return ended,
        }
    }
    Err(last)
}

/// Calls a service of one node.
pub(crate) async fn call_node(
    node: &Node,
    host: NodeId,
    service: &str,
    body: &Value,
    options: &CallOptions,
) -> Result<Value, RpcError> {
    let mut frame = request(service, None, body, false, options)?;
    attempt_one(node, host, &mut frame, Instant::now(), options).await
}

/// The nodes that a call may go to.
pub(super) fn candidates(node: &Node, tool_id: &str, options: &CallOptions) -> Result<Candidates, RpcError> {
    let found = node
        .fold
        .candidates(tool_id, options.version.as_ref(), options.predicate.as_ref());
    found.ok_or_else(|| no_route(tool_id, options.version.as_ref()))
}

fn no_route(tool_id: &str, version: Option<&VersionReq>) -> RpcError {
    let version = version.map(|wanted| format!(" {wanted}")).unwrap_or_default();
    RpcError::NoRoute {
        target: 0,
        reason: format!(
            "no node that this one can see serves `{tool_id}`{version} and meets the call's conditions"
        ),
    }
}

/// How much time a call has left.
pub(super) fn time_left(
    began: Instant,
    default: Duration,
    options: &CallOptions,
) -> Result<Duration, RpcError> {
    let whole = options.deadline.unwrap_or(default).min(MAX_DEADLINE);
    let left = whole.saturating_sub(began.elapsed());
    if left.is_zero() {
        Err(timed_out(began))
    } else {
        Ok(left)
    }
}

async fn wait(wait: Duration, began: Instant, options: &CallOptions) -> Result<(), RpcError> {
    if wait.is_zero() {
        return Ok(());
    }
    let left = time_left(began, DEFAULT_DEADLINE, options)?;
    tokio::select! {
        biased;
        () = options.cancellation.cancelled() => Err(RpcError::Cancelled),
        () = tokio::time::sleep(wait.min(left)) => Ok(()),
    }
}

async fn attempt_one(
    node: &Node,
    host: NodeId,
    frame: &mut RequestFrame,
    began: Instant,
    options: &CallOptions,
) -> Result<Value, RpcError> {
    let left = time_left(began, DEFAULT_DEADLINE, options)?;
    let bytes = with_time_left(frame, left)?;
    let asked = Instant::now();
    let reply = ask(node, host, bytes, left, &options.cancellation).await;
    let reply = match reply {
        Ok(reply) => reply,
        Err(error) => {
            if error.is_transient() || matches!(error, RpcError::Timeout { .. }) {
                node.router.failed(host);
            }
            return Err(error);
        }
    };
    match reply.status {
        Status::Ok => {
            node.router.answered(host, asked.elapsed());
            read(&reply.body)
        }
        Status::Backpressure | Status::Internal | Status::Timeout => {
            node.router.failed(host);
            Err(failure(reply, host, &frame.service, began))
        }
        _ => {
            node.router.answered(host, asked.elapsed());
            Err(failure(reply, host, &frame.service, began))
        }
    }
}

fn read(body: &[u8]) -> Result<Value, RpcError> {
    let limits = Limits::default().with_bytes(MAX_BODY_BYTES).unwrap_or_default();
    toolmesh_json::parse_with(body, &limits).map_err(RpcError::decode)
}
