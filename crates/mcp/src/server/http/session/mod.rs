//! Sessions of the revisions with a handshake: what the server keeps of a client between its requests.
//!
//! A session is optional and bounded: when no place is free, a client is served without one, and lacks only what needs
//! memory (questions to the client, watched resources, log levels, and streams that can be resumed).

mod log;
mod reader;
mod serve;

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
use toolmesh_tool::{Caller, CancellationToken, Dispatcher};

use self::log::{EventLog, GENERAL};
use crate::{
    jsonrpc::{Notification, RequestId},
    revision::Failure,
    server::{
        changes::{Change, Changes, ListKind, list_changed, resource_updated},
        peer::Peer,
    },
};

pub(super) use self::{
    reader::Reader,
    serve::{answer, end, stream},
};

/// The header that names a session.
pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// The header that names the last event that arrived.
pub(super) const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// Most sessions at once unless set otherwise: 256.
pub(super) const DEFAULT_SESSIONS: usize = 256;

/// Most sessions of one authenticated caller: 16. Callers whom nobody authenticated share the bound of all.
pub(super) const MAX_SESSIONS_EACH: usize = 16;

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

/// The sessions of one endpoint.
#[derive(Debug)]
pub(super) struct Sessions {
    most: usize,
    open: Mutex<HashMap<String, Arc<Session>>>,
}

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

impl Sessions {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            open: Mutex::default(),
        }
    }

    /// Whether there are sessions at all.
    pub(super) fn are_kept(&self) -> bool {
        self.most > 0
    }

    /// Opens a session; `None` when there is no room for one.
    pub(super) fn open(&self, peer: Arc<Peer>, caller: &Caller) -> Option<Arc<Session>> {
        let mut open = locked(&self.open);
        open.retain(|_, session| session.is_current());
        let own = open.values().filter(|session| session.caller == *caller).count();
        if caller.identity.is_some() && own >= MAX_SESSIONS_EACH {
            return None;
        }
        if open.len() >= self.most {
            let idlest = open.values().filter(|session| session.may_go());
            let idlest = idlest.min_by_key(|session| *locked(&session.used))?.id.clone();
            open.remove(&idlest)?.end();
        }
        let session = Arc::new(Session::new(peer, caller.clone())?);
        open.insert(session.id.clone(), Arc::clone(&session));
        Some(session)
    }

    /// The caller's session of this name; it counts as used.
    pub(super) fn find(&self, id: &str, caller: &Caller) -> Option<Arc<Session>> {
        let mut open = locked(&self.open);
        let session = open.get(id).filter(|session| session.caller == *caller)?;
        if !session.is_current() {
            open.remove(id)?.end();
            return None;
        }
        *locked(&session.used) = Instant::now();
        Some(Arc::clone(session))
    }

    /// Ends a session.
    pub(super) fn remove(&self, session: &Session) {
        let removed = locked(&self.open).remove(&session.id);
        session.end();
        drop(removed);
    }

    /// Ends every session, and cancels its calls.
    pub(super) fn end_all(&self) {
        let open = std::mem::take(&mut *locked(&self.open));
        open.values().for_each(|session| session.end());
    }

    /// Ends the general streams, so that nothing goes on for ever; calls are finished.
    pub(super) fn close(&self) {
        locked(&self.open)
            .values()
            .for_each(|session| session.log.finish(GENERAL));
    }
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
    fn follow(self: &Arc<Self>, dispatcher: &Dispatcher) {
        if self.follows.swap(true, Ordering::Relaxed) {
            return;
        }
        let (session, mut changes) = (Arc::clone(self), Changes::of(dispatcher));
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
            Change::Lists(lists) => ListKind::changed(lists)
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

#[cfg(test)]
mod tests {
    use toolmesh_tool::Transport;

    use super::*;
    use crate::revision::NEWEST_HANDSHAKE;

    fn open(sessions: &Sessions, caller: &Caller) -> Option<Arc<Session>> {
        sessions.open(Arc::new(Peer::new(NEWEST_HANDSHAKE, Arc::default())), caller)
    }

    fn anonymous() -> Caller {
        Caller::anonymous(Transport::Http)
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_makes_room_only_when_it_lies_idle() {
        let sessions = Sessions::new(2);
        let (first, second) = (
            open(&sessions, &anonymous()).unwrap(),
            open(&sessions, &anonymous()).unwrap(),
        );
        assert!(open(&sessions, &anonymous()).is_none());
        tokio::time::advance(MAY_GO_AFTER).await;
        assert!(sessions.find(&first.id, &anonymous()).is_some());
        assert!(open(&sessions, &anonymous()).is_some());
        assert!(sessions.find(&second.id, &anonymous()).is_none());
        assert!(sessions.find(&first.id, &anonymous()).is_some());
        let call = first.begin(&RequestId::Text("1".into()), &CancellationToken::new());
        tokio::time::advance(MAY_GO_AFTER * 2).await;
        assert!(open(&sessions, &anonymous()).is_some());
        assert!(sessions.find(&first.id, &anonymous()).is_some());
        drop(call);
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_ends_by_idleness_and_by_age() {
        let sessions = Sessions::new(2);
        let session = open(&sessions, &anonymous()).unwrap();
        tokio::time::advance(MAX_IDLE - Duration::from_secs(1)).await;
        assert!(sessions.find(&session.id, &anonymous()).is_some());
        tokio::time::advance(MAX_IDLE).await;
        assert!(sessions.find(&session.id, &anonymous()).is_none());
        let session = open(&sessions, &anonymous()).unwrap();
        for _ in 0..7 {
            assert!(sessions.find(&session.id, &anonymous()).is_some());
            tokio::time::advance(MAX_IDLE - Duration::from_millis(1)).await;
        }
        tokio::time::advance(Duration::from_millis(7)).await;
        assert!(sessions.find(&session.id, &anonymous()).is_none());
    }

    #[tokio::test]
    async fn a_session_is_its_callers_own_and_a_caller_has_few() {
        let sessions = Sessions::new(100);
        let ada = Caller::authenticated("ada", Transport::Http);
        let session = open(&sessions, &ada).unwrap();
        assert!(sessions.find(&session.id, &anonymous()).is_none());
        assert!(
            sessions
                .find(&session.id, &Caller::authenticated("alan", Transport::Http))
                .is_none()
        );
        for _ in 1..MAX_SESSIONS_EACH {
            assert!(open(&sessions, &ada).is_some());
        }
        assert!(open(&sessions, &ada).is_none());
        assert!(open(&sessions, &anonymous()).is_some());
    }

    #[tokio::test]
    async fn calls_of_a_session_have_distinct_ids_and_a_bound() {
        let sessions = Sessions::new(1);
        let session = open(&sessions, &anonymous()).unwrap();
        let token = CancellationToken::new();
        let id = |number: usize| RequestId::Text(number.to_string());
        let calls: Vec<_> = (0..MAX_CALLS)
            .map(|n| session.begin(&id(n), &token).unwrap())
            .collect();
        assert_eq!(
            session.begin(&id(0), &token).unwrap_err(),
            Failure::InvalidRequest
        );
        assert_eq!(
            session.begin(&id(MAX_CALLS), &token).unwrap_err(),
            Failure::QueueFull
        );
        drop(calls);
        assert!(session.begin(&id(0), &token).is_ok());
    }
}
