//! What this node sees of the mesh.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock},
    time::Instant,
};

use tokio::sync::watch;
use toolmesh_tool::{
    ToolDescriptor, ToolName,
    semver::{Prerelease, Version, VersionReq},
};

use crate::{
    AllowList, CapabilitySet, Predicate, Seldom,
    difference::{Listed, Told},
    engine::{Identity, NodeId, Presence, RowKey},
    host::is_reserved,
    matcher::CompiledMatcher,
    row::{MAX_ROW_BYTES, SchemaDigest, ToolKey, ToolRow},
    tag::tags_of_tool,
};

/// Most tools that are kept of one node: an announcer that never ends must not fill the memory of others.
pub const MAX_TOOLS_PER_NODE: usize = 100_000;

/// Most bytes of rows that are kept of one node, for the same reason: a hundred thousand tools of 2.6 KB each.
pub const MAX_BYTES_PER_NODE: usize = 256 << 20;

/// What is seen of every node.
pub(crate) struct Fold {
    /// This node, which trusts itself.
    me: NodeId,
    nodes: Mutex<BTreeMap<NodeId, Seen>>,
    trusted: RwLock<Arc<AllowList>>,
    generation: watch::Sender<u64>,
    /// Counts what this node announces anew of itself, which is far less than what all the others may.
    own: watch::Sender<u64>,
    /// How often rows that are refused are logged.
    refusals: Seldom,
}

/// What is seen of one node.
pub(crate) struct Seen {
    pub(crate) who: Identity,
    pub(crate) capabilities: CapabilitySet,
    pub(crate) tools: BTreeMap<ToolKey, Arc<ToolRow>>,
    /// Bytes of all the rows.
    bytes: usize,
}

/// Who can take a call.
pub(crate) struct Candidates {
    pub(crate) key: ToolKey,
    pub(crate) row: Arc<ToolRow>,
    pub(crate) nodes: Vec<NodeId>,
    /// Every one of the nodes says that the tool keeps nothing between calls: only then may a call run at more than one of them,
    /// whichever of them is believed in what is shown of the tool.
    pub(crate) stateless: bool,
}

/// Gives the text of a schema that is known.
pub(crate) type Hydrate<'a> = &'a dyn Fn(&SchemaDigest) -> Option<Arc<str>>;

impl Fold {
    pub(crate) fn new(me: NodeId) -> Self {
        Self {
            me,
            nodes: Mutex::default(),
            trusted: RwLock::new(Arc::new(AllowList::everybody())),
            generation: watch::Sender::new(0),
            own: watch::Sender::new(0),
            refusals: Seldom::new(),
        }
    }

    fn nodes(&self) -> MutexGuard<'_, BTreeMap<NodeId, Seen>> {
        self.nodes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets whose tools are seen. What others announce is kept, should they be trusted later.
    pub(crate) fn trust(&self, hosts: AllowList) {
        *self.trusted.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(hosts);
        self.generation.send_modify(|generation| *generation += 1);
    }

    fn trusted(&self) -> Arc<AllowList> {
        Arc::clone(&self.trusted.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// How many nodes are there that are not trusted.
    pub(crate) fn untrusted(&self) -> usize {
        let trusted = self.trusted();
        let nodes = self.nodes();
        let others = nodes.iter().filter(|(node, _)| **node != self.me);
        others.filter(|(_, seen)| !trusted.allows_node(&seen.who)).count()
    }

    /// What is looked at: the nodes that are trusted.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&mut dyn Iterator<Item = (NodeId, &Seen)>) -> T) -> T {
        let trusted = self.trusted();
        let nodes = self.nodes();
        let mut seen = nodes
            .iter()
            .map(|(node, seen)| (*node, seen))
            .filter(|(node, seen)| *node == self.me || trusted.allows_node(&seen.who));
        look(&mut seen)
    }

    /// Counts the changes.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.generation.subscribe()
    }

