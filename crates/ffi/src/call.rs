//! Calls of tools, wherever they are served.

use std::ptr;

use toolmesh_embed::{CallOptions, CancellationToken, Events};

use crate::{
    answer::{Failure, ToolmeshAnswer},
    boundary::{handed, object, shared, text},
    node::ToolmeshNode,
    streams::ToolmeshEvents,
    task::{Told, ToolmeshDone, start, told},
    token::{ToolmeshToken, token},
};

/// Is told that a call streams, or why it does not: `events` is NULL then. Otherwise as ToolmeshDone.
pub type ToolmeshEventsOpened =
    Option<unsafe extern "C" fn(context: u64, events: *mut ToolmeshEvents, answer: ToolmeshAnswer)>;

/// Calls a tool; the answer is its result as JSON. `arguments` is a JSON object; `options` one as well, everything in it
/// optional: `deadline_ms`, `version` (`^1.2`), `where`, `routing` (`round_robin`, `random`, `sticky`, `lowest_latency`),
/// `sticky_key`, `headers`, `stream_window`, `idempotency_key`.
///
/// # Safety
/// The node was not freed, the texts are readable bytes, the callback follows the rules above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_call(
    node: *const ToolmeshNode,
    tool: *const u8,
    tool_len: usize,
    arguments: *const u8,
    arguments_len: usize,
    options: *const u8,
    options_len: usize,
    cancel: *const ToolmeshToken,
    done: ToolmeshDone,
    context: u64,
) {
    // SAFETY: the caller owes what the head of `boundary` says, of all.
    let (node, tool, arguments, options, cancel) = unsafe {
        (
            object(node),
            text(tool, tool_len),
            text(arguments, arguments_len),
            text(options, options_len),
            token(cancel),
        )
    };
    start(told(done, context), cancel, || {
        let node = shared(&node?.0);
        let (tool, arguments) = (tool?.to_owned(), arguments?.to_owned());
        let options = CallOptions::from_json(options?)?;
        Ok(async move {
            let token = CancellationToken::new();
            Ok(node.call(&tool, &arguments, &options, token).await?)
        })
    });
}

/// Calls a tool, and reads its events while it runs; arguments and options as `toolmesh_call`.
///
/// # Safety
/// As `toolmesh_call`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_call_streaming(
    node: *const ToolmeshNode,
    tool: *const u8,
    tool_len: usize,
    arguments: *const u8,
    arguments_len: usize,
    options: *const u8,
    options_len: usize,
    cancel: *const ToolmeshToken,
    opened: ToolmeshEventsOpened,
    context: u64,
) {
    // SAFETY: the caller owes what the head of `boundary` says, of all.
    let (node, tool, arguments, options, cancel) = unsafe {
        (
            object(node),
            text(tool, tool_len),
            text(arguments, arguments_len),
            text(options, options_len),
            token(cancel),
        )
    };
    start(opened_told(opened, context), cancel, || {
        let node = shared(&node?.0);
        let (tool, arguments) = (tool?.to_owned(), arguments?.to_owned());
        let options = CallOptions::from_json(options?)?;
        Ok(async move {
            let token = CancellationToken::new();
            Ok(node.call_streaming(&tool, &arguments, &options, token).await?)
        })
    });
}

fn opened_told(opened: ToolmeshEventsOpened, context: u64) -> Told<Events> {
    Told::new(move |outcome: Result<Events, Failure>| {
        let Some(opened) = opened else { return };
        let (events, answer) = match outcome {
            Ok(events) => (handed(ToolmeshEvents::new(events)), ToolmeshAnswer::ok()),
            Err(failure) => (ptr::null_mut(), failure.into()),
        };
        // SAFETY: the program owes a callback that follows the rules at the head of the header.
        unsafe { opened(context, events, answer) };
    })
}

/// The whole descriptor of the tool that a call would reach, schemas included; the options as `toolmesh_call`.
///
/// # Safety
/// As `toolmesh_call`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_describe(
    node: *const ToolmeshNode,
    tool: *const u8,
    tool_len: usize,
    options: *const u8,
    options_len: usize,
    cancel: *const ToolmeshToken,
    done: ToolmeshDone,
    context: u64,
) {
    // SAFETY: the caller owes what the head of `boundary` says, of all.
    let (node, tool, options, cancel) = unsafe {
        (
            object(node),
            text(tool, tool_len),
            text(options, options_len),
            token(cancel),
        )
    };
    start(told(done, context), cancel, || {
        let (node, tool) = (shared(&node?.0), tool?.to_owned());
        let options = CallOptions::from_json(options?)?;
        Ok(async move { Ok(node.describe(&tool, &options).await?) })
    });
}

/// Asks one node for the whole descriptor of a tool: `{"type": "found", "descriptor": ...}` or `{"type": "not_found", ...}`.
///
/// # Safety
/// As `toolmesh_call`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_fetch_metadata(
    node: *const ToolmeshNode,
    host: u64,
    tool: *const u8,
    tool_len: usize,
    cancel: *const ToolmeshToken,
    done: ToolmeshDone,
    context: u64,
) {
    // SAFETY: the caller owes what the head of `boundary` says, of all.
    let (node, tool, cancel) = unsafe { (object(node), text(tool, tool_len), token(cancel)) };
    start(told(done, context), cancel, || {
        let (node, tool) = (shared(&node?.0), tool?.to_owned());
        Ok(async move { Ok(node.fetch_metadata(host, &tool).await?) })
    });
}
