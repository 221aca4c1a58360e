//! A call whose events are sent while it runs, each against a credit of its caller.

use futures_util::StreamExt;
use toolmesh_tool::{CallItem, CallStream, Outcome, ToolEvent};

use super::{
    reply::{status_of, terminal, told},
    way::{Ended, Way, refusal},
};
use crate::wire::{Headers, ReplyFrame, STREAMING};

/// The code of the event that ends a stream in place of one that is too large to send.
const TOO_LARGE: &str = "event_too_large";

/// Sends the events of a call. A call that is refused before it begins is answered by a status; one that began ends in
/// exactly one terminal event.
pub(super) async fn stream(mut items: CallStream, call: u64, holds_start: bool, way: Way<'_>) {
    let chunks = Chunks(way);
    let mut held: Option<ToolEvent> = None;
    let mut began = false;
    while let Some(item) = items.next().await {
        let event = match item {
            CallItem::Event(event) => event,
            CallItem::Ended(outcome) => {
                if let (false, Outcome::Failed(error)) = (began, &outcome) {
                    return way.answer(refusal(status_of(error), &error.public_text())).await;
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

struct Chunks<'a>(Way<'a>);

impl Chunks<'_> {
    /// Sends an event. A last one that is too large becomes one that says so.
    async fn send(&self, event: &ToolEvent, is_last: bool) -> Result<(), Ended> {
        if !is_last {
            return self.0.send(chunk(event, false)).await;
        }
        let sent = self.0.finish(chunk(event, true)).await;
        if sent == Err(Ended::TooLarge) {
            return self.0.finish(chunk(&too_large(), true)).await;
        }
        sent
    }

    async fn end_early(&self, why: Ended) {
        if why == Ended::TooLarge {
            let _ = self.0.finish(chunk(&too_large(), true)).await;
        }
    }
}

fn chunk(event: &ToolEvent, is_last: bool) -> ReplyFrame {
    let mut headers = Headers::new();
    // A fixed name and a short value always fit.
    let _ = headers.add(STREAMING, if is_last { "end" } else { "continue" });
    ReplyFrame {
        headers,
        ..told(event.to_value().to_text())
    }
}

fn too_large() -> ToolEvent {
    ToolEvent::Error {
        code: TOO_LARGE.to_owned(),
        message: "An event of the tool is too large to send.".to_owned(),
        details: None,
    }
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