    /// Counts the changes of what this node announces, and of the rules by which it does.
    pub(crate) fn own_changes(&self) -> watch::Receiver<u64> {
        self.own.subscribe()
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
                    seen.remove(&key);
                }
            }
            Presence::Put(RowKey::Node, bytes) => {
                let told = (bytes.len() <= MAX_ROW_BYTES).then(|| toolmesh_json::parse(&bytes).ok());
                match told.flatten() {
                    Some(told) => {
                        let capabilities = CapabilitySet::from_value(told.view());
                        self.with(from, |seen| seen.capabilities = capabilities);
                    }
                    None => self.refused(from, "a node told of itself in a form that is not understood"),
                }
            }
            Presence::Put(RowKey::Tool { tool_id, version }, bytes) => {
                self.put(from, tool_id, &version, &bytes)
            }
        }
        self.generation.send_modify(|generation| *generation += 1);
        if from.node == self.me {
            self.own.send_modify(|generation| *generation += 1);
        }
    }

    fn put(&self, from: &Identity, tool_id: String, version: &str, bytes: &[u8]) {
        let row = key(tool_id, version).and_then(|key| Some((ToolRow::from_bytes(bytes, &key)?, key)));
        let Some((row, key)) = row else {
            return self.refused(from, "a node announced a tool in a form that is not understood");
        };
        self.with(from, |seen| {
            if !seen.put(key, row) {
                self.refused(from, "a node announces more than is kept of one node");
            }
        });
    }

    /// A node may announce any number of rows, but not fill the log.
    fn refused(&self, from: &Identity, what: &'static str) {
        if let Some(left_out) = self.refusals.may_write(Instant::now()) {
            let left_out = (left_out > 0).then_some(left_out);
            tracing::warn!(node = %from.node, left_out, "{what}");
        }
    }

    fn with(&self, from: &Identity, change: impl FnOnce(&mut Seen)) {
        let mut nodes = self.nodes();
        change(nodes.entry(from.node).or_insert_with(|| Seen {
            who: from.clone(),
            capabilities: CapabilitySet::default(),
            tools: BTreeMap::new(),
            bytes: 0,
        }));
    }

    /// Every tool, by identifier and version, with the number of nodes that serve it. Where nodes tell different things of
    /// one version, the node with the lowest number is believed.
    pub(crate) fn list(&self, matcher: Option<&CompiledMatcher>, hydrate: Hydrate<'_>) -> Listed {
        let mut tools: BTreeMap<ToolKey, (Arc<ToolRow>, u32)> = BTreeMap::new();
        self.look(|nodes| {
            let matches = |seen: &Seen| matcher.is_none_or(|matcher| seen.matches(matcher));
            for (_, seen) in nodes.filter(|(_, seen)| matches(seen)) {
                for (key, row) in &seen.tools {
                    match tools.get_mut(key) {
                        Some((_, count)) => *count = count.saturating_add(1),
                        None => drop(tools.insert(key.clone(), (Arc::clone(row), 1))),
                    }
                }
            }
        });
        let told = |(row, node_count): (Arc<ToolRow>, u32)| Told {
            descriptor: ToolDescriptor {
                node_count,
                ..row.hydrated(hydrate)
            },
            digests: [row.input, row.output],
        };
        tools.into_iter().map(|(key, tool)| (key, told(tool))).collect()
    }

    /// The tools that other nodes serve.
    pub(crate) fn of_others(&self) -> BTreeMap<ToolKey, Arc<ToolRow>> {
        let mut tools = BTreeMap::new();
        self.look(|nodes| {
            for (_, seen) in nodes.filter(|(node, _)| *node != self.me) {
                for (key, row) in &seen.tools {
                    tools.entry(key.clone()).or_insert_with(|| Arc::clone(row));
                }
            }
        });
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
        let mut best: Option<Candidates> = None;
        self.look(|nodes| {
            let meets = |seen: &Seen| predicate.is_none_or(|predicate| seen.meets(predicate));
            for (node, seen) in nodes.filter(|(_, seen)| meets(seen)) {
                let versions = seen.versions(tool_id);
                let fits = |key: &ToolKey| requirement.is_none_or(|wanted| wanted.matches(&key.version));
                if let Some((key, row)) = versions.filter(|(key, _)| fits(key)).last() {
                    offer(&mut best, node, key, row);
                }
            }
        });
        best
    }
}

/// A node more that can take the call: it counts when its version is as high as any so far.
fn offer(best: &mut Option<Candidates>, node: NodeId, key: &ToolKey, row: &Arc<ToolRow>) {
    match best {
        Some(best) if best.key.version > key.version => {}
        Some(best) if best.key.version == key.version => {
            best.nodes.push(node);
            best.stateless &= row.descriptor.stateless;
        }
        _ => {
            *best = Some(Candidates {
                key: key.clone(),
                row: Arc::clone(row),
                nodes: vec![node],
                stateless: row.descriptor.stateless,
            });
        }
    }
}

