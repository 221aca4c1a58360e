//! One request, from its frame to its last reply.

use std::time::{Duration, Instant};

use toolmesh_json::{Limits, Value};
use toolmesh_tool::{CallRequest, FrontInfo, dispatcher::Operation};

use super::{
    admit::{Asked, Refused, Target, Wanted},
    reply::answer,
    running::RunningCall,
    service, stream,
    way::{Way, offer_refusal, send_refusal},
};
use crate::{
    access::Asker,
    engine::{Identity, Replies},
    node::Node,
    options::{
        DEFAULT_DEADLINE, DEFAULT_STREAM_DEADLINE, DEFAULT_STREAM_WINDOW, MAX_DEADLINE, MAX_STREAM_WINDOW,
    },
    wire::{
        Headers, IDEMPOTENCY_KEY, MAX_BODY_BYTES, REPLY_SHAPE, RequestFrame, STEERING, STREAM_WINDOW, Status,
    },
};

/// How long after its deadline the last of an answer or a stream may still be read.
const GRACE: Duration = Duration::from_secs(5);

/// Answers one request.
pub(super) async fn serve(
    node: &Node,
    from: &Identity,
    call: u64,
    frame: Vec<u8>,
    running: &RunningCall,
    replies: &dyn Replies,
) {
    let Asked {
        frame,
        behalf,
        target,
    } = match Asked::admit(node, from, frame) {
        Ok(asked) => asked,
        Err(refused) => return refuse(node, from, refused, replies).await,
    };
    let asker = Asker {
        node: from,
        behalf: behalf.as_ref(),
    };
    let way = Way { running, replies };
    let streams = frame.headers.get(REPLY_SHAPE) == Some("stream");
    let deadline = deadline(frame.deadline_ns, streams);
    running.open(window(&frame));
    let answered = async {
        match target {
            Target::Service => {
                if let Err(refused) = service::answer(node, &asker, frame, way).await {
                    refuse(node, from, refused.for_client(asker.behalf), replies).await;
                }
            }
            Target::Tool(wanted) => {
                let call = Call {
                    node,
                    asker,
                    call,
                    wanted,
                    way,
                };
                call.answer(frame, deadline, streams).await;
            }
        }
    };
    // A reader that takes nothing keeps the call, and its slot, no longer than one that reads.
    if tokio::time::timeout(deadline + GRACE, answered).await.is_err() {
        tracing::info!(
            caller = from.name,
            "an answer was not read to its end within its deadline"
        );
    }
}

/// How many credits the caller gives before it has read anything.
fn window(frame: &RequestFrame) -> u32 {
    let asked = frame
        .headers
        .get(STREAM_WINDOW)
        .and_then(|window| window.parse().ok());
    asked.unwrap_or(DEFAULT_STREAM_WINDOW).clamp(1, MAX_STREAM_WINDOW)
}

/// Answers a request that does not come to the dispatcher, and tells the dispatcher's observers of it.
pub(super) async fn refuse(node: &Node, from: &Identity, refused: Refused, replies: &dyn Replies) {
    note(node, from, &refused);
    send_refusal(replies, refused.status, refused.text).await;
}

/// Refuses a request for which there is no place. A caller that does not read what waits for it already is not told.
pub(super) fn refuse_busy(node: &Node, from: &Identity, replies: &dyn Replies) {
    let refused = Refused::busy();
    note(node, from, &refused);
    offer_refusal(replies, refused.status, refused.text);
}

/// Tells the log and the dispatcher's observers of a refusal.
fn note(node: &Node, from: &Identity, refused: &Refused) {
    let tool = refused.about.tool_id.as_str();
    // Whoever may not do what it asks for is something to look at; what else is refused is a matter of every day.
    if matches!(refused.status, Status::CapabilityDenied | Status::AdmissionDenied) {
        if let Some(left_out) = node.denials.may_write(Instant::now()) {
            let left_out = (left_out > 0).then_some(left_out);
            tracing::warn!(caller = from.name, node = %from.node, tool, error = %refused.error, left_out, "denied a call of the mesh");
        }
    } else {
        tracing::info!(caller = from.name, node = %from.node, tool, error = %refused.error, "refused a request of the mesh");
    }
    let asker = Asker {
        node: from,
        behalf: refused.about.behalf.as_ref(),
    };
    let operation = Operation::CallTool(&refused.about.tool_id);
    let dispatcher = &node.access.dispatcher;
    dispatcher.refused_by_front(&asker.caller(), operation, &refused.error);
}

/// A call of a tool that may go on.
struct Call<'a> {
    node: &'a Node,
    asker: Asker<'a>,
    call: u64,
    wanted: Wanted,
    way: Way<'a>,
}

impl Call<'_> {
    async fn answer(self, frame: RequestFrame, deadline: Duration, streams: bool) {
        let request = match self.request(frame, deadline) {
            Ok(request) => request,
            Err(refused) => {
                let refused = refused
                    .at_tool(&self.wanted.tool_id)
                    .for_client(self.asker.behalf);
                return refuse(self.node, self.asker.node, refused, self.way.replies).await;
            }
        };
        let dispatcher = &self.node.access.dispatcher;
        if streams {
            let holds_start = service::is_native_stream(self.node, &self.wanted);
            let items = dispatcher.stream(request);
            stream::stream(items, self.call, holds_start, self.way).await;
        } else {
            let outcome = dispatcher.call(request).await;
            self.way.answer(answer(outcome)).await;
        }
    }

    fn request(&self, frame: RequestFrame, deadline: Duration) -> Result<CallRequest, Refused> {
        let arguments = arguments(frame.body)?;
        let key = frame.headers.get(IDEMPOTENCY_KEY).unwrap_or_default().to_owned();
        let front = FrontInfo {
            method: "mesh/call".into(),
            request_id: Some(Value::from(self.call)),
            ..FrontInfo::default()
        };
        let mut request = CallRequest::new(&self.wanted.tool_id, arguments, self.asker.caller())
            .front(front)
            .front_check(self.wanted.check())
            .timeout(deadline)
            .cancellation(self.way.running.cancellation.clone())
            .idempotency_key(key)
            .headers(handed_on(frame.headers));
        if let Some(version) = &self.wanted.version {
            request = request.version(version.clone());
        }
        Ok(request)
    }
}

fn deadline(asked_ns: u64, streams: bool) -> Duration {
    match asked_ns {
        0 if streams => DEFAULT_STREAM_DEADLINE,
        0 => DEFAULT_DEADLINE,
        asked => Duration::from_nanos(asked).min(MAX_DEADLINE),
    }
}

/// Reads the body, which ends here: what was read of it is a copy.
fn arguments(body: Vec<u8>) -> Result<Value, Refused> {
    let refused = |_| Refused::malformed("The request body is no JSON that this node reads.");
    let limits = Limits::default().with_bytes(MAX_BODY_BYTES).unwrap_or_default();
    toolmesh_json::parse_with(&body, &limits).map_err(refused)
}

/// What a handler gets to see: everything but the headers that steer the call itself.
fn handed_on(headers: Headers) -> Vec<(String, String)> {
    let mut pairs = headers.into_pairs();
    pairs.retain(|(name, _)| !STEERING.contains(&name.as_str()));
    pairs
}
