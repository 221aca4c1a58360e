//! Tools of the program.

use std::{
    ptr,
    sync::{Arc, Mutex, PoisonError},
};

use toolmesh_embed::{Call, CancelWatch, Handler, HandlerFailure, Served};

use crate::{
    answer::{ToolmeshAnswer, ToolmeshText, array},
    boundary::{answer, guarded, handed, null, object, optional_text, shared, taken, text},
    node::ToolmeshNode,
    task::{ToolmeshDone, start, told},
};

/// A call that a handler of the program has begun.
pub struct ToolmeshCall {
    call: Arc<Call>,
    watch: Mutex<Option<CancelWatch>>,
}

/// A tool that is served. Freeing it withdraws the tool; calls that run go on.
pub struct ToolmeshServed(#[expect(dead_code, reason = "it is kept for what its drop does")] Served);

/// Begins a call: `call` is the program's, to be answered with `toolmesh_call_finish` or `toolmesh_call_fail` from any thread,
/// and freed. It must not wait.
pub type ToolmeshBegin = Option<unsafe extern "C" fn(context: u64, call: *mut ToolmeshCall)>;

/// Is told once that no call begins any more, so that the program may let go of what `context` stands for.
pub type ToolmeshRelease = Option<unsafe extern "C" fn(context: u64)>;

/// Is told exactly once how a watch over a call ended: `cancelled` when the caller gave up or the deadline passed, without it
/// when the call was freed before.
pub type ToolmeshWatched = Option<unsafe extern "C" fn(context: u64, cancelled: bool)>;

/// The program's side of a tool.
struct Program {
    begin: ToolmeshBegin,
    release: ToolmeshRelease,
    context: u64,
}

impl Handler for Program {
    fn begin(&self, call: Call) {
        let Some(begin) = self.begin else { return };
        let call = handed(ToolmeshCall {
            call: Arc::new(call),
            watch: Mutex::new(None),
        });
        // SAFETY: the program owes a callback that follows the rules at the head of the header.
        unsafe { begin(self.context, call) };
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: as for `begin`, which cannot run any more.
            unsafe { release(self.context) };
        }
    }
}

/// Serves a tool: registered, announced and callable when this returns, or not at all. `descriptor` is JSON with `name` and
/// whatever else a descriptor has; with `streaming` the handler may send any events, without it all but its result is
/// progress. `served` is set when nothing failed, and to NULL otherwise; `release` is called in both cases.
///
/// # Safety
/// The node was not freed, the descriptor is readable bytes, the callbacks follow the rules above, `served` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_serve(
    node: *const ToolmeshNode,
    descriptor: *const u8,
    descriptor_len: usize,
    begin: ToolmeshBegin,
    release: ToolmeshRelease,
    context: u64,
    served: *mut *mut ToolmeshServed,
) -> ToolmeshAnswer {
    // SAFETY: the caller owes what the head of `boundary` says, of all three.
    let (node, descriptor, place) =
        unsafe { (object(node), text(descriptor, descriptor_len), served.as_mut()) };
    let program = Program {
        begin,
        release,
        context,
    };
    answer(|| {
        let place = place.ok_or_else(null)?;
        *place = ptr::null_mut();
        if program.begin.is_none() {
            return Err(null().into());
        }
        let tool = node?.0.serve(descriptor?, Arc::new(program))?;
        *place = handed(ToolmeshServed(tool));
        Ok(String::new())
    })
}

/// Withdraws a tool.
///
/// # Safety
/// It was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_served_free(served: *mut ToolmeshServed) {
    // SAFETY: the caller gives it back once.
    unsafe { taken(served) };
}

/// The arguments of a call as JSON; they passed the tool's input schema.
///
/// # Safety
/// The call was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_call_arguments(call: *const ToolmeshCall) -> ToolmeshText {
    // SAFETY: the caller owes what the head of `boundary` says.
    unsafe { object(call) }
        .map_or("", |call| call.call.arguments())
        .into()
}

/// The key by which tries of one logical call know each other.
///
/// # Safety
/// The call was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_call_idempotency_key(call: *const ToolmeshCall) -> ToolmeshText {
    // SAFETY: the caller owes what the head of `boundary` says.
    unsafe { object(call) }
        .map_or("", |call| call.call.idempotency_key())
        .into()
}

/// Who asks: `{"identity": text or null, "transport": text, "on_behalf_of": [text]}`.
///
/// # Safety
/// The call was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_call_caller(call: *const ToolmeshCall) -> ToolmeshAnswer {
    // SAFETY: the caller owes what the head of `boundary` says.
    let call = unsafe { object(call) };
    answer(|| Ok(call?.call.caller()))
}

/// The headers that came with the call: a JSON array of pairs `[name, value]`, names in lower case.
///
/// # Safety
/// The call was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_call_headers(call: *const ToolmeshCall) -> ToolmeshAnswer {
    // SAFETY: the caller owes what the head of `boundary` says.
    let call = unsafe { object(call) };
    answer(|| {
        let headers = call?.call.headers().iter();
        let pairs = headers.map(|(name, value)| array([name.as_str(), value.as_str()]));
        Ok(array(pairs).to_text())
    })
}

