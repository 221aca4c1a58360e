//! Following an upstream server: its changes, its end, and its return.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tokio_util::sync::CancellationToken;
use toolmesh_tool::Mount;

use super::{
    calling::Calling,
    catalogue::list,
    limits::{LONGEST_PAUSE, LOOK_REST, SETTLE, STEADY_AFTER},
    negotiate::Choice,
    pause::Pause,
    peer::{Peer, Reach},
    shared::Shared,
    source::warn,
    subscribing::Subscribing,
};

/// Follows one upstream server until it is told to stop.
pub(super) struct Supervisor {
    pub(super) name: String,
    pub(super) reach: Reach,
    pub(super) choice: Choice,
    pub(super) timeout: Duration,
    pub(super) shared: Arc<Shared>,
    pub(super) mount: Mount,
}

impl Supervisor {
    /// Follows `peer`, whose changes are subscribed to already.
    pub(super) async fn run(self, peer: Arc<Peer>, subscription: Subscription, stop: CancellationToken) {
        let ended = tokio::select! {
            () = self.follow_always(peer, subscription) => false,
            () = stop.cancelled() => true,
        };
        debug_assert!(ended, "following has no end of its own");
        self.shared.connect(None);
    }

    async fn follow_always(&self, mut peer: Arc<Peer>, mut subscription: Subscription) {
        let mut pause = Pause::new();
        loop {
            let began = Instant::now();
            self.follow(&peer, subscription).await;
            tracing::warn!(source = self.name, "the connection to an upstream server is lost");
            self.shared.connect(None);
            drop(peer);
            if began.elapsed() >= STEADY_AFTER {
                pause = Pause::new();
            }
            (peer, subscription) = self.return_to(&mut pause).await;
        }
    }

    /// Follows what the server tells until the connection is lost.
    async fn follow(&self, peer: &Arc<Peer>, subscription: Subscription) {
        let changes = &self.shared.changes;
        let subscribing = Subscribing::new(Arc::clone(peer), Arc::clone(changes));
        tokio::select! {
            () = peer.closed() => {}
            () = self.follow_lists(peer, subscription) => {}
            () = self.follow_resources() => {}
            () = subscribing.keep() => {}
        }
        changes.connected(false);
    }

    /// Takes the lists anew when they change, for as long as it is not dropped.
    async fn follow_lists(&self, peer: &Arc<Peer>, mut subscription: Subscription) {
        let mut pause = Pause::new();
        loop {
            tokio::select! {
                () = self.shared.changes.lists_changed() => tokio::time::sleep(SETTLE).await,
                () = subscription.ended() => {
                    // What changed in between was not told.
                    tokio::time::sleep(pause.next()).await;
                    subscription = Subscription::begin(peer).await;
                }
            }
            let began = Instant::now();
            self.look_again(peer).await;
            let rest = began.elapsed().saturating_mul(LOOK_REST);
            tokio::time::sleep(rest.min(LONGEST_PAUSE)).await;
        }
    }

    /// Passes on that contents changed, for as long as it is not dropped.
    async fn follow_resources(&self) {
        loop {
            for uri in self.shared.changes.next_updated().await {
                self.mount.resource_updated(&uri);
            }
        }
    }

    /// Takes the lists as they are now; while that fails, they stay as they were.
    async fn look_again(&self, peer: &Arc<Peer>) {
        let replaced = match list(peer, &self.shared).await {
            Ok(listing) => {
                warn(&self.name, &listing.survey);
                self.shared
                    .offer(&self.mount, listing.entries)
                    .map_err(|error| error.to_string())
            }
            Err(error) => Err(error.to_string()),
        };
        if let Err(error) = replaced {
            tracing::warn!(
                source = self.name,
                error,
                "the lists of an upstream server stay as they were"
            );
        }
    }

    async fn return_to(&self, pause: &mut Pause) -> (Arc<Peer>, Subscription) {
        loop {
            tokio::time::sleep(pause.next()).await;
            match Peer::connect(&self.reach, self.choice, self.timeout, &self.shared.changes).await {
                Ok(peer) => {
                    let peer = Arc::new(peer);
                    let subscription = Subscription::begin(&peer).await;
                    self.look_again(&peer).await;
                    self.shared.connect(Some(Arc::clone(&peer)));
                    self.shared.changes.connected(true);
                    tracing::info!(source = self.name, "the connection to an upstream server is back");
                    return (peer, subscription);
                }
                Err(error) => {
                    tracing::warn!(source = self.name, %error, "an upstream server cannot be reached")
                }
            }
        }
    }
}

/// The request that the server answers with changes; there is none where it tells without one.
pub(super) struct Subscription(Option<Calling>);

impl Subscription {
    /// Subscribes; to be done before the lists are taken, so that no change between falls through.
    pub(super) async fn begin(peer: &Peer) -> Self {
        match peer.subscribe().await {
            Ok(calling) => Self(calling),
            Err(error) => {
                tracing::debug!(%error, "the changes of an upstream server cannot be followed");
                Self(None)
            }
        }
    }

    /// Ends when the subscription has; never when there is none.
    async fn ended(&mut self) {
        use super::calling::Step;
        let Some(calling) = &mut self.0 else {
            return std::future::pending().await;
        };
        loop {
            if let Step::Ended(ended) = calling.next().await {
                self.0 = None;
                // A server that refuses to tell will not do it for asking again.
                if matches!(ended, Err(super::error::ClientError::Answered(_))) {
                    return std::future::pending().await;
                }
                return;
            }
        }
    }
}
