//! Events of a call, and changes of the list of tools.

use std::sync::Arc;

use toolmesh_embed::{Changes, Events};

use crate::{
    answer::{Failure, ToolmeshAnswer},
    boundary::{answer, guarded, handed, object, optional_text, shared, taken},
    node::ToolmeshNode,
    task::{ToolmeshDone, start, told},
    token::{ToolmeshToken, token},
};

/// The events of a call; the last is terminal. Freeing it cancels the call.
pub struct ToolmeshEvents(Arc<Events>);

/// The changes of the list of tools.
pub struct ToolmeshChanges(Arc<Changes>);

impl ToolmeshEvents {
    pub(crate) fn new(events: Events) -> Self {
        Self(Arc::new(events))
    }
}

/// Asks for the next event; the answer is its JSON, or TOOLMESH_CODE_END after the last.
///
/// # Safety
/// The events were not freed; the callback follows the rules above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_events_next(
    events: *const ToolmeshEvents,
    cancel: *const ToolmeshToken,
    done: ToolmeshDone,
    context: u64,
) {
    // SAFETY: the caller owes what the head of `boundary` says, of both.
    let (events, cancel) = unsafe { (object(events), token(cancel)) };
    start(told(done, context), cancel, || {
        let events = shared(&events?.0);
        Ok(async move { events.next().await?.ok_or(Failure::End) })
    });
}

/// Cancels the call: its handler is told, and an error event `cancelled` is the last that comes, unless the last has come.
///
/// # Safety
/// The events were not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_events_cancel(events: *const ToolmeshEvents) {
    // SAFETY: the caller owes what the head of `boundary` says.
    if let Ok(events) = unsafe { object(events) } {
        guarded(|| (), || events.0.cancel());
    }
}

/// Frees the events; the call is cancelled when it is not over and nobody waits for an event.
///
/// # Safety
/// The events were not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_events_free(events: *mut ToolmeshEvents) {
    // SAFETY: the caller gives it back once.
    unsafe { taken(events) };
}

/// Watches the list of tools from now on; `matcher` as `toolmesh_list`. `interval_ms` is the shortest time between two looks;
/// 0 leaves it to the library. `changes` is set when nothing failed, and to NULL otherwise.
///
/// # Safety
/// The node was not freed, the matcher is readable bytes, `changes` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_watch(
    node: *const ToolmeshNode,
    matcher: *const u8,
    matcher_len: usize,
    interval_ms: u64,
    changes: *mut *mut ToolmeshChanges,
) -> ToolmeshAnswer {
    // SAFETY: the caller owes what the head of `boundary` says, of all three.
    let (node, matcher, place) = unsafe {
        (
            object(node),
            optional_text(matcher, matcher_len),
            changes.as_mut(),
        )
    };
    let Some(place) = place else {
        return answer(|| Err(crate::boundary::null().into()));
    };
    *place = std::ptr::null_mut();
    answer(|| {
        let interval = (interval_ms > 0).then_some(interval_ms);
        let watched = node?.0.watch(matcher?, interval)?;
        *place = handed(ToolmeshChanges(Arc::new(watched)));
        Ok(String::new())
    })
}

/// Asks for the next change: its JSON, tagged by `type`, or TOOLMESH_CODE_END after the last, when the node has left.
///
/// # Safety
/// The changes were not freed; the callback follows the rules above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_changes_next(
    changes: *const ToolmeshChanges,
    cancel: *const ToolmeshToken,
    done: ToolmeshDone,
    context: u64,
) {
    // SAFETY: the caller owes what the head of `boundary` says, of both.
    let (changes, cancel) = unsafe { (object(changes), token(cancel)) };
    start(told(done, context), cancel, || {
        let changes = shared(&changes?.0);
        Ok(async move { changes.next().await.ok_or(Failure::End) })
    });
}

/// Ends the watch; who waits for a change is told that nothing follows.
///
/// # Safety
/// The changes were not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_changes_free(changes: *mut ToolmeshChanges) {
    // SAFETY: the caller owes what the head of `boundary` says.
    if let Ok(changes) = unsafe { object(changes) } {
        guarded(|| (), || changes.0.cancel());
    }
    // SAFETY: the caller gives it back once.
    unsafe { taken(changes) };
}