/// How many milliseconds are left, or -1 when there is no deadline.
///
/// # Safety
/// The call was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_call_deadline_ms(call: *const ToolmeshCall) -> i64 {
    // SAFETY: the caller owes what the head of `boundary` says.
    let left = unsafe { object(call) }
        .ok()
        .and_then(|call| call.call.deadline_ms());
    left.map_or(-1, |left| i64::try_from(left).unwrap_or(i64::MAX))
}

/// Whether the caller has given up, or the deadline has passed.
///
/// # Safety
/// The call was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_call_is_cancelled(call: *const ToolmeshCall) -> bool {
    // SAFETY: the caller owes what the head of `boundary` says.
    unsafe { object(call) }.is_ok_and(|call| call.call.is_cancelled())
}

/// Tells the callback when the caller gives up or the deadline passes. A call has one watch: another takes its place, and the
/// first is told as if the call were freed.
///
/// # Safety
/// The call was not freed; the callback follows the rules above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_call_on_cancel(
    call: *const ToolmeshCall,
    watched: ToolmeshWatched,
    context: u64,
) {
    let told = WatchTold { watched, context };
    // SAFETY: the caller owes what the head of `boundary` says.
    let Ok(call) = (unsafe { object(call) }) else {
        return;
    };
    guarded(
        || (),
        || {
            // Without threads there is no call to watch.
            let watch = call.call.on_cancel(move || told.tell(true)).ok();
            *call.watch.lock().unwrap_or_else(PoisonError::into_inner) = watch;
        },
    );
}

/// Whoever watches a call; told without cancellation when let go.
struct WatchTold {
    watched: ToolmeshWatched,
    context: u64,
}

impl WatchTold {
    fn tell(mut self, cancelled: bool) {
        self.tell_once(cancelled);
    }

    fn tell_once(&mut self, cancelled: bool) {
        if let Some(watched) = self.watched.take() {
            // SAFETY: the program owes a callback that follows the rules at the head of the header.
            unsafe { watched(self.context, cancelled) };
        }
    }
}

impl Drop for WatchTold {
    fn drop(&mut self) {
        self.tell_once(false);
    }
}

/// Sends an event, as JSON: `{"type": "progress" ...}`, `{"type": "delta" ...}`. The callback is told when the reader has kept up,
/// or that the call is over. A terminal event (`result`, `error`) ends the call.
///
/// # Safety
/// The call was not freed, the event is readable bytes, the callback follows the rules above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_call_event(
    call: *const ToolmeshCall,
    event: *const u8,
    event_len: usize,
    done: ToolmeshDone,
    context: u64,
) {
    // SAFETY: the caller owes what the head of `boundary` says, of both.
    let (call, event) = unsafe { (object(call), text(event, event_len)) };
    start(told(done, context), None, || {
        let (call, event) = (shared(&call?.call), event?.to_owned());
        Ok(async move {
            call.event(&event).await?;
            Ok(String::new())
        })
    });
}

/// Ends the call with a result, as JSON. It is checked against the tool's output schema behind this.
///
/// # Safety
/// The call was not freed, the result is readable bytes, the callback follows the rules above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_call_finish(
    call: *const ToolmeshCall,
    result: *const u8,
    result_len: usize,
    done: ToolmeshDone,
    context: u64,
) {
    // SAFETY: the caller owes what the head of `boundary` says, of both.
    let (call, result) = unsafe { (object(call), text(result, result_len)) };
    start(told(done, context), None, || {
        let (call, result) = (shared(&call?.call), result?.to_owned());
        Ok(async move {
            call.finish(&result).await?;
            Ok(String::new())
        })
    });
}

/// Ends the call with a failure: `message` reaches the caller as it is, `code` (NULL for the usual one) is the code of the error
/// event of a streaming tool.
///
/// # Safety
/// The call was not freed, the texts are readable bytes, the callback follows the rules above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_call_fail(
    call: *const ToolmeshCall,
    code: *const u8,
    code_len: usize,
    message: *const u8,
    message_len: usize,
    done: ToolmeshDone,
    context: u64,
) {
    // SAFETY: the caller owes what the head of `boundary` says, of all three.
    let (call, code, message) = unsafe {
        (
            object(call),
            optional_text(code, code_len),
            text(message, message_len),
        )
    };
    start(told(done, context), None, || {
        let call = shared(&call?.call);
        let failure = HandlerFailure {
            code: code?.map(str::to_owned),
            message: message?.to_owned(),
        };
        Ok(async move {
            call.fail(failure).await?;
            Ok(String::new())
        })
    });
}

/// Lets a call go. One that is not over, and of which no answer is on its way, fails then.
///
/// # Safety
/// The call was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_call_free(call: *mut ToolmeshCall) {
    // SAFETY: the caller gives it back once.
    unsafe { taken(call) };
}
