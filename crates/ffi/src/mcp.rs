//! The node as an MCP server.

use std::{ptr, sync::Arc};

use toolmesh_embed::{CancellationToken, McpEndpoint, ServerInfo};

use crate::{
    answer::{Failure, ToolmeshAnswer, ToolmeshText},
    boundary::{handed, object, shared, taken, text},
    node::ToolmeshNode,
    task::{Told, ToolmeshDone, start, told},
    token::{ToolmeshToken, token},
};

/// An MCP server on a port. Freeing it stops it, without waiting.
pub struct ToolmeshEndpoint(Arc<McpEndpoint>);

/// Is told that a server listens, or why it does not: `endpoint` is NULL then. Otherwise as ToolmeshDone.
pub type ToolmeshEndpointOpened =
    Option<unsafe extern "C" fn(context: u64, endpoint: *mut ToolmeshEndpoint, answer: ToolmeshAnswer)>;

/// Serves all tools of the program over MCP at `/mcp`. `address` is `HOST:PORT`, `:PORT` or a port; 0 lets the system choose.
/// `name` and `version` are what the server says of itself.
///
/// # Safety
/// The node was not freed, the texts are readable bytes, the callback follows the rules above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_serve_mcp_http(
    node: *const ToolmeshNode,
    address: *const u8,
    address_len: usize,
    name: *const u8,
    name_len: usize,
    version: *const u8,
    version_len: usize,
    opened: ToolmeshEndpointOpened,
    context: u64,
) {
    // SAFETY: the caller owes what the head of `boundary` says, of all.
    let (node, address, name, version) = unsafe {
        (
            object(node),
            text(address, address_len),
            text(name, name_len),
            text(version, version_len),
        )
    };
    start(opened_told(opened, context), None, || {
        let (node, address) = (shared(&node?.0), address?.to_owned());
        let info = ServerInfo::new(name?, version?);
        Ok(async move { Ok(node.serve_mcp_http(&address, info).await?) })
    });
}

fn opened_told(opened: ToolmeshEndpointOpened, context: u64) -> Told<McpEndpoint> {
    Told::new(move |outcome: Result<McpEndpoint, Failure>| {
        let Some(opened) = opened else { return };
        let (endpoint, answer) = match outcome {
            Ok(endpoint) => (handed(ToolmeshEndpoint(Arc::new(endpoint))), ToolmeshAnswer::ok()),
            Err(failure) => (ptr::null_mut(), failure.into()),
        };
        // SAFETY: the program owes a callback that follows the rules at the head of the header.
        unsafe { opened(context, endpoint, answer) };
    })
}

/// Where to point a client.
///
/// # Safety
/// The endpoint was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_endpoint_url(endpoint: *const ToolmeshEndpoint) -> ToolmeshText {
    // SAFETY: the caller owes what the head of `boundary` says.
    unsafe { object(endpoint) }
        .map_or("", |endpoint| endpoint.0.url())
        .into()
}

/// Stops a server: calls in flight are finished, within the grace time, and then the callback is told.
///
/// # Safety
/// The endpoint was not freed; the callback follows the rules above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_endpoint_stop(
    endpoint: *const ToolmeshEndpoint,
    done: ToolmeshDone,
    context: u64,
) {
    // SAFETY: the caller owes what the head of `boundary` says.
    let endpoint = unsafe { object(endpoint) };
    start(told(done, context), None, || {
        let endpoint = shared(&endpoint?.0);
        Ok(async move {
            endpoint.stop().await;
            Ok(String::new())
        })
    });
}

/// Frees an endpoint.
///
/// # Safety
/// The endpoint was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_endpoint_free(endpoint: *mut ToolmeshEndpoint) {
    // SAFETY: the caller gives it back once.
    unsafe { taken(endpoint) };
}

/// Serves all tools of the program over MCP on standard input and output; the callback is told when the input has ended, or the
/// token is cancelled and calls in flight are finished. Nothing else may write to standard output meanwhile.
///
/// # Safety
/// The node was not freed, the texts are readable bytes, the callback follows the rules above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_serve_mcp_stdio(
    node: *const ToolmeshNode,
    name: *const u8,
    name_len: usize,
    version: *const u8,
    version_len: usize,
    cancel: *const ToolmeshToken,
    done: ToolmeshDone,
    context: u64,
) {
    // SAFETY: the caller owes what the head of `boundary` says, of all.
    let (node, name, version, cancel) = unsafe {
        (
            object(node),
            text(name, name_len),
            text(version, version_len),
            token(cancel),
        )
    };
    start(told(done, context), None, || {
        let node = shared(&node?.0);
        let info = ServerInfo::new(name?, version?);
        // The token stops it in order, where that of `start` would drop it.
        let stop = cancel.unwrap_or_else(CancellationToken::new);
        Ok(async move {
            node.serve_mcp_stdio(info, stop).await?;
            Ok(String::new())
        })
    });
}