/// No version is lower than this one.
fn lowest() -> Version {
    let mut version = Version::new(0, 0, 0);
    version.pre = Prerelease::new("0").unwrap_or(Prerelease::EMPTY);
    version
}

/// The key of a row; `None` for what no host of this library would announce: names that are none, and those of the mesh's
/// own services.
fn key(tool_id: String, version: &str) -> Option<ToolKey> {
    if ToolName::new(&tool_id).is_err() || is_reserved(&tool_id) {
        return None;
    }
    let version = Version::parse(version).ok()?;
    Some(ToolKey { tool_id, version })
}

impl Seen {
    /// Keeps a row, in the place of an older one; `false` when there is no room.
    fn put(&mut self, key: ToolKey, row: ToolRow) -> bool {
        let before = self.tools.get(&key).map(|row| row.bytes);
        let bytes = self.bytes - before.unwrap_or_default() + row.bytes;
        let is_full = before.is_none() && self.tools.len() >= MAX_TOOLS_PER_NODE;
        if is_full || bytes > MAX_BYTES_PER_NODE {
            return false;
        }
        self.bytes = bytes;
        self.tools.insert(key, Arc::new(row));
        true
    }

    /// The versions of a tool, from low to high.
    pub(crate) fn versions(&self, tool_id: &str) -> impl Iterator<Item = (&ToolKey, &Arc<ToolRow>)> {
        let lowest = ToolKey {
            tool_id: tool_id.to_owned(),
            version: lowest(),
        };
        let from_there = self.tools.range(lowest..);
        from_there.take_while(move |(key, _)| key.tool_id == tool_id)
    }

    fn remove(&mut self, key: &ToolKey) {
        if let Some(gone) = self.tools.remove(key) {
            self.bytes -= gone.bytes;
        }
    }

    /// The node's own tags, and those that its tools give it.
    fn matches(&self, matcher: &CompiledMatcher) -> bool {
        matcher.matches(self.capabilities.tags.iter().map(String::as_str))
            || self.tools.keys().any(|key| {
                let given = tags_of_tool(&key.tool_id);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn row(description: usize) -> ToolRow {
        ToolRow {
            bytes: description,
            ..ToolRow::of(ToolDescriptor::new("t")).0
        }
    }

    fn of(number: usize) -> ToolKey {
        ToolKey {
            tool_id: format!("t{number}"),
            version: Version::new(1, 0, 0),
        }
    }

    fn seen() -> Seen {
        Seen {
            who: Identity::new(NodeId::new(1), "one"),
            capabilities: CapabilitySet::default(),
            tools: BTreeMap::new(),
            bytes: 0,
        }
    }

    #[test]
    fn nodes_that_are_not_trusted_are_counted_and_not_looked_at() {
        let fold = Fold::new(NodeId::new(1));
        for number in 1..=3 {
            let who = Identity::new(NodeId::new(number), format!("node-{number}"));
            fold.apply(&who, Presence::Put(RowKey::Node, b"{}".as_slice().into()));
        }
        let counted = |hosts| {
            fold.trust(hosts);
            (fold.look(|nodes| nodes.count()), fold.untrusted())
        };
        assert_eq!(counted(AllowList::everybody()), (3, 0));
        assert_eq!(counted(AllowList::nobody().name("node-3")), (2, 1));
        assert_eq!(counted(AllowList::nobody()), (1, 2));
    }

    #[test]
    fn what_is_kept_of_one_node_is_bounded_in_bytes() {
        let mut seen = seen();
        assert!(seen.put(of(0), row(MAX_BYTES_PER_NODE - 1)));
        assert!(seen.put(of(1), row(1)));
        assert!(!seen.put(of(2), row(1)));
        // A row that takes the place of another has its room.
        assert!(seen.put(of(0), row(MAX_BYTES_PER_NODE - 2)));
        assert!(seen.put(of(2), row(1)));
        seen.remove(&of(1));
        assert!(!seen.put(of(3), row(2)));
        assert!(seen.put(of(3), row(1)));
    }

    #[test]
    fn what_is_kept_of_one_node_is_bounded_in_tools() {
        let mut seen = seen();
        for number in 0..MAX_TOOLS_PER_NODE {
            assert!(seen.put(of(number), row(1)));
        }
        assert!(!seen.put(of(MAX_TOOLS_PER_NODE), row(1)));
        assert!(seen.put(of(0), row(2)));
    }
}
