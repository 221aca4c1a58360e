//! What is different between two lists of tools.

use std::{collections::BTreeMap, time::Duration};

use toolmesh_tool::ToolDescriptor;

use crate::ToolListChange;

/// Shortest time between two looks at all the tools: each costs as much as there are tools, and while thousands come one after
/// the other, not every one is worth a look of its own.
pub(crate) const LOOK_PAUSE: Duration = Duration::from_millis(5);

/// Tools by identifier and version.
pub(crate) type Listed = BTreeMap<(String, String), ToolDescriptor>;

/// Added, then removed, then those of which something else is told.
pub(crate) fn difference(before: &Listed, after: &Listed) -> Vec<ToolListChange> {
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
