//! Which revision a request on stdio speaks.

use std::sync::Arc;

use toolmesh_json::View;

use super::connection::Connection;
use crate::{
    jsonrpc::Request,
    revision::{Failure, NEWEST_HANDSHAKE, NEWEST_STATELESS, Revision},
    server::{
        changes::Changes,
        client_facts::{ClientFacts, STATELESS_KEYS, VERSION_KEY},
        fault::Fault,
        method::lifecycle::negotiate,
        peer::Peer,
    },
};

/// The revision, and what is known of the client; or the fault with the revision that tells it.
type Selected = Result<(&'static Revision, Arc<ClientFacts>), (&'static Revision, Fault)>;

impl Connection {
    /// The revision of a request: that of its own `_meta`, else that of the handshake. Before a handshake the newest
    /// revision that has one answers, for a client of which nothing is known.
    pub(super) fn select(&mut self, request: &Request) -> Selected {
        if STATELESS_KEYS.iter().any(|key| request.meta(key).is_some()) {
            return stateless(request);
        }
        if request.method == "initialize" {
            let revision = negotiate(request);
            let params = request.params.as_ref().map(Into::into);
            let facts = ClientFacts::of_handshake(params).map_err(|failure| (revision, failure.into()))?;
            let facts = Arc::new(facts);
            self.peer = Some(Arc::new(Peer::new(revision, Arc::clone(&facts))));
            self.changes = Some(Changes::of(&self.server, &Self::caller(), revision));
            return Ok((revision, facts));
        }
        match &self.peer {
            Some(peer) => Ok((peer.revision, Arc::clone(&peer.facts))),
            None => Ok((NEWEST_HANDSHAKE, Arc::default())),
        }
    }
}

/// The revision of a request that describes itself, and what it says of its client.
fn stateless(request: &Request) -> Selected {
    let version = request.meta(VERSION_KEY).and_then(View::as_str);
    let version = version.ok_or((NEWEST_STATELESS, Failure::InvalidParams.into()))?;
    let unsupported = || (NEWEST_STATELESS, Fault::unsupported_version(version));
    let revision = Revision::find(version).ok_or_else(unsupported)?;
    let facts = ClientFacts::of_request(request.meta.as_ref().map(Into::into));
    let facts = facts.map_err(|failure| (revision, failure.into()))?;
    Ok((revision, Arc::new(facts)))
}
