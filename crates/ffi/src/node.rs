//! A node: its start, its end, what it sees.

use std::{ptr, sync::Arc};

use toolmesh_embed::{CallOptions, Fault, FaultKind, Node, NodeOptions};

use crate::{
    TOOLMESH_ABI_VERSION,
    answer::{Failure, ToolmeshAnswer, array},
    boundary::{answer, guarded, handed, object, optional_text, taken, text},
    task::{Told, start},
    token::{ToolmeshToken, token},
};

/// A whole Toolmesh program: its own tools, its sources, its place in a mesh.
pub struct ToolmeshNode(pub(crate) Arc<Node>);

/// Is told that a node has started, or why it has not: `node` is NULL then. Otherwise as ToolmeshDone.
pub type ToolmeshNodeStarted =
    Option<unsafe extern "C" fn(context: u64, node: *mut ToolmeshNode, answer: ToolmeshAnswer)>;

/// Starts a node. `abi_version` is TOOLMESH_ABI_VERSION; `options` is a JSON object, everything in it optional: `name`, `key`
/// (64 hexadecimal digits) or `key_file`, `engine` (`memory` or `zenoh`), `listen`, `connect`, `routers`, `multicast`,
/// `plaintext`, `authority`, `certificate` and `private_key` (PEM files, all three or none), `access` (who may see and call what, as
/// in the configuration's section for the mesh), `tags`, `allowed`, `config` (a file), `sources` (`token.json`, `calimero:URL`,
/// `mcp:COMMAND`, `mesh:`).
///
/// # Safety
/// The options are readable bytes; the callback follows the rules above.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_node_start(
    abi_version: u32,
    options: *const u8,
    options_len: usize,
    cancel: *const ToolmeshToken,
    started: ToolmeshNodeStarted,
    context: u64,
) {
    let told = Told::new(move |outcome: Result<Node, Failure>| {
        let Some(started) = started else { return };
        let (node, answer) = match outcome {
            Ok(node) => (handed(ToolmeshNode(Arc::new(node))), ToolmeshAnswer::ok()),
            Err(failure) => (ptr::null_mut(), failure.into()),
        };
        // SAFETY: the program owes a callback that follows the rules at the head of the header.
        unsafe { started(context, node, answer) };
    });
    // SAFETY: the caller owes what the head of `boundary` says, of both.
    let (cancel, options) = unsafe { (token(cancel), text(options, options_len)) };
    start(told, cancel, || {
        check_version(abi_version)?;
        let options = NodeOptions::from_json(options?)?;
        Ok(async move { Ok(Node::start(options).await?) })
    });
}

fn check_version(version: u32) -> Result<(), Fault> {
    if version == TOOLMESH_ABI_VERSION {
        return Ok(());
    }
    Err(Fault::new(
        FaultKind::Invalid,
        format!(
            "the program was built for version {version} of the C interface and this library has version \
             {TOOLMESH_ABI_VERSION}: build the program with the header of this library"
        ),
    ))
}

/// The number of the node in its mesh; 0 when it is closed.
///
/// # Safety
/// The node was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_node_id(node: *const ToolmeshNode) -> u64 {
    // SAFETY: the caller owes what the head of `boundary` says.
    let node = unsafe { object(node) };
    guarded(|| 0, || node.and_then(|node| node.0.id()).unwrap_or(0))
}

/// Where other nodes can connect to this one: a JSON array of texts, empty in memory and behind a router.
///
/// # Safety
/// The node was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_node_listens_at(node: *const ToolmeshNode) -> ToolmeshAnswer {
    // SAFETY: the caller owes what the head of `boundary` says.
    let node = unsafe { object(node) };
    answer(|| {
        let places = node?.0.listens_at()?;
        Ok(array(places.iter().map(String::as_str)).to_text())
    })
}

/// The tools that the node sees, its own included: a JSON array of descriptors. Nothing is asked of the network. `matcher` is
/// NULL, or the JSON of a tag matcher that chooses nodes.
///
/// # Safety
/// The node was not freed; the matcher is readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_list(
    node: *const ToolmeshNode,
    matcher: *const u8,
    matcher_len: usize,
) -> ToolmeshAnswer {
    // SAFETY: the caller owes what the head of `boundary` says, of both.
    let (node, matcher) = unsafe { (object(node), optional_text(matcher, matcher_len)) };
    answer(|| Ok(node?.0.list(matcher?)?))
}

/// The numbers of the nodes that serve the tool which a call would reach: a JSON array.
///
/// # Safety
/// The node was not freed; the texts are readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_hosts(
    node: *const ToolmeshNode,
    tool: *const u8,
    tool_len: usize,
    options: *const u8,
    options_len: usize,
) -> ToolmeshAnswer {
    // SAFETY: the caller owes what the head of `boundary` says, of all three.
    let (node, tool, options) = unsafe { (object(node), text(tool, tool_len), text(options, options_len)) };
    answer(|| {
        let hosts = node?.0.hosts(tool?, &CallOptions::from_json(options?)?)?;
        Ok(array(hosts).to_text())
    })
}

/// Leaves the mesh: what is served is withdrawn, calls in both directions end, and so do sources. Closing twice is no fault.
///
/// # Safety
/// The node was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_node_close(node: *const ToolmeshNode) {
    // SAFETY: the caller owes what the head of `boundary` says.
    if let Ok(node) = unsafe { object(node) } {
        guarded(|| (), || node.0.close());
    }
}

/// Frees a node, and closes it when nothing is under way.
///
/// # Safety
/// The node was not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolmesh_node_free(node: *mut ToolmeshNode) {
    // SAFETY: the caller gives it back once.
    unsafe { taken(node) };
}
