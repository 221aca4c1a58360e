//! What is different between two lists of tools.

use std::{collections::BTreeMap, time::Duration};

use toolmesh_tool::ToolDescriptor;

use crate::{
    ToolListChange,
    row::{SchemaDigest, ToolKey},
};

/// Shortest time between two looks at all the tools: each costs as much as there are tools, and while thousands come one after
/// the other, not every one is worth a look of its own.
pub(crate) const LOOK_PAUSE: Duration = Duration::from_millis(5);

/// Tools by identifier and version.
pub(crate) type Listed = BTreeMap<ToolKey, Told>;

/// What is told of one version of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Told {
    /// With every schema that is known.
    pub(crate) descriptor: ToolDescriptor,
    /// The digests of its input and output schema, of those that were announced by digest alone.
    pub(crate) digests: [Option<SchemaDigest>; 2],
}

/// Added, then removed, then those of which something else is told.
pub(crate) fn difference(before: &Listed, after: &Listed) -> Vec<ToolListChange> {
    let (mut added, mut removed, mut changed) = (Vec::new(), Vec::new(), Vec::new());
    for (key, tool) in after {
        match before.get(key) {
            None => added.push(ToolListChange::Added(tool.descriptor.clone())),
            Some(old) => changed.extend(told_anew(old, tool)),
        }
    }
    for (key, tool) in before {
        if !after.contains_key(key) {
            removed.push(ToolListChange::Removed(tool.descriptor.clone()));
        }
    }
    added.into_iter().chain(removed).chain(changed).collect()
}

fn told_anew(old: &Told, new: &Told) -> Vec<ToolListChange> {
    let mut changes = Vec::new();
    let before = old.descriptor.node_count;
    if before != new.descriptor.node_count {
        changes.push(ToolListChange::NodeCountChanged {
            descriptor: new.descriptor.clone(),
            prev_node_count: before,
        });
    }
    if old.digests != new.digests || old.announced() != new.announced() {
        changes.push(ToolListChange::Changed(new.descriptor.clone()));
    }
    changes
}

impl Told {
    /// The descriptor as it was announced, whoever serves it: a schema that was fetched meanwhile is no change of the tool.
    fn announced(&self) -> ToolDescriptor {
        let [input, output] = self.digests;
        let told = |schema: &Option<String>, digest: Option<_>| schema.clone().filter(|_| digest.is_none());
        ToolDescriptor {
            node_count: 0,
            input_schema: told(&self.descriptor.input_schema, input),
            output_schema: told(&self.descriptor.output_schema, output),
            ..self.descriptor.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(tools: Vec<ToolDescriptor>) -> Listed {
        tools
            .into_iter()
            .map(|descriptor| (key(&descriptor), told(descriptor, None)))
            .collect()
    }

    fn key(descriptor: &ToolDescriptor) -> ToolKey {
        ToolKey {
            tool_id: descriptor.tool_id.clone(),
            version: descriptor.version.parse().unwrap(),
        }
    }

    fn told(descriptor: ToolDescriptor, input: Option<SchemaDigest>) -> Told {
        Told {
            descriptor,
            digests: [input, None],
        }
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

    /// What is told when a tool with this input schema becomes one with that; each is a text, known or not, and whether it
    /// was announced by its digest.
    fn edit(before: (&str, bool, bool), after: (&str, bool, bool)) -> Vec<ToolListChange> {
        let listed = |(text, is_known, is_apart): (&str, bool, bool)| {
            let mut descriptor = tool("a", 1);
            descriptor.input_schema = is_known.then(|| text.to_owned());
            let digest = is_apart.then(|| SchemaDigest::of(text));
            Listed::from([(key(&descriptor), told(descriptor, digest))])
        };
        difference(&listed(before), &listed(after))
    }

    #[test]
    fn a_schema_that_was_fetched_is_no_change() {
        assert_eq!(edit(("{}", false, true), ("{}", true, true)), []);
        assert_eq!(edit(("{}", true, true), ("{}", false, true)), []);
    }

    #[test]
    fn another_schema_is_a_change_whether_it_is_known_or_not() {
        let forms = [(true, false), (true, true), (false, true)];
        for (was_known, was_apart) in forms {
            for (is_known, is_apart) in forms {
                let changes = edit(("{}", was_known, was_apart), ("true", is_known, is_apart));
                assert!(matches!(changes[..], [ToolListChange::Changed(_)]), "{changes:?}");
            }
        }
        let nothing = Listed::from([(key(&tool("a", 1)), told(tool("a", 1), None))]);
        let mut with_one = nothing.clone();
        with_one
            .values_mut()
            .for_each(|tool| tool.descriptor.input_schema = Some("{}".into()));
        assert_eq!(difference(&nothing, &with_one).len(), 1);
    }
}
