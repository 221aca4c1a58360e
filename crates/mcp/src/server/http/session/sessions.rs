//! The sessions of one endpoint.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use tokio::time::Instant;
use toolmesh_tool::Caller;

use super::{Session, locked, log::GENERAL};
use crate::server::peer::Peer;

/// Most sessions at once unless set otherwise: 256.
pub(in crate::server::http) const DEFAULT_SESSIONS: usize = 256;

/// Most sessions of one authenticated caller: 16. Callers whom nobody authenticated share the bound of all.
pub(in crate::server::http) const MAX_SESSIONS_EACH: usize = 16;

/// The sessions of one endpoint.
#[derive(Debug)]
pub(in crate::server::http) struct Sessions {
    most: usize,
    open: Mutex<HashMap<String, Arc<Session>>>,
}

impl Sessions {
    pub(in crate::server::http) fn new(most: usize) -> Self {
        Self {
            most,
            open: Mutex::default(),
        }
    }

    /// Whether there are sessions at all.
    pub(in crate::server::http) fn are_kept(&self) -> bool {
        self.most > 0
    }

    /// Opens a session; `None` when there is no room for one.
    pub(in crate::server::http) fn open(&self, peer: Arc<Peer>, caller: &Caller) -> Option<Arc<Session>> {
        let mut open = locked(&self.open);
        open.retain(|_, session| {
            let current = session.is_current();
            if !current {
                session.end();
            }
            current
        });
        let own = open.values().filter(|session| session.caller.is(caller)).count();
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
    pub(in crate::server::http) fn find(&self, id: &str, caller: &Caller) -> Option<Arc<Session>> {
        let mut open = locked(&self.open);
        let session = open.get(id).filter(|session| session.caller.is(caller))?;
        if !session.is_current() {
            open.remove(id)?.end();
            return None;
        }
        *locked(&session.used) = Instant::now();
        Some(Arc::clone(session))
    }

    /// Ends a session.
    pub(in crate::server::http) fn remove(&self, session: &Session) {
        let removed = locked(&self.open).remove(&session.id);
        session.end();
        drop(removed);
    }

    /// Ends every session, and cancels its calls.
    pub(in crate::server::http) fn end_all(&self) {
        let open = std::mem::take(&mut *locked(&self.open));
        open.values().for_each(|session| session.end());
    }

    /// Ends what would go on for ever, general streams and questions that nobody can answer any more; calls are finished.
    pub(in crate::server::http) fn close(&self) {
        for session in locked(&self.open).values() {
            session.peer.falls_silent();
            session.log.finish(GENERAL);
        }
    }
}

impl Drop for Sessions {
    fn drop(&mut self) {
        self.end_all();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use toolmesh_tool::{CancellationToken, Transport};

    use super::{
        super::{MAX_CALLS, MAX_IDLE, MAY_GO_AFTER},
        *,
    };
    use crate::{
        jsonrpc::RequestId,
        revision::{Failure, NEWEST_HANDSHAKE},
    };

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

    #[tokio::test(start_paused = true)]
    async fn a_session_that_lay_idle_too_long_is_ended_when_another_opens() {
        let sessions = Sessions::new(2);
        let session = open(&sessions, &anonymous()).unwrap();
        tokio::time::advance(MAX_IDLE).await;
        assert!(open(&sessions, &anonymous()).is_some());
        assert!(session.ended.is_cancelled());
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
