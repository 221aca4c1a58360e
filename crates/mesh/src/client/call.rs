//! Calls for one answer: choosing a node, trying, trying again.

use std::{pin::pin, time::Duration};

use tokio::time::Instant;
use toolmesh_json::{Limits, Value};
use toolmesh_tool::semver::VersionReq;

use super::{
    attempt::{ask, failure, timed_out},
    request::{request, with_time_left},
};
use crate::{
    CallOptions, NodeId, RpcError,
    breaker::Trial,
    fold::Candidates,
    node::Node,
    options::{DEFAULT_DEADLINE, MAX_DEADLINE},
    wire::{RequestFrame, Status},
};

/// Calls a tool, wherever it is served.
pub(crate) async fn call_tool(
    node: &Node,
    tool_id: &str,
    arguments: &Value,
    options: &CallOptions,
) -> Result<Value, RpcError> {
    let found = candidates(node, tool_id, options)?;
    let call = ToolCall {
        node,
        tool_id,
        frame: request(tool_id, Some(&found.key.version), arguments, false, options)?,
        stateless: found.stateless,
        options,
        began: Instant::now(),
    };
    call.run(&node.router.order(options.routing, found.nodes)).await
}

/// Calls a service of one node.
pub(crate) async fn call_node(
    node: &Node,
    host: NodeId,
    service: &str,
    body: &Value,
    options: &CallOptions,
) -> Result<Value, RpcError> {
    let frame = request(service, None, body, false, options)?;
    attempt_one(node, host, &frame, Instant::now(), options).await
}

/// A call of a tool that one of several nodes may answer.
struct ToolCall<'a> {
    node: &'a Node,
    tool_id: &'a str,
    frame: RequestFrame,
    stateless: bool,
    options: &'a CallOptions,
    began: Instant,
}

/// A node whose turn it is, and what is told to the breaker where it counts.
type Turn<'a> = (NodeId, Option<Trial<'a>>);

impl ToolCall<'_> {
    async fn run(&self, hosts: &[NodeId]) -> Result<Value, RpcError> {
        let retry = &self.options.retry;
        let attempts = if self.stateless { retry.attempts.max(1) } else { 1 };
        let mut last = None;
        for attempt in 0..attempts {
            wait(retry.wait_before(attempt), self.began, self.options).await?;
            match self.attempt(hosts, attempt).await {
                None => break,
                Some(Err(error)) if error.is_transient() => last = Some(gravest(last, error)),
                Some(ended) => return ended,
            }
        }
        Err(last.unwrap_or_else(|| RpcError::NoRoute {
            target: 0,
            reason: format!(
                "every node that serves `{}` failed of late and is left alone for a while",
                self.tool_id
            ),
        }))
    }

    /// One attempt, at the first of the hosts whose turn it is; `None` when each of them is left alone.
    async fn attempt(&self, hosts: &[NodeId], attempt: u32) -> Option<Result<Value, RpcError>> {
        let before = usize::try_from(attempt).unwrap_or_default() % hosts.len().max(1);
        let mut turns = hosts.iter().copied().cycle().skip(before).take(hosts.len());
        let first = self.turn(&mut turns)?;
        let mut first = pin!(self.one(first));
        let Some(after) = self.options.hedge_after.filter(|_| self.stateless) else {
            return Some(first.await);
        };
        tokio::select! {
            biased;
            ended = &mut first => return Some(ended),
            () = tokio::time::sleep(after) => {}
        }
        let Some(second) = self.turn(&mut turns) else {
            return Some(first.await);
        };
        let mut second = pin!(self.one(second));
        // A failure that another node may not meet waits for the other node's answer.
        Some(tokio::select! {
            biased;
            ended = &mut first => if is_decided(&ended) { ended } else { both(ended, second.await) },
            ended = &mut second => if is_decided(&ended) { ended } else { both(ended, first.await) },
        })
    }

    /// The next node that is not left alone. The breaker holds for stateless tools alone, as trying again does: with others
    /// the caller must know how each call ended.
    fn turn(&self, turns: &mut impl Iterator<Item = NodeId>) -> Option<Turn<'_>> {
        turns.find_map(|host| match self.stateless {
            true => Some((host, Some(self.node.breaker.lets(host, self.tool_id)?))),
            false => Some((host, None)),
        })
    }

    async fn one(&self, (host, trial): Turn<'_>) -> Result<Value, RpcError> {
        let ended = attempt_one(self.node, host, &self.frame, self.began, self.options).await;
        if let Some(trial) = trial {
            trial.ended(&ended);
        }
        ended
    }
}

/// What is told of tries that all failed. A host that was lost may have run the handler; what another try met afterwards would say
/// that none did.
fn gravest(before: Option<RpcError>, now: RpcError) -> RpcError {
    match before {
        Some(lost @ RpcError::HostLost { .. }) => lost,
        _ => now,
    }
}

fn is_decided(ended: &Result<Value, RpcError>) -> bool {
    !ended.as_ref().is_err_and(RpcError::is_of_host)
}

/// How a call ended that failed at one node and then ended at another. Where both failed, a handler that has run at either of
/// them forbids another try.
fn both(failed: Result<Value, RpcError>, other: Result<Value, RpcError>) -> Result<Value, RpcError> {
    let may_have_run = failed.as_ref().is_err_and(|error| !error.is_transient());
    if other.is_err() && may_have_run {
        failed
    } else {
        other
    }
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
    frame: &RequestFrame,
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
            if error.is_of_host() {
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
    toolmesh_json::parse_with(body, &Limits::answer()).map_err(RpcError::decode)
}
