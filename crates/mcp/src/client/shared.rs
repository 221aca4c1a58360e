//! What the entries of one upstream server share: the connection of the moment.

use std::sync::{Arc, PoisonError, RwLock};

use toolmesh_json::Value;
use toolmesh_tool::{CallContext, CallError, Entries, Mount, MountError, Round};

use super::{
    changes::Changes,
    error::ClientError,
    link::Outgoing,
    parking::Parking,
    peer::Peer,
    prefix::{Prefixed, Web},
    turn::Turn,
};

/// What the entries of one upstream server share.
pub(super) struct Shared {
    peer: RwLock<Option<Arc<Peer>>>,
    pub(super) parking: Parking,
    pub(super) prefixed: Prefixed,
    /// What changed there, and what is followed.
    pub(super) changes: Arc<Changes>,
}

impl Shared {
    pub(super) fn new(prefixed: Prefixed) -> Self {
        Self {
            peer: RwLock::default(),
            parking: Parking::default(),
            prefixed,
            changes: Changes::new(),
        }
    }

    /// Offers what the server lists now, and nothing else of it.
    ///
    /// # Errors
    /// [`MountError`]; then what was offered before still is.
    pub(super) fn offer(&self, mount: &Mount, entries: Entries) -> Result<(), MountError> {
        let listed = Web::of(&entries);
        mount.replace(entries)?;
        self.prefixed.lists(listed);
        Ok(())
    }

    /// The connection, when there is one.
    pub(super) fn peer(&self) -> Result<Arc<Peer>, ClientError> {
        let peer = self.peer.read().unwrap_or_else(PoisonError::into_inner);
        peer.clone().ok_or_else(ClientError::closed)
    }

    /// Calls go over this connection from now on; over none, they fail at once.
    pub(super) fn connect(&self, peer: Option<Arc<Peer>>) {
        let former = {
            let mut current = self.peer.write().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *current, peer)
        };
        // Dropped outside of the lock: the end of a connection ends its calls.
        drop(former);
    }

    /// One round of something that is no tool: what `read` makes of the result, or what the server asks first.
    pub(super) async fn round<T>(
        &self,
        request: Outgoing,
        context: &CallContext,
        read: impl FnOnce(&Value) -> Result<T, ClientError>,
    ) -> Result<Round<T>, CallError> {
        match self.turn(context, request).await? {
            Turn::Asked(input) => Ok(input.into()),
            Turn::Ended(ended) => {
                let done = ended.and_then(|result| read(&result));
                done.map(Round::Done).map_err(ClientError::into_call_error)
            }
        }
    }
}
