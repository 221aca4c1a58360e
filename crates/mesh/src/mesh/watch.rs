//! Watching the list of tools.

use std::{
    collections::BTreeMap,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use futures_core::Stream;
use tokio::sync::mpsc;
use toolmesh_tool::ToolDescriptor;

use crate::{TagMatcher, ToolListChange, node::Node};

/// Changes that wait for a slow reader; the next look waits with them, and then tells what is different by then. So nothing
/// is lost, however slow the reader.
const QUEUE: usize = 256;

/// The changes of the list of tools, as a stream. A slow reader sees several changes of one tool as one. It ends when the
/// node leaves the mesh.
#[derive(Debug)]
pub struct ToolListWatch {
    changes: mpsc::Receiver<ToolListChange>,
}

type Listed = BTreeMap<(String, String), ToolDescriptor>;

impl ToolListWatch {
    pub(super) fn new(node: &Arc<Node>, matcher: Option<TagMatcher>, interval: Option<Duration>) -> Self {
        let (sender, changes) = mpsc::channel(QUEUE);
        let mut generations = node.fold.changes();
        generations.mark_unchanged();
        let mut seen = listed(node, matcher.as_ref());
        let (weak, closed) = (Arc::downgrade(node), node.closed.clone());
        node.runtime.spawn(async move {
            loop {
                tokio::select! {
                    biased;
                    () = closed.cancelled() => return,
                    () = sender.closed() => return,
                    changed = generations.changed() => if changed.is_err() { return },
                }
                let Some(node) = weak.upgrade() else {
                    return;
                };
                let now = listed(&node, matcher.as_ref());
                drop(node);
                for change in difference(&seen, &now) {
                    if sender.send(change).await.is_err() {
                        return;
                    }
                }
                seen = now;
                if let Some(interval) = interval {
                    tokio::time::sleep(interval).await;
                }
            }
        });
        Self { changes }
    }

    /// Ends the watch; what was seen before is still told.
    pub fn cancel(&mut self) {
        self.changes.close();
    }
}

impl Stream for ToolListWatch {
    type Item = ToolListChange;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.changes.poll_recv(context)
    }
}

fn listed(node: &Node, matcher: Option<&TagMatcher>) -> Listed {
    let tools = node.list(matcher).into_iter();
    tools
        .map(|tool| ((tool.tool_id.clone(), tool.version.clone()), tool))
        .collect()
}

/// Added, then removed, then those of which something else is told.
fn difference(before: &Listed, after: &Listed) -> Vec<ToolListChange> {
    let (mut added, mut removed, mut changed) = (Vec::new(), Vec::new(), Vec::new());
    for (key, tool) in after {
        match before.get(key) {
            None => added.push(ToolListChange::Added(tool.clone())),
            Some(old) => changed.extend(told_anew(old, tool)),
        }
    }
    for (key, tool) in before {
        if !after.contains_key(key) {
            removed.push(ToolListChange::Removed(tool.clone()));
        }
    }
    added.into_iter().chain(removed).chain(changed).collect()
}

fn told_anew(old: &ToolDescriptor, new: &ToolDescriptor) -> Vec<ToolListChange> {
    let mut changes = Vec::new();
    if old.node_count != new.node_count {
        changes.push(ToolListChange::NodeCountChanged {
            descriptor: new.clone(),
            prev_node_count: old.node_count,
        });
    }
    // A schema that was fetched meanwhile is no change of the tool.
    let comparable = |tool: &ToolDescriptor, other: &ToolDescriptor| ToolDescriptor {
        node_count: 0,
        input_schema: tool.input_schema.clone().filter(|_| other.input_schema.is_some()),
        output_schema: tool
            .output_schema
            .clone()
            .filter(|_| other.output_schema.is_some()),
        ..tool.clone()
    };
    if comparable(old, new) != comparable(new, old) {
        changes.push(ToolListChange::Changed(new.clone()));
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(tools: Vec<ToolDescriptor>) -> Listed {
        tools
            .into_iter()
            .map(|tool| ((tool.tool_id.clone(), tool.version.clone()), tool))
            .collect()
    }

    fn tool(id: &str, node_count: u32) -> ToolDescriptor {
        ToolDescriptor {
            node_count,
            ..ToolDescriptor::new(id)
        }
    }

    #[test]
    fn changes_come_as_added_removed_and_told_anew() {
        let before = list(vec![tool("a", 1), tool("b", 1), tool("c", 1)]);
        let mut edited = tool("c", 1);
        edited.description = Some("new".into());
        let after = list(vec![tool("b", 2), edited.clone(), tool("d", 1)]);
        assert_eq!(
            difference(&before, &after),
            [
                ToolListChange::Added(tool("d", 1)),
                ToolListChange::Removed(tool("a", 1)),
                ToolListChange::NodeCountChanged {
                    descriptor: tool("b", 2),
                    prev_node_count: 1
                },
                ToolListChange::Changed(edited),
            ]
        );
    }

    #[test]
    fn a_schema_that_was_fetched_is_no_change() {
        let mut fetched = tool("a", 1);
        fetched.input_schema = Some("{}".into());
        assert_eq!(difference(&list(vec![tool("a", 1)]), &list(vec![fetched])), []);
    }
}
