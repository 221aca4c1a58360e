//! Telling another node what changes among the tools of this one.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use toolmesh_tool::ToolDescriptor;

use super::{
    admit::Refused,
    reply::told,
    way::{Ended, Way},
};
use crate::{
    ToolListChange, ToolWatchRequest,
    access::Asker,
    difference::{Listed, Told, difference},
    matcher::CompiledMatcher,
    node::{Announced, Node},
    row::ToolKey,
    tag::tags_of_tool,
    wire::STREAMING,
};

/// Most changes that are told one by one; where there are more at once, the watcher is told to list again.
pub const MAX_TOLD_CHANGES: usize = 64;

/// Shortest time between two looks: a toolbox that is being filled is looked at now and then, not at each tool.
const PAUSE: Duration = Duration::from_millis(50);

/// Longest pause that a watcher may ask for.
const MAX_PAUSE: Duration = Duration::from_secs(60);

/// What a watcher saw at one look. Nothing of the tools is copied: what is announced anew is another one.
type Seen = BTreeMap<ToolKey, Arc<Announced>>;

/// One watcher: what it may see, and what it wants to know.
struct Watcher<'a> {
    node: &'a Node,
    asker: &'a Asker<'a>,
    matcher: Option<CompiledMatcher>,
    wants_edits: bool,
    pause: Duration,
}

/// Tells what changes from now on, until the caller has enough or its time is over. What other nodes announce is no reason to
/// look: each of them may announce as often as it likes.
pub(super) async fn watch(
    node: &Node,
    asker: &Asker<'_>,
    body: Vec<u8>,
    way: Way<'_>,
) -> Result<(), Refused> {
    let watcher = Watcher::of(node, asker, body)?;
    let _place = node
        .watches
        .enter(asker.node.node, &way.running.cancellation)
        .ok_or_else(Refused::busy)?;
    let mut changes = node.fold.own_changes();
    changes.mark_unchanged();
    let watching = async {
        let mut seen = watcher.seen();
        while changes.changed().await.is_ok() {
            let now = watcher.seen();
            if watcher.tell(&seen, &now, way).await.is_err() {
                return;
            }
            seen = now;
            tokio::time::sleep(watcher.pause).await;
        }
    };
    tokio::select! {
        biased;
        () = way.running.cancellation.cancelled() => {}
        () = watching => {}
    }
    Ok(())
}

impl<'a> Watcher<'a> {
    fn of(node: &'a Node, asker: &'a Asker<'a>, body: Vec<u8>) -> Result<Self, Refused> {
        const NO_REQUEST: &str = "The request is not valid.";
        let refused = || Refused::malformed(NO_REQUEST);
        let asked = toolmesh_json::parse(&body).map_err(|_| refused())?;
        let asked: ToolWatchRequest = asked.deserialize().map_err(|_| refused())?;
        let matcher = asked.matcher.map(|matcher| matcher.compile()).transpose();
        Ok(Self {
            node,
            asker,
            matcher: matcher.map_err(|_| refused())?,
            wants_edits: asked.changed,
            pause: asked.interval_ms.map_or(PAUSE, |pause| {
                Duration::from_millis(pause).clamp(PAUSE, MAX_PAUSE)
            }),
        })
    }

    /// The tools of this node that the watcher may see. Those of other nodes are theirs to tell.
    fn seen(&self) -> Seen {
        let mut tools = self.published();
        tools.retain(|key, _| self.node.access.shows(self.asker, &key.tool_id));
        let matches = self.matcher.as_ref().is_none_or(|matcher| {
            let capabilities = self.node.access.capabilities();
            let given = tools.keys().flat_map(|key| tags_of_tool(&key.tool_id));
            let tags: Vec<String> = capabilities.tags.iter().cloned().chain(given).collect();
            matcher.matches(tags.iter().map(String::as_str))
        });
        if matches { tools } else { Seen::new() }
    }

    fn published(&self) -> Seen {
        let published = self.node.published();
        let tools = published.tools.iter();
        tools.map(|(key, tool)| (key.clone(), Arc::clone(tool))).collect()
    }

    async fn tell(&self, seen: &Seen, now: &Seen, way: Way<'_>) -> Result<(), Ended> {
        let mut changes = difference(&apart(seen, now), &apart(now, seen));
        changes.retain(|change| self.wants_edits || !matches!(change, ToolListChange::Changed(_)));
        if changes.len() > MAX_TOLD_CHANGES {
            changes = vec![ToolListChange::Resync];
        }
        for change in changes {
            let mut reply = told(change.to_value().to_text());
            // A fixed name and a short value always fit.
            let _ = reply.headers.add(STREAMING, "continue");
            way.send(reply).await?;
        }
        Ok(())
    }
}

/// What of `these` is not, or not so, in `those`: only that is copied.
fn apart(these: &Seen, those: &Seen) -> Listed {
    let is_same =
        |key: &ToolKey, tool: &Arc<Announced>| those.get(key).is_some_and(|other| Arc::ptr_eq(other, tool));
    let apart = these.iter().filter(|(key, tool)| !is_same(key, tool));
    apart.map(|(key, tool)| (key.clone(), told_of(tool))).collect()
}

/// With schemas of every length, so that no digests are needed to tell what changes.
fn told_of(announced: &Announced) -> Told {
    Told {
        descriptor: ToolDescriptor {
            node_count: 1,
            ..announced.descriptor.clone()
        },
        digests: [None; 2],
    }
}
