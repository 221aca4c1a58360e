//! Keeping a mount true to what is seen of the mesh.

use std::{
    collections::BTreeMap,
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::{
    sync::watch,
    task::{AbortHandle, Id, JoinError, JoinSet},
    time::Instant,
};
use toolmesh_tool::{
    ArgumentCheck, Mount, MountError, Tool, ToolDescriptor, ToolName,
    semver::{Version, VersionReq},
};

use super::{patience::Patience, remote::RemoteTool};
use crate::{
    CallOptions, RetryPolicy, client,
    difference::LOOK_PAUSE,
    mesh::tool_of,
    node::Node,
    row::{ToolKey, ToolRow, exactly},
};

/// How long a source waits at its start for schemas that have to be fetched; those that come later are offered then.
const START_PATIENCE: Duration = Duration::from_secs(5);

/// How many tools are built before others have their turn: thousands may come at once.
const TURN: usize = 64;

/// How long a schema that could not be fetched waits for the next try. It is tried as long as its tool is announced: a host that
/// is busy or away for a moment must not lose the tool. One that will never give it is not asked again.
const PAUSES: RetryPolicy = RetryPolicy {
    attempts: u32::MAX,
    first_wait: Duration::from_secs(1),
    longest_wait: Duration::from_secs(60),
};

/// What a mount offers of the mesh.
pub(super) struct Offer {
    node: Weak<Node>,
    mount: Mount,
    /// What was looked at, whether it could be offered or not.
    seen: Seen,
    /// Tools of which a schema is being fetched.
    fetching: JoinSet<Fetched>,
    /// The fetch of each of them: what is announced anew in other words, or taken back, ends it.
    fetches: BTreeMap<ToolKey, AbortHandle>,
    patience: Arc<Patience>,
}

type Seen = BTreeMap<ToolKey, Arc<ToolRow>>;

/// A tool of which the schemas are fetched.
struct Wanted {
    key: ToolKey,
    row: Arc<ToolRow>,
    /// How often it was tried before.
    tries: u32,
}

/// What became of it.
type Fetched = (Wanted, Schemas);

enum Schemas {
    Came(Box<ToolDescriptor>),
    /// They may come later.
    NotNow,
    /// They never will.
    Refused,
}

/// How the fetch of this number ended.
type Ended = Result<(Id, Fetched), JoinError>;

impl Offer {
    pub(super) fn new(node: Weak<Node>, mount: Mount) -> Self {
        Self {
            node,
            mount,
            seen: Seen::new(),
            fetching: JoinSet::new(),
            fetches: BTreeMap::new(),
            patience: Arc::default(),
        }
    }

    /// Offers what there is now, and waits a while for what has to be fetched.
    pub(super) async fn start(&mut self, node: &Arc<Node>) {
        self.bring_up_to_date(node).await;
        let enough = Instant::now() + START_PATIENCE;
        let mut awaited = self.fetching.len();
        while awaited > 0 {
            let next = tokio::time::timeout_at(enough, self.fetching.join_next_with_id());
            let Ok(Some(ended)) = next.await else {
                return;
            };
            // A further try of one that failed is not waited for.
            let is_first = ended.as_ref().map_or(true, |(_, (wanted, _))| wanted.tries == 0);
            awaited -= usize::from(is_first);
            self.fetched(ended);
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
                Some(ended) = self.fetching.join_next_with_id() => {
                    self.fetched(ended);
                    continue;
                }
                changed = changes.changed() => if changed.is_err() { break },
            }
            let Some(node) = self.node.upgrade() else {
                break;
            };
            self.bring_up_to_date(&node).await;
            drop(node);
            tokio::time::sleep(LOOK_PAUSE).await;
        }
        self.mount.withdraw();
    }

    /// Offers what is new, takes back what is gone.
    async fn bring_up_to_date(&mut self, node: &Arc<Node>) {
        let now = node.fold.of_others();
        let mut gone: Vec<(ToolName, Version)> = Vec::new();
        for (key, _) in different(&self.seen, &now) {
            if let Some(fetch) = self.fetches.remove(key) {
                fetch.abort();
            }
            gone.extend(ToolName::new(&key.tool_id).map(|name| (name, key.version.clone())));
        }
        let (mut tools, mut wanted) = (Vec::new(), Vec::new());
        for (number, (key, row)) in (1..).zip(different(&now, &self.seen)) {
            if number % TURN == 0 {
                tokio::task::yield_now().await;
            }
            let unknown = [row.input, row.output].into_iter().flatten();
            if unknown.into_iter().all(|digest| node.schema(&digest).is_some()) {
                let descriptor = row.hydrated(&|digest| node.schema(digest));
                tools.extend(self.tool(key, row, &descriptor));
            } else {
                let (key, row) = (key.clone(), Arc::clone(row));
                wanted.push(Wanted { key, row, tries: 0 });
            }
        }
        self.seen = now;
        for wanted in wanted {
            self.fetch(node, wanted);
        }
        if !gone.is_empty() || !tools.is_empty() {
            self.exchange(&gone, tools);
        }
    }

    fn fetch(&mut self, node: &Node, wanted: Wanted) {
        let key = wanted.key.clone();
        let fetch = fetch(Weak::clone(&self.node), wanted, Arc::clone(&self.patience));
        let fetch = self.fetching.spawn_on(fetch, &node.runtime);
        self.fetches.insert(key, fetch);
    }

    /// A fetch ended: its tool is offered, or fetched once more. One that had ended when it should be ended no longer counts.
    fn fetched(&mut self, ended: Ended) {
        let Ok((number, (wanted, schemas))) = ended else {
            return;
        };
        if self.fetches.get(&wanted.key).map(AbortHandle::id) != Some(number) {
            return;
        }
        self.fetches.remove(&wanted.key);
        match (schemas, self.node.upgrade()) {
            (Schemas::Came(descriptor), _) => {
                let tool = self.tool(&wanted.key, &wanted.row, &descriptor);
                self.exchange(&[], tool.into_iter().collect());
            }
            (Schemas::NotNow, Some(node)) => {
                let tries = wanted.tries.saturating_add(1);
                self.fetch(&node, Wanted { tries, ..wanted });
            }
            _ => {}
        }
    }

    /// Changes what is offered. A tool that does not fit in beside what others offer is left out, and no other with it.
    fn exchange(&self, gone: &[(ToolName, Version)], tools: Vec<Tool>) {
        if self.mount.exchange(gone, tools.clone()).is_ok() {
            return;
        }
        let told = |error: MountError| tracing::warn!(%error, "a tool of the mesh is not offered");
        let _ = self.mount.exchange(gone, Vec::new()).map_err(told);
        for tool in tools {
            let _ = self.mount.add(vec![tool]).map_err(told);
        }
    }

    fn tool(&self, key: &ToolKey, row: &ToolRow, descriptor: &ToolDescriptor) -> Option<Tool> {
        let remote = RemoteTool {
            node: Weak::clone(&self.node),
            tool_id: key.tool_id.clone(),
            requirement: VersionReq::parse(&exactly(&key.version)).ok()?,
            has_output_schema: descriptor.output_schema.is_some(),
        };
        // Both sides check by the published schema, but where the host accepts more than that, it alone can tell.
        let check = if row.accepts_others {
            ArgumentCheck::Elsewhere
        } else {
            ArgumentCheck::Dispatcher
        };
        tool_of(descriptor, Arc::new(remote), check)
            .inspect_err(|error| not_offered(key, error))
            .ok()
    }
}

