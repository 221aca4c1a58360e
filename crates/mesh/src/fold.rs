//! What this node sees of the mesh.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::watch;
use toolmesh_tool::{
    ToolDescriptor,
    semver::{Prerelease, Version, VersionReq},
};

use crate::{
    CapabilitySet, Predicate,
    engine::{Identity, NodeId, Presence, RowKey},
    matcher::CompiledMatcher,
    row::{MAX_ROW_BYTES, SchemaDigest, ToolKey, ToolRow},
};

/// Most tools that are kept of one node: an announcer that never ends must not fill the memory of others.
pub const MAX_TOOLS_PER_NODE: usize = 100_000;

/// What is seen of every node.
pub(crate) struct Fold {
    nodes: Mutex<BTreeMap<NodeId, Seen>>,
    generation: watch::Sender<u64>,
}

/// What is seen of one node.
pub(crate) struct Seen {
    pub(crate) name: String,
    pub(crate) capabilities: CapabilitySet,
    pub(crate) tools: BTreeMap<ToolKey, Arc<ToolRow>>,
}

/// Who can take a call.
pub(crate) struct Candidates {
    pub(crate) key: ToolKey,
    pub(crate) row: Arc<ToolRow>,
    pub(crate) nodes: Vec<NodeId>,
}

/// Gives the text of a schema that is known.
pub(crate) type Hydrate<'a> = &'a dyn Fn(&SchemaDigest) -> Option<Arc<str>>;

impl Fold {
    pub(crate) fn new() -> Self {
        Self {
            nodes: Mutex::default(),
            generation: watch::Sender::new(0),
        }
    }

    pub(crate) fn nodes(&self) -> MutexGuard<'_, BTreeMap<NodeId, Seen>> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts the changes.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.generation.subscribe()
    }

    pub(crate) fn apply(&self, from: &Identity, change: Presence) {
        match change {
            Presence::NodeGone => drop(self.nodes().remove(&from.node)),
            // Being told that something is gone, where nothing was seen, makes nobody known.
            Presence::Gone(RowKey::Node) => {
                if let Some(seen) = self.nodes().get_mut(&from.node) {
                    seen.capabilities = CapabilitySet::default();
                }
            }
            Presence::Gone(RowKey::Tool { tool_id, version }) => {
                let key = key(tool_id, &version);
                if let (Some(key), Some(seen)) = (key, self.nodes().get_mut(&from.node)) {
                    seen.tools.remove(&key);
                }
            }
            Presence::Put(RowKey::Node, bytes) => {
                let told = (bytes.len() <= MAX_ROW_BYTES).then(|| toolmesh_json::parse(&bytes).ok());
                if let Some(told) = told.flatten() {
                    let capabilities = CapabilitySet::from_value(told.view());
                    self.with(from, |seen| seen.capabilities = capabilities);
                }
            }
            Presence::Put(RowKey::Tool { tool_id, version }, bytes) => {
                self.put(from, tool_id, &version, &bytes)
            }
        }
        self.generation.send_modify(|generation| *generation += 1);
    }

    fn put(&self, from: &Identity, tool_id: String, version: &str, bytes: &[u8]) {
        let row = key(tool_id, version).and_then(|key| Some((ToolRow::from_bytes(bytes, &key)?, key)));
        let Some((row, key)) = row else {
            tracing::warn!(node = %from.node, "a node announced a tool in a form that is not understood");
            return;
        };
        self.with(from, |seen| {
            if seen.tools.len() < MAX_TOOLS_PER_NODE || seen.tools.contains_key(&key) {
                seen.tools.insert(key, Arc::new(row));
            } else {
                tracing::warn!(node = %from.node, "a node announces more tools than are kept of one node");
            }
        });
    }

    fn with(&self, from: &Identity, change: impl FnOnce(&mut Seen)) {
        let mut nodes = self.nodes();
        change(nodes.entry(from.node).or_insert_with(|| Seen {
            name: from.name.clone(),
            capabilities: CapabilitySet::default(),
            tools: BTreeMap::new(),
        }));
    }

    /// Every tool, by identifier and version, with the number of nodes that serve it. Where nodes tell different things of
    /// one version, the node with the lowest number is believed.
    pub(crate) fn list(
        &self,
        matcher: Option<&CompiledMatcher>,
        hydrate: Hydrate<'_>,
    ) -> Vec<ToolDescriptor> {
        let mut tools: BTreeMap<ToolKey, (Arc<ToolRow>, u32)> = BTreeMap::new();
        for seen in self.nodes().values() {
            if matcher.is_some_and(|matcher| !seen.matches(matcher)) {
                continue;
            }
            for (key, row) in &seen.tools {
                match tools.get_mut(key) {
                    Some((_, count)) => *count = count.saturating_add(1),
                    None => drop(tools.insert(key.clone(), (Arc::clone(row), 1))),
                }
            }
        }
        let tools = tools.into_values();
        tools
            .map(|(row, node_count)| ToolDescriptor {
                node_count,
                ..row.hydrated(hydrate)
            })
            .collect()
    }

    /// The tools that nodes other than `me` serve.
    pub(crate) fn of_others(&self, me: NodeId) -> BTreeMap<ToolKey, Arc<ToolRow>> {
        let mut tools = BTreeMap::new();
        for (_, seen) in self.nodes().iter().filter(|(node, _)| **node != me) {
            for (key, row) in &seen.tools {
                tools.entry(key.clone()).or_insert_with(|| Arc::clone(row));
            }
        }
        tools
    }

    /// The nodes that serve the highest version of a tool that meets the requirement, among those that meet the predicate;
    /// in the order of their numbers.
    pub(crate) fn candidates(
        &self,
        tool_id: &str,
        requirement: Option<&VersionReq>,
        predicate: Option<&Predicate>,
    ) -> Option<Candidates> {
        let lowest = ToolKey {
            tool_id: tool_id.to_owned(),
            version: lowest(),
        };
        let mut best: Option<Candidates> = None;
        for (node, seen) in self.nodes().iter() {
            if predicate.is_some_and(|predicate| !seen.meets(predicate)) {
                continue;
            }
            let versions = seen.tools.range(lowest.clone()..);
            let versions = versions.take_while(|(key, _)| key.tool_id == tool_id);
            let meets = |key: &ToolKey| requirement.is_none_or(|wanted| wanted.matches(&key.version));
            let Some((key, row)) = versions.filter(|(key, _)| meets(key)).last() else {
                continue;
            };
            match &mut best {
                Some(best) if best.key.version > key.version => {}
                Some(best) if best.key.version == key.version => best.nodes.push(*node),
                _ => {
                    best = Some(Candidates {
                        key: key.clone(),
                        row: Arc::clone(row),
                        nodes: vec![*node],
                    });
                }
            }
        }
        best
    }
}

