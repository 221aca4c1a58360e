//! A call whose events are sent while it runs, each against a credit of its caller.

use toolmesh_tool::{CallItem, CallStream, Outcome, ToolEvent};

use super::{
    chunks::Chunks,
    reply::{status_of, terminal},
    way::{Ended, Way, refusal},
};

/// Sends the events of a call. A call that is refused before it begins is answered by a status; one that began ends in
/// exactly one terminal event.
pub(super) async fn stream(mut items: CallStream, call: u64, holds_start: bool, way: Way<'_>) {
    let mut chunks = Chunks::new(way);
    // An error tells that the caller is gone: then there is nobody to tell anything.
    let _ = pass_on(&mut items, call, holds_start, way, &mut chunks).await;
}

async fn pass_on(
    items: &mut CallStream,
    call: u64,
    holds_start: bool,
    way: Way<'_>,
    chunks: &mut Chunks<'_>,
) -> Result<(), Ended> {
    let mut held: Option<ToolEvent> = None;
    let mut began = false;
    while let Some(item) = chunks.next(items).await? {
        let event = match item {
            CallItem::Event(event) => event,
            CallItem::Ended(outcome) => {
                if let (false, Outcome::Failed(error)) = (began, &outcome) {
                    way.answer(refusal(status_of(error), &error.public_text())).await;
                    return Ok(());
                }
                if let Some(start) = held.take() {
                    chunks.send(&start).await?;
                }
                return chunks.finish(&terminal(outcome)).await;
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
            if let Err(ended) = chunks.send(event).await {
                chunks.end_early(ended).await;
                return Ok(());
            }
        }
    }
    Ok(())
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
