//! The whole descriptor of a tool, with schemas that its row tells only by their digests.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;
use toolmesh_json::Value;
use toolmesh_tool::ToolDescriptor;

use super::{
    attempt::{ask, failure},
    call::{candidates, time_left},
    request::{request, with_time_left},
};
use crate::{
    CallOptions, NodeId, RpcError,
    host::TOOL_SCHEMA_FETCH_SERVICE,
    node::Node,
    options::DEFAULT_DEADLINE,
    row::{SchemaDigest, ToolRow},
    wire::Status,
};

/// The descriptor of the tool that a call with these options would reach.
pub(crate) async fn describe(
    node: &Node,
    tool_id: &str,
    options: &CallOptions,
) -> Result<ToolDescriptor, RpcError> {
    let found = candidates(node, tool_id, options)?;
    let node_count = u32::try_from(found.nodes.len()).unwrap_or(u32::MAX);
    Ok(ToolDescriptor {
        node_count,
        ..hydrated(node, &found.row, &found.nodes, options).await?
    })
}

/// The descriptor of a row, with schemas that are fetched from these hosts where they are not known.
pub(crate) async fn hydrated(
    node: &Node,
    row: &ToolRow,
    hosts: &[NodeId],
    options: &CallOptions,
) -> Result<ToolDescriptor, RpcError> {
    let missing = [row.input, row.output].into_iter().flatten();
    for digest in missing.filter(|digest| node.schema(digest).is_none()) {
        fetch(node, hosts, digest, options).await?;
    }
    Ok(row.hydrated(&|digest| node.schema(digest)))
}

/// Fetches a schema from the first node that gives it.
async fn fetch(
    node: &Node,
    hosts: &[NodeId],
    digest: SchemaDigest,
    options: &CallOptions,
) -> Result<(), RpcError> {
    let began = Instant::now();
    let mut last = None;
    for host in hosts {
        let left = time_left(began, DEFAULT_DEADLINE, options)?;
        match fetch_from(node, *host, digest, left, options).await {
            Ok(text) => {
                node.fetched().keep(digest, text);
                return Ok(());
            }
            Err(RpcError::Cancelled) => return Err(RpcError::Cancelled),
            // That one could not answer now counts for more than that another one never will.
            Err(error) if last.is_none() || error.is_of_host() => last = Some(error),
            Err(_) => {}
        }
    }
    Err(last.unwrap_or(RpcError::NoRoute {
        target: 0,
        reason: "no node serves the schema".to_owned(),
    }))
}

async fn fetch_from(
    node: &Node,
    host: NodeId,
    digest: SchemaDigest,
    left: Duration,
    options: &CallOptions,
) -> Result<Arc<str>, RpcError> {
    let body = Value::object().put("sha256", digest.to_string()).build();
    let frame = request(TOOL_SCHEMA_FETCH_SERVICE, None, &body, false, &CallOptions::new())?;
    let bytes = with_time_left(&frame, left)?;
    let reply = ask(node, host, bytes, left, &options.cancellation).await?;
    if reply.status != Status::Ok {
        return Err(failure(reply, host, TOOL_SCHEMA_FETCH_SERVICE, Instant::now()));
    }
    let text = String::from_utf8(reply.body).map_err(RpcError::decode)?;
    if SchemaDigest::of(&text) != digest {
        return Err(RpcError::decode(
            "the schema that the host sent has another digest than its announcement",
        ));
    }
    Ok(Arc::from(text))
}
