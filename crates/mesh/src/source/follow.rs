//! Keeping a mount true to what is seen of the mesh.

use std::{
    collections::BTreeMap,
    sync::{Arc, Weak},
};

use tokio::sync::watch;
use toolmesh_tool::{
    ArgumentCheck, Mount, MountError, Tool, ToolName,
    semver::{Version, VersionReq},
};

use super::remote::RemoteTool;
use crate::{
    CallOptions, client,
    mesh::tool_of,
    node::Node,
    row::{ToolKey, ToolRow, exactly},
};

/// What a mount offers of the mesh.
pub(super) struct Offer {
    node: Weak<Node>,
    mount: Mount,
    /// What was looked at, whether it could be offered or not.
    seen: BTreeMap<ToolKey, Arc<ToolRow>>,
}

impl Offer {
    pub(super) fn new(node: Weak<Node>, mount: Mount) -> Self {
        Self {
            node,
            mount,
            seen: BTreeMap::new(),
        }
    }

    /// Follows the mesh as long as the node is in it; then nothing of it is offered any more.
    pub(super) async fn follow(mut self, mut changes: watch::Receiver<u64>) {
        changes.mark_changed();
        let Some(closed) = self.node.upgrade().map(|node| node.closed.clone()) else {
            return self.mount.withdraw();
        };
        loop {
            tokio::select! {
                biased;
                () = closed.cancelled() => break,
                changed = changes.changed() => if changed.is_err() { break },
            }
            let Some(node) = self.node.upgrade() else {
                break;
            };
            if let Err(error) = self.bring_up_to_date(&node).await {
                tracing::warn!(%error, "the tools of the mesh cannot all be offered");
            }
        }
        self.mount.withdraw();
    }

    /// Offers what is new, takes back what is gone.
    pub(super) async fn bring_up_to_date(&mut self, node: &Arc<Node>) -> Result<(), MountError> {
        let now = node.fold.of_others(node.access.me.node);
        let is_same = |key: &ToolKey, row: &Arc<ToolRow>| self.seen.get(key).is_some_and(|seen| seen == row);
        let gone: Vec<(ToolName, Version)> = self
            .seen
            .iter()
            .filter(|(key, row)| now.get(key) != Some(*row))
            .filter_map(|(key, _)| Some((ToolName::new(&key.tool_id).ok()?, key.version.clone())))
            .collect();
        let mut tools = Vec::new();
        for (key, row) in now.iter().filter(|(key, row)| !is_same(key, row)) {
            tools.extend(self.tool(node, key, row).await);
        }
        self.seen = now;
        if gone.is_empty() && tools.is_empty() {
            return Ok(());
        }
        self.mount.exchange(&gone, tools)
    }

    async fn tool(&self, node: &Arc<Node>, key: &ToolKey, row: &ToolRow) -> Option<Tool> {
        let requirement = VersionReq::parse(&exactly(&key.version)).ok()?;
        let options = CallOptions::new().with_version(requirement.clone());
        let told = |error: &dyn std::error::Error| {
            tracing::warn!(tool = key.tool_id, version = %key.version, %error, "a tool of the mesh is not offered");
        };
        let descriptor = client::describe(node, &key.tool_id, &options)
            .await
            .inspect_err(|error| told(error))
            .ok()?;
        let remote = RemoteTool {
            node: Weak::clone(&self.node),
            tool_id: key.tool_id.clone(),
            requirement,
            has_output_schema: descriptor.output_schema.is_some(),
        };
        // Both sides check by the published schema, but where the host accepts more than that, it alone can tell.
        let check = if row.accepts_others {
            ArgumentCheck::Elsewhere
        } else {
            ArgumentCheck::Dispatcher
        };
        tool_of(&descriptor, Arc::new(remote), check)
            .inspect_err(|error| told(error))
            .ok()
    }
}
