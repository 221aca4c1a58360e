//! One try of a call: one request to one node.

use std::{future::Future, sync::Arc, time::Duration};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{
    NodeId, RpcError,
    engine::{Control, Engine, ReplyQueue, ReplyReader},
    node::Node,
    options::DEFAULT_ANSWER_WINDOW,
    wire::{Parts, ReplyFrame, Status},
};

/// Cancels a call at its host unless it ended.
pub(super) struct CancelOnDrop {
    pub(super) engine: Arc<dyn Engine>,
    pub(super) host: NodeId,
    pub(super) call: u64,
    pub(super) ended: bool,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if !self.ended {
            self.engine.control(self.host, self.call, Control::Cancel);
        }
    }
}

/// A request that was sent: its replies, and the guard that cancels it.
pub(super) struct Sent {
    pub(super) replies: ReplyReader,
    pub(super) guard: CancelOnDrop,
}

impl Sent {
    /// Lets the host send more.
    pub(super) fn grant(&self, credits: u32) {
        self.replies.grant(credits);
        let grant = Control::Grant(credits);
        self.guard.engine.control(self.guard.host, self.guard.call, grant);
    }

    /// Waits for the one answer, which may come in parts.
    async fn answer(&mut self) -> Result<ReplyFrame, RpcError> {
        let (mut parts, mut answering) = (Parts::default(), false);
        while let Some(frame) = self.replies.recv().await {
            if let Some(mut answer) = parts.take(&frame)? {
                self.guard.ended = true;
                // In the middle of a result a host cannot say that it has not run the handler.
                if answering && answer.status.is_not_run() {
                    answer.status = Status::Internal;
                }
                return Ok(answer);
            }
            answering = true;
            self.grant(self.replies.cost(&frame));
        }
        self.guard.ended = true;
        Err(lost(self.guard.host, answering))
    }
}

/// Sends a request, whose host has so many credits before it is granted more.
pub(super) async fn send(node: &Node, host: NodeId, frame: Vec<u8>, window: u32) -> Result<Sent, RpcError> {
    let (queue, replies) = ReplyQueue::new(window);
    let call = node.next_call();
    let guard = CancelOnDrop {
        engine: Arc::clone(&node.engine),
        host,
        call,
        ended: false,
    };
    let sent = node.engine.request(host, call, frame, queue).await;
    sent.map_err(|error| RpcError::of_engine(&error, host))?;
    Ok(Sent { replies, guard })
}

/// Sends a request and waits for its one answer.
pub(super) async fn ask(
    node: &Node,
    host: NodeId,
    frame: Vec<u8>,
    left: Duration,
    cancellation: &CancellationToken,
) -> Result<ReplyFrame, RpcError> {
    let work = async {
        let mut sent = send(node, host, frame, DEFAULT_ANSWER_WINDOW).await?;
        sent.answer().await
    };
    within(left, cancellation, work).await
}

/// Does what belongs to a call, as long as its deadline and its caller let it.
pub(super) async fn within<T>(
    left: Duration,
    cancellation: &CancellationToken,
    work: impl Future<Output = Result<T, RpcError>>,
) -> Result<T, RpcError> {
    let began = Instant::now();
    tokio::select! {
        biased;
        () = cancellation.cancelled() => Err(RpcError::Cancelled),
        ended = tokio::time::timeout(left, work) => ended.map_err(|_| timed_out(began))?,
    }
}

pub(super) fn timed_out(began: Instant) -> RpcError {
    RpcError::Timeout {
        elapsed_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
    }
}

/// That a host says no more, and its call has not ended.
pub(super) fn lost(host: NodeId, answering: bool) -> RpcError {
    RpcError::HostLost {
        target: host.number(),
        answering,
    }
}

/// What a status other than Ok means to the caller.
pub(super) fn failure(reply: ReplyFrame, host: NodeId, service: &str, began: Instant) -> RpcError {
    match reply.status {
        Status::CapabilityDenied => RpcError::CapabilityDenied {
            target: host.number(),
            capability: service.to_owned(),
        },
        Status::Timeout => timed_out(began),
        Status::Cancelled => RpcError::Cancelled,
        status => RpcError::ServerError {
            status: status.code(),
            message: String::from_utf8_lossy(&reply.body).into_owned(),
            headers: reply.headers.into_pairs(),
        },
    }
}