/// What of `these` is not, or not so, in `those`.
fn different<'a>(these: &'a Seen, those: &'a Seen) -> impl Iterator<Item = (&'a ToolKey, &'a Arc<ToolRow>)> {
    these.iter().filter(|(key, row)| {
        let other = those.get(*key);
        !other.is_some_and(|other| Arc::ptr_eq(other, row) || other == *row)
    })
}

/// Fetches the schemas of a tool, when it is its host's turn, and after a pause when they did not come before.
async fn fetch(node: Weak<Node>, wanted: Wanted, patience: Arc<Patience>) -> Fetched {
    tokio::time::sleep(PAUSES.wait_before(wanted.tries)).await;
    let (key, row) = (&wanted.key, &wanted.row);
    let hydrated = async {
        let requirement = VersionReq::parse(&exactly(&key.version)).ok()?;
        let hosts = {
            let node = node.upgrade()?;
            let found = node.fold.candidates(&key.tool_id, Some(&requirement), None)?;
            found.nodes
        };
        let _turn = patience.turn(&hosts).await?;
        let node = node.upgrade()?;
        Some(client::hydrated(&node, row, &hosts, &CallOptions::new()).await)
    };
    let schemas = match hydrated.await {
        None => Schemas::NotNow,
        Some(Ok(descriptor)) => Schemas::Came(Box::new(descriptor)),
        Some(Err(error)) => {
            let is_final = !error.is_of_host();
            // Once, however often it is tried.
            if wanted.tries == 0 || is_final {
                not_offered(key, &error);
            }
            if is_final {
                Schemas::Refused
            } else {
                Schemas::NotNow
            }
        }
    };
    (wanted, schemas)
}

fn not_offered(key: &ToolKey, error: &dyn std::error::Error) {
    tracing::warn!(tool = key.tool_id, version = %key.version, %error, "a tool of the mesh is not offered");
}
