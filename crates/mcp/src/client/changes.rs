//! What is not as it was at an upstream server, and which of its resources somebody here follows.
//!
//! Whatever a server tells, and however often, is kept as one mark a thing: that its lists changed, and of which followed
//! resources the contents did. So nothing is lost, and a flood fills nothing.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::{Notify, watch};
use toolmesh_tool::{CallError, HandlerError};

use super::limits::{MAX_FOLLOWED, NOTICE_TIMEOUT};

/// What changed at one upstream server, and what is followed there.
#[derive(Debug)]
pub(super) struct Changes {
    state: Mutex<State>,
    /// A list changed.
    lists: Notify,
    /// The contents of a followed resource changed.
    resources: Notify,
    /// Counts the changes of what is followed.
    wanted: watch::Sender<u64>,
    /// How far the server knows of it.
    known: watch::Sender<Known>,
}

#[derive(Debug, Default)]
struct State {
    updated: BTreeSet<String>,
    /// How many follow each resource, by the server's own URI.
    followed: HashMap<String, usize>,
    /// What the server refuses to tell of.
    refused: BTreeSet<String>,
    version: u64,
}

/// How far a server knows what is followed.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    is_connected: bool,
    version: u64,
}

/// Somebody follows a resource, until this is dropped.
#[derive(Debug)]
pub(super) struct Follower {
    changes: Arc<Changes>,
    uri: String,
}

impl Changes {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::default(),
            lists: Notify::new(),
            resources: Notify::new(),
            wanted: watch::Sender::new(0),
            known: watch::Sender::default(),
        })
    }

    /// Takes note that a list changed.
    pub(super) fn list_changed(&self) {
        self.lists.notify_one();
    }

    /// Waits until a list changed since this was waited for last. Nothing is lost when the future is dropped.
    pub(super) async fn lists_changed(&self) {
        self.lists.notified().await;
    }

    /// Takes note that the contents of a resource changed, when somebody follows it.
    pub(super) fn updated(&self, uri: &str) {
        let mut state = self.state();
        if state.followed.contains_key(uri) {
            state.updated.insert(uri.to_owned());
            drop(state);
            self.resources.notify_one();
        }
    }

    /// Waits for followed resources whose contents changed, by the server's own URIs. Nothing is lost when the future is
    /// dropped.
    pub(super) async fn next_updated(&self) -> BTreeSet<String> {
        loop {
            let updated = std::mem::take(&mut self.state().updated);
            if !updated.is_empty() {
                return updated;
            }
            self.resources.notified().await;
        }
    }

    /// Follows a resource. Waits until the server knows of it, while there is one; but not for long, since a server that
    /// comes back is asked again.
    ///
    /// # Errors
    /// [`CallError::QueueFull`] when [`MAX_FOLLOWED`] others are followed; [`CallError::Handler`] when the server refuses.
    pub(super) async fn follow(self: &Arc<Self>, uri: &str) -> Result<Follower, CallError> {
        let (follower, version) = self.enter(uri).ok_or(CallError::QueueFull)?;
        let mut known = self.known.subscribe();
        let known = known.wait_for(|known| !known.is_connected || known.version >= version);
        if tokio::time::timeout(NOTICE_TIMEOUT, known).await.is_err() {
            tracing::debug!("an upstream server takes its time to say whether a resource may be followed");
        }
        if self.state().refused.contains(uri) {
            let refused = HandlerError::new("the upstream server refuses to tell of the resource");
            return Err(refused.into());
        }
        Ok(follower)
    }

    fn enter(self: &Arc<Self>, uri: &str) -> Option<(Follower, u64)> {
        let mut state = self.state();
        if state.followed.len() >= MAX_FOLLOWED && !state.followed.contains_key(uri) {
            return None;
        }
        let followers = state.followed.entry(uri.to_owned()).or_default();
        *followers += 1;
        if *followers == 1 {
            state.version += 1;
        }
        let version = state.version;
        drop(state);
        self.wanted.send_replace(version);
        let follower = Follower {
            changes: Arc::clone(self),
            uri: uri.to_owned(),
        };
        Some((follower, version))
    }

    fn leave(&self, uri: &str) {
        let mut state = self.state();
        let Some(followers) = state.followed.get_mut(uri) else {
            return;
        };
        *followers -= 1;
        if *followers > 0 {
            return;
        }
        state.followed.remove(uri);
        state.updated.remove(uri);
        state.version += 1;
        let version = state.version;
        drop(state);
        self.wanted.send_replace(version);
    }

    /// Sees when other resources are followed than before.
    pub(super) fn wanted(&self) -> watch::Receiver<u64> {
        self.wanted.subscribe()
    }

    /// What is followed now, and its version.
    pub(super) fn followed(&self) -> (u64, BTreeSet<String>) {
        let state = self.state();
        (state.version, state.followed.keys().cloned().collect())
    }

    /// The server knows what was followed in this version; of `refused` it will not tell.
    pub(super) fn are_known(&self, version: u64, refused: BTreeSet<String>) {
        self.state().refused = refused;
        self.known.send_modify(|known| known.version = version);
    }

    /// There is a server that can be asked, or none any more.
    pub(super) fn connected(&self, is_connected: bool) {
        let version = 0;
        self.known.send_replace(Known {
            is_connected,
            version,
        });
        if !is_connected {
            self.state().refused.clear();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing here panics while it holds the lock, and every state is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        self.changes.leave(&self.uri);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    fn uris(of: &[&str]) -> BTreeSet<String> {
        of.iter().map(|uri| (*uri).to_owned()).collect()
    }

    #[tokio::test]
    async fn a_flood_of_changes_is_one_mark_a_thing() {
        let changes = Changes::new();
        let _follower = changes.follow("a").await.expect("there is room");
        for _ in 0..10_000 {
            changes.list_changed();
            changes.updated("a");
            changes.updated("nobody follows this");
        }
        changes.lists_changed().await;
        assert!(changes.lists_changed().now_or_never().is_none());
        assert_eq!(changes.next_updated().await, uris(&["a"]));
        assert!(changes.next_updated().now_or_never().is_none());
    }

    #[tokio::test]
    async fn a_resource_is_followed_until_its_last_follower_leaves() {
        let changes = Changes::new();
        let one = changes.follow("a").await.expect("there is room");
        let two = changes.follow("a").await.expect("there is room");
        let version = changes.followed();
        assert_eq!(version.1, uris(&["a"]));
        drop(one);
        assert_eq!(changes.followed(), version);
        drop(two);
        assert_eq!(changes.followed(), (version.0 + 1, uris(&[])));
    }

    #[tokio::test]
    async fn so_many_resources_are_followed_and_no_more() {
        let changes = Changes::new();
        let mut followers = Vec::new();
        for number in 0..MAX_FOLLOWED {
            followers.push(changes.follow(&number.to_string()).await.expect("there is room"));
        }
        assert!(changes.follow("0").await.is_ok());
        assert!(matches!(changes.follow("more").await, Err(CallError::QueueFull)));
        followers.pop();
        assert!(changes.follow("more").await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_follower_waits_for_the_server_but_not_for_ever() {
        let changes = Changes::new();
        changes.connected(true);
        let (followed, ()) = tokio::join!(changes.follow("a"), async {
            let (version, followed) = changes.followed();
            changes.are_known(version, followed);
        });
        assert!(
            matches!(followed, Err(CallError::Handler(_))),
            "the server refuses"
        );
        assert!(changes.follow("b").await.is_ok(), "the server says nothing");
        changes.connected(false);
        assert!(changes.follow("a").await.is_ok(), "nobody is there to refuse");
    }
}
