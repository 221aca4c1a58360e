//! What the parts of one node share.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use toolmesh_tool::{Mount, Tool, ToolDescriptor};

use crate::{
    Seldom,
    access::Access,
    breaker::Breaker,
    engine::{Engine, RowKey},
    fold::Fold,
    host::{RunningCalls, Watches},
    route::Router,
    row::{SchemaDigest, ToolKey, ToolRow},
    schemas::SchemaCache,
};

/// The source under whose name the tools of [`crate::Mesh::serve_tool`] stand in the toolbox.
pub(crate) const NATIVE_SOURCE: &str = "mesh.native";

/// What the parts of one node share.
pub(crate) struct Node {
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) fold: Fold,
    pub(crate) access: Arc<Access>,
    /// Where the tools of [`crate::Mesh::serve_tool`] go.
    pub(crate) mount: Mount,
    pub(crate) published: Mutex<Published>,
    /// Held while what is published and what the engine tells of it change together.
    pub(crate) announcing: Mutex<()>,
    pub(crate) fetched: Mutex<SchemaCache>,
    pub(crate) router: Router,
    pub(crate) breaker: Breaker,
    pub(crate) running: RunningCalls,
    /// The watches of this node's tools.
    pub(crate) watches: Watches,
    /// How often calls that are denied are logged.
    pub(crate) denials: Seldom,
    /// How often calls are logged that others denied.
    pub(crate) denied_elsewhere: Seldom,
    pub(crate) runtime: Handle,
    pub(crate) closed: CancellationToken,
    next_call: AtomicU64,
}

/// What this node announces.
#[derive(Default)]
pub(crate) struct Published {
    pub(crate) tools: HashMap<ToolKey, Arc<Announced>>,
    /// Schemas that rows tell only by their digests, and the tools that have them.
    schemas: HashMap<SchemaDigest, (Arc<str>, BTreeSet<ToolKey>)>,
    /// Sources whose tools came from the mesh, and so are never published.
    pub(crate) from_mesh: HashSet<String>,
}

/// One version of a tool that this node announces.
pub(crate) struct Announced {
    pub(crate) descriptor: ToolDescriptor,
    pub(crate) row: Arc<[u8]>,
    digests: [Option<SchemaDigest>; 2],
}

/// Why a tool cannot be announced: its row is too large.
pub(crate) struct RowTooLarge;

impl Node {
    pub(crate) fn new(engine: Arc<dyn Engine>, access: Arc<Access>, mount: Mount, runtime: Handle) -> Self {
        Self {
            engine,
            fold: Fold::new(access.me.node),
            access,
            mount,
            published: Mutex::default(),
            announcing: Mutex::default(),
            fetched: Mutex::default(),
            router: Router::default(),
            breaker: Breaker::default(),
            running: RunningCalls::default(),
            watches: Watches::default(),
            denials: Seldom::new(),
            denied_elsewhere: Seldom::new(),
            runtime,
            closed: CancellationToken::new(),
            next_call: AtomicU64::new(first_call()),
        }
    }

    pub(crate) fn next_call(&self) -> u64 {
        self.next_call.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn published(&self) -> MutexGuard<'_, Published> {
        self.published.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn fetched(&self) -> MutexGuard<'_, SchemaCache> {
        self.fetched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The text of a schema that this node publishes or has fetched.
    pub(crate) fn schema(&self, digest: &SchemaDigest) -> Option<Arc<str>> {
        let own = self.published().schema(digest);
        own.or_else(|| self.fetched().get(digest))
    }

    /// Leaves the mesh: rows go, calls in both directions end.
    pub(crate) fn close(&self) {
        // In this order: a call that is cancelled here must not look to its caller as if somebody there had cancelled it.
        self.engine.close();
        self.closed.cancel();
    }
}

/// A node that comes back under its number must not use the numbers of calls that hosts still run for it. Numbers stay below
/// 2^53, which every language reads exactly.
fn first_call() -> u64 {
    getrandom::u32().map_or(1, |random| u64::from(random) << 20)
}

impl Published {
    /// Remembers what is announced of a tool.
    pub(crate) fn insert(
        &mut self,
        key: ToolKey,
        descriptor: ToolDescriptor,
        tool: &Tool,
    ) -> Result<Arc<[u8]>, RowTooLarge> {
        let (mut row, apart) = ToolRow::of(descriptor.clone());
        row.accepts_others = tool.accept().is_some();
        let bytes = row.to_bytes().ok_or(RowTooLarge)?;
        self.remove(&key);
        for (digest, text) in apart {
            let (_, users) = self
                .schemas
                .entry(digest)
                .or_insert_with(|| (text, BTreeSet::new()));
            users.insert(key.clone());
        }
        let announced = Announced {
            descriptor,
            row: Arc::clone(&bytes),
            digests: [row.input, row.output],
        };
        self.tools.insert(key, Arc::new(announced));
        Ok(bytes)
    }

    pub(crate) fn remove(&mut self, key: &ToolKey) -> Option<Arc<Announced>> {
        let gone = self.tools.remove(key)?;
        for digest in gone.digests.iter().flatten() {
            if let Some((_, users)) = self.schemas.get_mut(digest) {
                users.remove(key);
                if users.is_empty() {
                    self.schemas.remove(digest);
                }
            }
        }
        Some(gone)
    }

    pub(crate) fn schema(&self, digest: &SchemaDigest) -> Option<Arc<str>> {
        self.schemas.get(digest).map(|(text, _)| Arc::clone(text))
    }

    /// The tools that have a schema.
    pub(crate) fn users(&self, digest: &SchemaDigest) -> Vec<ToolKey> {
        let found = self.schemas.get(digest);
        found
            .map(|(_, users)| users.iter().cloned().collect())
            .unwrap_or_default()
    }
}

impl From<&ToolKey> for RowKey {
    fn from(key: &ToolKey) -> Self {
        Self::Tool {
            tool_id: key.tool_id.clone(),
            version: key.version.to_string(),
        }
    }
}