/// No version is lower than this one.
fn lowest() -> Version {
    let mut version = Version::new(0, 0, 0);
    version.pre = Prerelease::new("0").unwrap_or(Prerelease::EMPTY);
    version
}

fn key(tool_id: String, version: &str) -> Option<ToolKey> {
    let version = Version::parse(version).ok()?;
    Some(ToolKey { tool_id, version })
}

impl Seen {
    /// The node's own tags, and those that its tools give it.
    fn matches(&self, matcher: &CompiledMatcher) -> bool {
        matcher.matches(self.capabilities.tags.iter().map(String::as_str))
            || self.tools.keys().any(|key| {
                let given = [
                    format!("ai-tool:{}", key.tool_id),
                    format!("nrpc:{}", key.tool_id),
                ];
                matcher.matches(given.iter().map(String::as_str))
            })
    }

    fn meets(&self, predicate: &Predicate) -> bool {
        self.capabilities.meets(predicate)
    }
}

impl ToolRow {
    /// The descriptor with every schema that is known.
    pub(crate) fn hydrated(&self, hydrate: Hydrate<'_>) -> ToolDescriptor {
        let mut descriptor = self.descriptor.clone();
        let text = |digest: Option<SchemaDigest>| digest.and_then(|digest| hydrate(&digest));
        if let Some(schema) = text(self.input) {
            descriptor.input_schema = Some(schema.to_string());
        }
        if let Some(schema) = text(self.output) {
            descriptor.output_schema = Some(schema.to_string());
        }
        descriptor
    }
}

impl CapabilitySet {
    /// Whether a node that tells this of itself meets a predicate.
    #[must_use]
    pub fn meets(&self, predicate: &Predicate) -> bool {
        predicate.evaluate(&self.tags, |key| self.metadata.get(key).map(String::as_str))
    }
}
