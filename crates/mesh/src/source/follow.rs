//! Keeping a mount true to what is seen of the mesh.

use std::{
    collections::BTreeMap,
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::{sync::watch, task::JoinSet, time::Instant};
use toolmesh_tool::{
    ArgumentCheck, Mount, MountError, Tool, ToolDescriptor, ToolName,
    semver::{Version, VersionReq},
};

use super::{patience::Patience, remote::RemoteTool};
use crate::{
    CallOptions, client,
    difference::LOOK_PAUSE,
    mesh::tool_of,
    node::Node,
    row::{ToolKey, ToolRow, exactly},
};

/// How long a source waits at its start for schemas that have to be fetched; those that come later are offered then.
const START_PATIENCE: Duration = Duration::from_secs(5);

/// How many tools are built before others have their turn: thousands may come at once.
const TURN: usize = 64;

/// What a mount offers of the mesh.
pub(super) struct Offer {
    node: Weak<Node>,
    mount: Mount,
    /// What was looked at, whether it could be offered or not.
    seen: Seen,
    /// Tools of which a schema is being fetched.
    fetching: JoinSet<Fetched>,
    patience: Arc<Patience>,
}

type Seen = BTreeMap<ToolKey, Arc<ToolRow>>;

/// A tool of which the schemas were fetched.
type Fetched = (ToolKey, Arc<ToolRow>, Option<ToolDescriptor>);

impl Offer {
    pub(super) fn new(node: Weak<Node>, mount: Mount) -> Self {
        Self {
            node,
            mount,
            seen: Seen::new(),
            fetching: JoinSet::new(),
            patience: Arc::default(),
        }
    }

    /// Offers what there is now, and waits a while for what has to be fetched.
    pub(super) async fn start(&mut self, node: &Arc<Node>) {
        self.bring_up_to_date(node).await;
        let enough = Instant::now() + START_PATIENCE;
        while let Ok(Some(fetched)) = tokio::time::timeout_at(enough, self.fetching.join_next()).await {
            self.fetched(fetched.ok());
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
                Some(fetched) = self.fetching.join_next() => {
                    self.fetched(fetched.ok());
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
        let gone: Vec<(ToolName, Version)> = different(&self.seen, &now)
            .filter_map(|(key, _)| Some((ToolName::new(&key.tool_id).ok()?, key.version.clone())))
            .collect();
        let mut tools = Vec::new();
        for (number, (key, row)) in (1..).zip(different(&now, &self.seen)) {
            if number % TURN == 0 {
                tokio::task::yield_now().await;
            }
            let unknown = [row.input, row.output].into_iter().flatten();
            if unknown.into_iter().all(|digest| node.schema(&digest).is_some()) {
                let descriptor = row.hydrated(&|digest| node.schema(digest));
                tools.extend(self.tool(key, row, &descriptor));
            } else {
                let fetch = fetch(
                    Weak::clone(&self.node),
                    key.clone(),
                    Arc::clone(row),
                    Arc::clone(&self.patience),
                );
                self.fetching.spawn_on(fetch, &node.runtime);
            }
        }
        self.seen = now;
        if !gone.is_empty() || !tools.is_empty() {
            self.exchange(&gone, tools);
        }
    }

    /// A schema came. What was announced anew meanwhile is fetched anew.
    fn fetched(&mut self, fetched: Option<Fetched>) {
        let Some((key, row, Some(descriptor))) = fetched else {
            return;
        };
        let is_current = self.seen.get(&key).is_some_and(|seen| Arc::ptr_eq(seen, &row));
        if let Some(tool) = self.tool(&key, &row, &descriptor).filter(|_| is_current) {
            self.exchange(&[], vec![tool]);
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

/// Fetches the schemas of a tool, when it is its host's turn.
async fn fetch(node: Weak<Node>, key: ToolKey, row: Arc<ToolRow>, patience: Arc<Patience>) -> Fetched {
    let fetched = async {
        let requirement = VersionReq::parse(&exactly(&key.version)).ok()?;
        let options = CallOptions::new().with_version(requirement);
        let hosts = {
            let node = node.upgrade()?;
            let found = node
                .fold
                .candidates(&key.tool_id, options.version.as_ref(), None)?;
            found.nodes
        };
        let _turn = patience.turn(&hosts).await?;
        let node = node.upgrade()?;
        client::describe(&node, &key.tool_id, &options)
            .await
            .inspect_err(|error| not_offered(&key, error))
            .ok()
    };
    let descriptor = fetched.await;
    (key, row, descriptor)
}

fn not_offered(key: &ToolKey, error: &dyn std::error::Error) {
    tracing::warn!(tool = key.tool_id, version = %key.version, %error, "a tool of the mesh is not offered");
}
