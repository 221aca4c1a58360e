//! Publishing what a toolbox holds, as it changes.

use std::{collections::HashSet, sync::Arc};

use toolmesh_tool::{
    CatalogueTool, ToolName,
    semver::{Version, VersionReq},
};

use crate::{
    ServeError,
    host::is_reserved,
    node::{NATIVE_SOURCE, Node},
    row::ToolKey,
};

/// Publishes every tool of the dispatcher's toolbox, and follows its changes as long as the node is in the mesh. What came
/// from the mesh is not published again, and neither are the tools of [`crate::Mesh::serve_tool`], which announce and withdraw
/// themselves: a change is told late, when one of them may already be served again under its name.
pub(super) fn follow(node: &Arc<Node>) -> Result<(), ServeError> {
    let toolbox = node.access.dispatcher.toolbox().clone();
    let mut watch = toolbox.watch();
    let mut followed = HashSet::new();
    for tool in toolbox.snapshot().all_tools() {
        followed.extend(publish(node, tool)?);
    }
    let (weak, closed) = (Arc::downgrade(node), node.closed.clone());
    node.runtime.spawn(async move {
        loop {
            let change = tokio::select! {
                biased;
                () = closed.cancelled() => return,
                change = watch.changed() => change,
            };
            let (Some(change), Some(node)) = (change, weak.upgrade()) else {
                return;
            };
            for (name, version) in &change.removed_tools {
                if let Some(key) = key(name, version).filter(|key| followed.remove(key)) {
                    node.withdraw_followed(&key);
                }
            }
            let told = change.added_tools.iter().chain(&change.changed_tools);
            for (name, version) in told {
                followed.extend(publish_named(&node, name, version));
            }
        }
    });
    Ok(())
}

fn publish_named(node: &Node, name: &ToolName, version: &str) -> Option<ToolKey> {
    let exactly = VersionReq::parse(&format!("={version}")).ok()?;
    let catalogue = node.access.dispatcher.toolbox().snapshot();
    let tool = catalogue.tool(name.as_str(), Some(&exactly))?;
    publish(node, tool).unwrap_or_else(|error| {
        tracing::warn!(tool = %name, %error, "a tool is not published on the mesh");
        None
    })
}

/// Publishes a tool, unless it is one that is not published here; its key when it is.
fn publish(node: &Node, tool: &CatalogueTool) -> Result<Option<ToolKey>, ServeError> {
    let from_mesh = node.published().from_mesh.contains(tool.source());
    if tool.source() == NATIVE_SOURCE || from_mesh || is_reserved(tool.name().as_str()) {
        return Ok(None);
    }
    let key = ToolKey {
        tool_id: tool.name().to_string(),
        version: tool.tool().version().clone(),
    };
    node.publish(key.clone(), tool.descriptor(), tool.tool())?;
    Ok(Some(key))
}

fn key(name: &ToolName, version: &str) -> Option<ToolKey> {
    Some(ToolKey {
        tool_id: name.to_string(),
        version: Version::parse(version).ok()?,
    })
}

impl Node {
    /// Takes back a tool that the toolbox no longer has. One that was registered again meanwhile stays.
    fn withdraw_followed(&self, key: &ToolKey) {
        let exactly = VersionReq::parse(&format!("={}", key.version));
        let catalogue = self.access.dispatcher.toolbox().snapshot();
        let is_there = exactly.is_ok_and(|exactly| catalogue.tool(&key.tool_id, Some(&exactly)).is_some());
        if !is_there {
            self.withdraw(key);
        }
    }
}
