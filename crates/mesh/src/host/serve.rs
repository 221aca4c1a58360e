//! One request, from its frame to its last reply.

use std::time::Duration;

use toolmesh_json::{Limits, Value};
use toolmesh_tool::{CallRequest, FrontInfo, semver::VersionReq};

use super::{
    reply::{answer, refusal},
    running::RunningCall,
    service, stream,
};
use crate::{
    Predicate, WHERE_HEADER,
    engine::{Identity, Replies},
    node::{Node, caller},
    options::{DEFAULT_DEADLINE, DEFAULT_STREAM_DEADLINE, MAX_DEADLINE},
    wire::{
        Headers, IDEMPOTENCY_KEY, NRPC_TYPED_BAD_REQUEST, REPLY_SHAPE, RequestFrame, STREAM_WINDOW, Status,
        VERSION,
    },
};

/// A request that may not go on: its status, and the fixed text.
pub(super) struct Refused(pub(super) Status, pub(super) &'static str);

/// How long after its deadline the last events of a stream may still be read.
const STREAM_GRACE: Duration = Duration::from_secs(5);

const BAD_REQUEST: Status = Status::Application(NRPC_TYPED_BAD_REQUEST);

/// Answers one request.
pub(super) async fn serve(
    node: &Node,
    from: &Identity,
    call: u64,
    frame: &[u8],
    running: &RunningCall,
    replies: &dyn Replies,
) {
    let frame = match admit(node, from, frame) {
        Ok(frame) => frame,
        Err(Refused(status, text)) => {
            tracing::info!(caller = %from.name, node = %from.node, ?status, "refused a request of the mesh");
            // A caller that is gone needs no answer.
            let _ = replies.send(refusal(status, text)).await;
            return;
        }
    };
    if let Some(answered) = service::answer(node, from, &frame) {
        let _ = replies.send(answered).await;
        return;
    }
    let streams = frame.headers.get(REPLY_SHAPE) == Some("stream");
    let window = frame
        .headers
        .get(STREAM_WINDOW)
        .and_then(|window| window.parse().ok());
    let tool_id = frame.service.clone();
    let version = frame
        .headers
        .get(VERSION)
        .and_then(|version| VersionReq::parse(version).ok());
    let deadline = deadline(frame.deadline_ns, streams);
    let request = match request(from, call, frame, deadline, running) {
        Ok(request) => request,
        Err(Refused(status, text)) => {
            let _ = replies.send(refusal(status, text)).await;
            return;
        }
    };
    let dispatcher = &node.access.dispatcher;
    if streams {
        running.grant(window.unwrap_or(crate::options::DEFAULT_STREAM_WINDOW));
        let holds_start = service::is_native_stream(node, &tool_id, version.as_ref());
        let sent = stream::stream(dispatcher.stream(request), call, holds_start, running, replies);
        // A reader that takes nothing keeps the call, and its slot, no longer than one that reads.
        if tokio::time::timeout(deadline + STREAM_GRACE, sent).await.is_err() {
            tracing::info!(caller = %from.name, "a stream was not read to its end within its deadline");
        }
    } else {
        let outcome = dispatcher.call(request).await;
        let _ = replies.send(answer(outcome)).await;
    }
}

/// What stands before any look at a tool: the frame, who may use this node, and the caller's condition on it.
fn admit(node: &Node, from: &Identity, frame: &[u8]) -> Result<RequestFrame, Refused> {
    if !node.access.admits(from) {
        return Err(Refused(
            Status::CapabilityDenied,
            "This node does not allow the call.",
        ));
    }
    let frame =
        RequestFrame::decode(frame).map_err(|_| Refused(BAD_REQUEST, "The request is no valid frame."))?;
    if let Some(text) = frame.headers.get(WHERE_HEADER) {
        let predicate = Predicate::from_header(text)
            .map_err(|_| Refused(BAD_REQUEST, "The header net-where is no predicate."))?;
        if !node.access.capabilities().meets(&predicate) {
            return Err(Refused(
                Status::NotFound,
                "This node does not meet the predicate.",
            ));
        }
    }
    Ok(frame)
}

fn request(
    from: &Identity,
    call: u64,
    frame: RequestFrame,
    deadline: Duration,
    running: &RunningCall,
) -> Result<CallRequest, Refused> {
    let arguments = arguments(&frame.body)?;
    let version = frame.headers.get(VERSION).map(VersionReq::parse).transpose();
    let version = version.map_err(|_| {
        Refused(
            BAD_REQUEST,
            "The header toolmesh-version is no version requirement.",
        )
    })?;
    let key = frame.headers.get(IDEMPOTENCY_KEY).unwrap_or_default().to_owned();
    let front = FrontInfo {
        method: "mesh/call".to_owned(),
        request_id: Some(Value::from(call)),
        ..FrontInfo::default()
    };
    let mut request = CallRequest::new(frame.service, arguments, caller(from))
        .front(front)
        .timeout(deadline)
        .cancellation(running.cancellation.clone())
        .idempotency_key(key)
        .headers(handed_on(frame.headers));
    if let Some(version) = version {
        request = request.version(version);
    }
    Ok(request)
}

fn deadline(asked_ns: u64, streams: bool) -> Duration {
    match asked_ns {
        0 if streams => DEFAULT_STREAM_DEADLINE,
        0 => DEFAULT_DEADLINE,
        asked => Duration::from_nanos(asked).min(MAX_DEADLINE),
    }
}

fn arguments(body: &[u8]) -> Result<Value, Refused> {
    let refused = |_| Refused(BAD_REQUEST, "The request body is no JSON that this node reads.");
    let limits = Limits::default()
        .with_bytes(crate::wire::MAX_BODY_BYTES)
        .unwrap_or_default();
    toolmesh_json::parse_with(body, &limits).map_err(refused)
}

/// What a handler gets to see: everything but the headers that steer the call itself.
fn handed_on(headers: Headers) -> Vec<(String, String)> {
    let mut pairs = headers.into_pairs();
    pairs
        .retain(|(name, _)| ![REPLY_SHAPE, STREAM_WINDOW, VERSION, IDEMPOTENCY_KEY].contains(&name.as_str()));
    pairs
}
