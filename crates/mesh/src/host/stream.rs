//! A call whose events are sent while it runs, each against a credit of its caller.

use futures_util::StreamExt;
use toolmesh_tool::{CallItem, CallStream, Outcome, ToolEvent};

use super::{
    reply::{frame, refusal, status_of, terminal},
    running::RunningCall,
};
use crate::{
    engine::Replies,
    wire::{Headers, MAX_BODY_BYTES, STREAMING, Status},
};

/// The code of the event that ends a stream in place of one that is too large to send.
const TOO_LARGE: &str = "event_too_large";

/// Sends the events of a call. A call that is refused before it begins is answered by a status; one that began ends in
/// exactly one terminal event.
pub(super) async fn stream(
    mut items: CallStream,
    call: u64,
    holds_start: bool,
    running: &RunningCall,
    replies: &dyn Replies,
) {
    let mut chunks = Chunks { running, replies };
    let mut held: Option<ToolEvent> = None;
    let mut began = false;
    while let Some(item) = items.next().await {
        let event = match item {
            CallItem::Event(event) => event,
            CallItem::Ended(outcome) => {
                if let (false, Outcome::Failed(error)) = (began, &outcome) {
                    let _ = replies
                        .send(refusal(status_of(error), &error.public_text()))
                        .await;
                    return;
                }
                if let Some(start) = held.take()
                    && chunks.send(&start, false).await.is_err()
                {
                    return;
                }
                let _ = chunks.send(&terminal(outcome), true).await;
                return;
            }
        };
        let event = numbered(event, call);
        if !began && holds_start {
            held = Some(event);
            began = true;
            continue;
        }
        began = true;
        // A handler's own start stands for the one that was held.
        let is_start = matches!(event, ToolEvent::Start { .. });
        let before = held.take().filter(|_| !is_start);
        for event in before.iter().chain([&event]) {
            if let Err(ended) = chunks.send(event, false).await {
                chunks.end_early(ended).await;
                return;
            }
        }
    }
}

/// The start tells the number of the call, unless the handler told one.
fn numbered(event: ToolEvent, call: u64) -> ToolEvent {
    match event {
        ToolEvent::Start {
            tool_id,
            call_id: None,
            metadata,
        } => ToolEvent::Start {
            tool_id,
            call_id: Some(call),
            metadata,
        },
        event => event,
    }
}

/// Why no more chunks are sent.
enum Ended {
    /// The caller is gone, or gave up.
    Caller,
    /// An event is too large to send.
    TooLarge,
}

struct Chunks<'a> {
    running: &'a RunningCall,
    replies: &'a dyn Replies,
}

impl Chunks<'_> {
    async fn send(&mut self, event: &ToolEvent, is_last: bool) -> Result<(), Ended> {
        let body = event.to_value().to_text().into_bytes();
        if body.len() > MAX_BODY_BYTES && !is_last {
            return Err(Ended::TooLarge);
        }
        let body = if body.len() > MAX_BODY_BYTES {
            too_large()
        } else {
            body
        };
        self.credit().await?;
        let mut headers = Headers::new();
        // A fixed name and a short value always fit.
        let _ = headers.add(STREAMING, if is_last { "end" } else { "continue" });
        let sent = self.replies.send(frame(Status::Ok, headers, body)).await;
        sent.map_err(|_| Ended::Caller)
    }

    async fn credit(&self) -> Result<(), Ended> {
        tokio::select! {
            biased;
            () = self.running.cancellation.cancelled() => Err(Ended::Caller),
            credit = self.running.credits.acquire() => {
                credit.map_err(|_| Ended::Caller)?.forget();
                Ok(())
            }
        }
    }

    async fn end_early(&mut self, why: Ended) {
        if matches!(why, Ended::TooLarge) && self.credit().await.is_ok() {
            let mut headers = Headers::new();
            let _ = headers.add(STREAMING, "end");
            let _ = self.replies.send(frame(Status::Ok, headers, too_large())).await;
        }
    }
}

fn too_large() -> Vec<u8> {
    let event = ToolEvent::Error {
        code: TOO_LARGE.to_owned(),
        message: "An event of the tool is too large to send.".to_owned(),
        details: None,
    };
    event.to_value().to_text().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_gets_the_number_of_its_call_unless_it_has_one() {
        let start = |call_id| ToolEvent::Start {
            tool_id: "t".into(),
            call_id,
            metadata: None,
        };
        assert_eq!(numbered(start(None), 7), start(Some(7)));
        assert_eq!(numbered(start(Some(1)), 7), start(Some(1)));
    }
}
