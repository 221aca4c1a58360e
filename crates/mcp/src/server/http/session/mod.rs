//! Sessions of the revisions with a handshake: what the server keeps of a client between its requests.
//!
//! A session is optional and bounded: when no place is free, a client is served without one, and lacks only what needs
//! memory (questions to the client, watched resources, log levels, and streams that can be resumed).

mod log;
mod reader;
mod serve;
mod sessions;

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use http::HeaderName;
use tokio::time::Instant;
use toolmesh_tool::{Caller, CancellationToken};

use self::log::{EventLog, GENERAL};
use crate::{
    jsonrpc::{Notification, RequestId},
    revision::Failure,
    server::{
        McpServer,
        changes::{Change, Changes, ListKind, list_changed, resource_updated},
        peer::Peer,
    },
};

pub(super) use self::{
    reader::Reader,
    serve::{answer, end, stream},
    sessions::{DEFAULT_SESSIONS, Sessions},
};

/// The header that names a session.
pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// The header that names the last event that arrived.
pub(super) const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// How long a session may lie idle before it is forgotten: 24 h.
const MAX_IDLE: Duration = Duration::from_secs(24 * 3_600);

/// How long a session lasts at most: 7 days.
const MAX_AGE: Duration = Duration::from_secs(7 * 24 * 3_600);

/// How long a session has to lie idle, without a stream or a call, before it makes room for another: 1 minute.
const MAY_GO_AFTER: Duration = Duration::from_secs(60);

/// Most calls of one session at once: what the dispatcher runs by default.
pub(super) const MAX_CALLS: usize = 32;

/// Bytes of a session's name: 256 random bits.
const ID_BYTES: usize = 32;

/// One session.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) id: String,
    pub(super) peer: Arc<Peer>,
    caller: Caller,
    log: EventLog,
    calls: Mutex<HashMap<RequestId, CancellationToken>>,
    began: Instant,
    used: Mutex<Instant>,
    /// Changes are written into the general stream.
    follows: AtomicBool,
    ended: CancellationToken,
}

/// A call of a session; it is over when this is dropped.
#[derive(Debug)]
struct Call {
    session: Arc<Session>,
    id: RequestId,
}

impl Session {
    fn new(peer: Arc<Peer>, caller: Caller) -> Option<Self> {
        let mut bytes = [0; ID_BYTES];
        getrandom::fill(&mut bytes).ok()?;
        Some(Self {
            id: URL_SAFE_NO_PAD.encode(bytes),
            peer,
            caller,
            log: EventLog::new(),
            calls: Mutex::default(),
            began: Instant::now(),
            used: Mutex::new(Instant::now()),
            follows: AtomicBool::new(false),
            ended: CancellationToken::new(),
        })
    }

    fn is_current(&self) -> bool {
        self.began.elapsed() < MAX_AGE && locked(&self.used).elapsed() < MAX_IDLE
    }

    fn may_go(&self) -> bool {
        locked(&self.used).elapsed() >= MAY_GO_AFTER && locked(&self.calls).is_empty() && !self.log.is_read()
    }

    fn end(&self) {
        self.ended.cancel();
        self.peer.falls_silent();
        self.log.close();
        locked(&self.calls).values().for_each(CancellationToken::cancel);
    }

    /// Takes note of a call.
    ///
    /// # Errors
    /// [`Failure::InvalidRequest`] for an id that is in use, [`Failure::QueueFull`] for one call too many.
    fn begin(self: &Arc<Self>, id: &RequestId, cancellation: &CancellationToken) -> Result<Call, Failure> {
        let mut calls = locked(&self.calls);
        if calls.contains_key(id) {
            return Err(Failure::InvalidRequest);
        }
        if calls.len() >= MAX_CALLS {
            return Err(Failure::QueueFull);
        }
        calls.insert(id.clone(), cancellation.clone());
        Ok(Call {
            session: Arc::clone(self),
            id: id.clone(),
        })
    }

    /// Takes a notification from the client.
    pub(super) fn notified(&self, notification: &Notification) {
        if notification.method == "notifications/cancelled"
            && let Some(id) = notification.param("requestId").and_then(RequestId::read)
            && let Some(cancellation) = locked(&self.calls).get(&id)
        {
            cancellation.cancel();
        }
    }

    /// Writes changes into the general stream from now on, for as long as the session lasts.
    fn follow(self: &Arc<Self>, server: &McpServer) {
        if self.follows.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut changes = Changes::of(server, &self.caller, self.peer.revision);
        let session = Arc::clone(self);
        tokio::spawn(async move {
            loop {
                let change = tokio::select! {
                    () = session.ended.cancelled() => return,
                    change = changes.next() => change,
                };
                let Some(change) = change else { return };
                for note in session.notes(&change) {
                    session.log.push(GENERAL, note).await;
                }
            }
        });
    }

    /// What the client is told of a change.
    fn notes(&self, change: &Change) -> Vec<Vec<u8>> {
        match change {
            Change::Lists(lists) => ListKind::changed(*lists)
                .map(|list| list_changed(list, |_| {}))
                .collect(),
            Change::Resource(uri) if self.peer.watches(uri) => vec![resource_updated(uri, |_| {})],
            Change::Resource(_) => Vec::new(),
            Change::Resources => {
                let watched = self.peer.watched();
                watched.iter().map(|uri| resource_updated(uri, |_| {})).collect()
            }
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        locked(&self.session.calls).remove(&self.id);
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing here panics while it holds a lock, and every state is whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
