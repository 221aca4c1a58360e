//! Nodes and tools for tests.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use toolmesh_mesh::{
    Identity, MemoryNetwork, Mesh, MeshBuilder, NodeId, ToolDescriptor, ToolServeHandle, metadata_for,
};

#[derive(Debug, Clone, PartialEq, schemars::JsonSchema, Serialize, Deserialize)]
pub(crate) struct Text {
    pub(crate) text: String,
}

pub(crate) fn text(text: &str) -> Text {
    Text { text: text.into() }
}

/// A node of a network, with this number and the name `node-<number>`.
pub(crate) async fn node(network: &MemoryNetwork, number: u64) -> Mesh {
    node_as(
        network,
        Identity::new(NodeId::new(number), format!("node-{number}")),
    )
    .await
}

pub(crate) async fn node_as(network: &MemoryNetwork, identity: Identity) -> Mesh {
    let engine = Arc::new(network.node(identity));
    MeshBuilder::on(engine).build().await.unwrap()
}

/// A host and an agent of one network.
pub(crate) async fn pair() -> (Mesh, Mesh) {
    let network = MemoryNetwork::new();
    (node(&network, 1).await, node(&network, 2).await)
}

pub(crate) fn described(tool_id: &str) -> ToolDescriptor {
    metadata_for::<Text, Text>(tool_id)
        .description("Says it back.")
        .build()
}

/// Serves a tool that says back what it is told, after the name of its node.
pub(crate) fn echo(mesh: &Mesh, tool_id: &str, version: &str) -> ToolServeHandle {
    let descriptor = ToolDescriptor {
        version: version.into(),
        ..described(tool_id)
    };
    let name = mesh.identity().name.clone();
    mesh.serve_tool::<Text, Text, _, _>(descriptor, move |said| {
        let answer = text(&format!("{name}: {}", said.text));
        async move { Ok(answer) }
    })
    .unwrap()
}

/// The identifiers and versions that a node lists, with their counts.
pub(crate) fn listed(mesh: &Mesh) -> Vec<(String, String, u32)> {
    let tools = mesh.list_tools(None).into_iter();
    tools
        .map(|tool| (tool.tool_id, tool.version, tool.node_count))
        .collect()
}
