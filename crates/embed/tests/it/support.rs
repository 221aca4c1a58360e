//! A node and the small things that tests do with it.

use std::{future::Future, sync::Arc};

use toolmesh_embed::{Call, CallOptions, CancellationToken, Fault, Node, NodeOptions, Served, runtime};

/// What a binding does that blocks: waits on the runtime of the process.
pub(crate) fn wait<T>(what: impl Future<Output = T>) -> T {
    runtime().unwrap().block_on(what)
}

pub(crate) fn start(options: &str) -> Result<Node, Fault> {
    wait(Node::start(NodeOptions::from_json(options)?))
}

pub(crate) fn node() -> Node {
    start("{}").unwrap()
}

/// A handler on a thread of its own, as a program in another language has it.
pub(crate) fn serve(
    node: &Node,
    descriptor: &str,
    work: impl Fn(&Call) + Clone + Send + Sync + 'static,
) -> Result<Served, Fault> {
    let handler = move |call: Call| {
        let work = work.clone();
        std::thread::spawn(move || work(&call));
    };
    node.serve(descriptor, Arc::new(handler))
}

pub(crate) fn call(node: &Node, tool: &str, arguments: &str) -> Result<String, Fault> {
    call_with(node, tool, arguments, "{}")
}

pub(crate) fn call_with(node: &Node, tool: &str, arguments: &str, options: &str) -> Result<String, Fault> {
    let options = CallOptions::from_json(options)?;
    wait(node.call(tool, arguments, &options, CancellationToken::new()))
}

/// The events of a call, to the last.
pub(crate) fn events(node: &Node, tool: &str, arguments: &str) -> Result<Vec<String>, Fault> {
    wait(async {
        let stream = node
            .call_streaming(tool, arguments, &CallOptions::default(), CancellationToken::new())
            .await?;
        let mut told = Vec::new();
        while let Some(event) = stream.next().await? {
            told.push(event);
        }
        Ok(told)
    })
}
