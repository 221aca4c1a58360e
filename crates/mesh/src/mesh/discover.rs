//! Finding tools.

use std::time::Duration;

use toolmesh_json::Value;
use toolmesh_tool::{ToolDescriptor, semver::Version};

use super::{Mesh, watch::ToolListWatch};
use crate::{
    AllowList, Alone, CallOptions, RpcError, RpcStreamTyped, TOOL_WATCH_SERVICE, TagMatcher, ToolListChange,
    ToolWatchRequest, client, difference::Listed, engine::NodeId, node::Node,
};

/// A node that this one sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenNode {
    /// Its number.
    pub node: NodeId,
    /// Its name, as the engine has verified it.
    pub name: String,
    /// What it tells of itself.
    pub tags: Vec<String>,
    /// How many tools of it this node may see, versions counted one each.
    pub tools: usize,
}

/// A node that serves a version of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolServer {
    /// Its number.
    pub node: NodeId,
    /// Its name, as the engine has verified it.
    pub name: String,
    /// The version.
    pub version: Version,
}

impl Mesh {
    /// Every tool that this node can see, its own included, by identifier and version, with the number of nodes that serve
    /// it. Nothing is asked of the network. With a matcher, only nodes count of which a tag matches; `ai-tool:<id>` and
    /// `nrpc:<id>` are tags of every node that serves the tool. A matcher that is not valid matches nothing (see [`TagMatcher::compile`]).
    ///
    /// A schema that is too long for an announcement is `None` until it was fetched: see [`Mesh::describe_tool`].
    #[must_use]
    pub fn list_tools(&self, matcher: Option<&TagMatcher>) -> Vec<ToolDescriptor> {
        let tools = self.node.list(matcher).into_values();
        tools.map(|tool| tool.descriptor).collect()
    }

    /// The tools of [`Mesh::list_tools`] that have all the words of `query` in their names, descriptions or tags.
    #[must_use]
    pub fn search_tools(&self, query: &str) -> Vec<ToolDescriptor> {
        let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
        let mut found = self.list_tools(None);
        found.retain(|descriptor| {
            let description = descriptor.description.as_deref().unwrap_or_default();
            let text = [
                &*descriptor.tool_id,
                &descriptor.name,
                description,
                &descriptor.tags.join(" "),
            ];
            let text = text.join("\n").to_lowercase();
            words.iter().all(|word| text.contains(word))
        });
        found
    }

    /// The descriptor of the tool that a call with these options would reach, with both schemas: those that are not known
    /// yet are fetched from a host, once for all tools and versions that have them.
    ///
    /// # Errors
    /// [`RpcError`] when there is no such tool, or no host gives the schema.
    pub async fn describe_tool(
        &self,
        tool_id: &str,
        options: &CallOptions,
    ) -> Result<ToolDescriptor, RpcError> {
        client::describe(&self.node, tool_id, options).await
    }

    /// Watches the list of tools from now on: what changes after this returns is seen. Changes are pushed; `interval` is
    /// taken for the sake of programs that poll, as the shortest time between two looks.
    #[must_use]
    pub fn watch_tools(&self, matcher: Option<TagMatcher>, interval: Option<Duration>) -> ToolListWatch {
        ToolListWatch::new(&self.node, matcher, interval)
    }

    /// Watches the tools of one node, as that node tells of them: those that this one may see. After
    /// [`crate::ToolListChange::Resync`] list them again. It ends with its deadline, ten minutes unless the options say
    /// otherwise. Whoever only wants to know what there is needs no such call: see [`Mesh::watch_tools`].
    ///
    /// # Errors
    /// [`RpcError`] when the node cannot be asked. What it refuses is the first item of the stream.
    pub async fn watch_node(
        &self,
        node: NodeId,
        request: &ToolWatchRequest,
        options: &CallOptions,
    ) -> Result<RpcStreamTyped<ToolListChange>, RpcError> {
        let body = Value::from_serialize(request).map_err(RpcError::encode)?;
        client::open_service(&self.node, node, TOOL_WATCH_SERVICE, &body, options).await
    }

    /// The nodes that this one sees and trusts, itself included.
    #[must_use]
    pub fn nodes(&self) -> Vec<SeenNode> {
        self.node.fold.look(|nodes| {
            nodes
                .map(|(node, seen)| SeenNode {
                    node,
                    name: seen.who.name.clone(),
                    tags: seen.capabilities.tags.clone(),
                    tools: seen.tools.len(),
                })
                .collect()
        })
    }

    /// How many nodes are there that this one does not trust (see [`Mesh::trust`]), and so does not list.
    #[must_use]
    pub fn untrusted(&self) -> usize {
        self.node.fold.untrusted()
    }

    /// Why this node sees no other, when it sees none and knows why: what there is of the network was looked at before
    /// [`MeshBuilder::build`](crate::MeshBuilder::build) returned, and goes on being looked at.
    #[must_use]
    pub fn alone(&self) -> Option<Alone> {
        self.node.engine.alone()
    }

    /// Sets whose tools this node sees and calls, beside its own; everybody's at first. In a mesh whose members do not all
    /// trust each other, this keeps a stranger from taking calls by serving a tool of the same name, or a higher version.
    pub fn trust(&self, hosts: AllowList) {
        self.node.fold.trust(hosts);
    }

    /// Every node that serves a tool and is trusted, with the version that it serves; one with several versions is told as
    /// often. A call goes to those with the highest version, unless it asks for another.
    #[must_use]
    pub fn servers(&self, tool_id: &str) -> Vec<ToolServer> {
        self.node.fold.look(|nodes| {
            let versions = nodes.flat_map(|(node, seen)| {
                let versions = seen.versions(tool_id);
                versions.map(move |(key, _)| ToolServer {
                    node,
                    name: seen.who.name.clone(),
                    version: key.version.clone(),
                })
            });
            versions.collect()
        })
    }

    /// The nodes that serve the tool which a call with these options would reach.
    #[must_use]
    pub fn hosts(&self, tool_id: &str, options: &CallOptions) -> Vec<NodeId> {
        let fold = &self.node.fold;
        let found = fold.candidates(tool_id, options.version.as_ref(), options.predicate.as_ref());
        found.map(|found| found.nodes).unwrap_or_default()
    }
}

impl Node {
    pub(crate) fn list(&self, matcher: Option<&TagMatcher>) -> Listed {
        let matcher = match matcher.map(TagMatcher::compile).transpose() {
            Ok(matcher) => matcher,
            Err(error) => {
                tracing::warn!(%error, "a tag matcher is not valid and matches nothing");
                return Listed::new();
            }
        };
        self.fold.list(matcher.as_ref(), &|digest| self.schema(digest))
    }
}
