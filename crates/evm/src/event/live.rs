//! The live side of a contract's events: one feed, who is told of what is new in it, and when it is followed at all.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use alloy_primitives::Address;
use indexmap::IndexMap;
use toolmesh_json::Value;
use toolmesh_tool::Mount;

use super::ask::placed;
use super::feed::Feed;
use super::filter::EventFilter;
use super::follow::{Change, Follower};
use super::{EventQuestion, Events};
use crate::chain::{Chain, ChainError, LogRecord};

/// How many URIs with a query are told of what is new; of more the one that was read longest ago is forgotten.
const MAX_WATCHED_URIS: usize = 256;

/// How long a node is asked for new blocks after the last reading, when nobody is told of changes.
const INTEREST: Duration = Duration::from_secs(600);

/// The pause after a look that failed.
const FAILURE_PAUSE: Duration = Duration::from_secs(2);

/// The live side of a contract's events.
#[derive(Debug)]
pub(crate) struct Live {
    chain: Arc<dyn Chain>,
    contract: Address,
    events: Events,
    feed: Arc<Feed>,
    /// One look at a time, whoever wants it.
    follower: tokio::sync::Mutex<Follower>,
    /// Each URI that somebody may watch, without the source's prefix, and what it is about.
    watched: Mutex<IndexMap<String, EventFilter>>,
    last_read: Mutex<Option<Instant>>,
}

impl Live {
    /// The plain URIs of all events are always told of.
    pub(crate) fn new(
        chain: Arc<dyn Chain>,
        contract: Address,
        events: Events,
        plain: impl IntoIterator<Item = (String, EventFilter)>,
    ) -> Self {
        let feed = Arc::new(Feed::default());
        let follower = Follower::new(Arc::clone(&chain), contract, Arc::clone(&feed));
        Self {
            chain,
            contract,
            events,
            feed,
            follower: tokio::sync::Mutex::new(follower),
            watched: Mutex::new(plain.into_iter().collect()),
            last_read: Mutex::default(),
        }
    }

    pub(crate) fn chain(&self) -> &Arc<dyn Chain> {
        &self.chain
    }

    pub(crate) fn contract(&self) -> Address {
        self.contract
    }

    pub(crate) fn events(&self) -> &Events {
        &self.events
    }

    /// Notes that `uri` was read, so that whoever watches it is told, and brings the feed up to the latest block; the
    /// cursor behind it.
    pub(crate) async fn noted(&self, uri: String, filter: EventFilter) -> Result<String, ChainError> {
        *locked(&self.last_read) = Some(Instant::now());
        {
            let mut watched = locked(&self.watched);
            // What is read again is forgotten last.
            watched.shift_remove(&uri);
            watched.insert(uri, filter);
            if watched.len() > MAX_WATCHED_URIS {
                watched.shift_remove_index(0);
            }
        }
        self.follower.lock().await.look().await?;
        Ok(self.feed.end())
    }

    /// What followed a cursor: `{"events", "after", "more", "dropped", "note"}`, each event with `removed`.
    pub(crate) async fn since(&self, question: &EventQuestion, after: &str) -> Result<Value, ChainError> {
        *locked(&self.last_read) = Some(Instant::now());
        self.follower.lock().await.look().await?;
        let filter = &question.filter;
        let page = self
            .feed
            .since(after, question.limit, |record| self.is_about(filter, record));
        let events = page.entries.iter().filter_map(|entry| {
            let explained = self
                .events
                .as_event(&filter.event, &entry.record.log, self.contract)?;
            Some(
                placed(explained, &entry.record)
                    .put("removed", entry.removed)
                    .build(),
            )
        });
        let note = match page.dropped {
            Some(0) => None,
            Some(count) => Some(format!(
                "{count} logs of the contract were dropped before these, because nobody read them in time; a question \
                 with from_block finds them."
            )),
            None => Some(
                "The cursor is of another run of the server or too old, so these are the events that are kept; a \
                 question with from_block finds earlier ones."
                    .to_owned(),
            ),
        };
        Ok(Value::object()
            .put("events", events.collect::<Value>())
            .put("after", page.after)
            .put("more", page.more)
            .put_opt("dropped", page.dropped)
            .put_opt("note", note)
            .build())
    }

    /// Follows the chain and tells `mount` of what is new, until it is dropped.
    pub(crate) async fn follow(self: Arc<Self>, mount: Mount) {
        loop {
            let head = self.follower.lock().await.head();
            self.chain.wait_for_block(head).await;
            if !self.is_wanted(&mount) {
                continue;
            }
            let looked = self.follower.lock().await.look().await;
            match looked {
                Ok(changes) => self.tell(&mount, &changes),
                Err(error) => {
                    tracing::debug!(%error, "new blocks could not be looked at");
                    tokio::time::sleep(FAILURE_PAUSE).await;
                }
            }
        }
    }

    /// A chain in this process costs nothing to follow; a node is asked only while somebody cares.
    fn is_wanted(&self, mount: &Mount) -> bool {
        let was_read = locked(&self.last_read).is_some_and(|at| at.elapsed() < INTEREST);
        self.chain.mines_at_once() || was_read || mount.is_watched()
    }

    fn tell(&self, mount: &Mount, changes: &[Change]) {
        if changes.is_empty() {
            return;
        }
        let watched = locked(&self.watched).clone();
        for (uri, filter) in watched {
            if changes
                .iter()
                .any(|change| self.is_about(&filter, &change.record))
            {
                mount.resource_updated(&uri);
            }
        }
    }

    fn is_about(&self, filter: &EventFilter, record: &LogRecord) -> bool {
        filter.wants(&record.log)
            && self
                .events
                .as_event(&filter.event, &record.log, self.contract)
                .is_some()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
