//! Subscribing at an upstream server to the resources that somebody here follows, as long as a connection lasts.
//!
//! In the revisions with a handshake each resource is subscribed to by a request of its own. In the stateless one they are
//! named by the request whose answer the changes come in: when others are followed, another such request begins, and the
//! one before ends when that is acknowledged, so that no change falls between.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use futures_util::{StreamExt as _, stream};
use tokio::time::Instant;
use toolmesh_json::Value;

use super::{
    calling::{Calling, Note, Step},
    changes::Changes,
    error::ClientError,
    limits::{MAX_SUBSCRIBING, NOTICE_TIMEOUT},
    pause::Pause,
    peer::Peer,
};

/// Keeps what a server is subscribed to in step with what is followed.
pub(super) struct Subscribing {
    peer: Arc<Peer>,
    changes: Arc<Changes>,
    /// What the server tells of.
    kept: BTreeSet<String>,
    /// What it refuses to tell of.
    refused: BTreeSet<String>,
    /// What it could not be asked for; asked again after a pause, so that it holds up nothing that is new.
    failed: BTreeSet<String>,
    /// The request whose answer the changes come in (2026-07-28).
    stream: Option<Calling>,
}

impl Subscribing {
    pub(super) fn new(peer: Arc<Peer>, changes: Arc<Changes>) -> Self {
        Self {
            peer,
            changes,
            kept: BTreeSet::new(),
            refused: BTreeSet::new(),
            failed: BTreeSet::new(),
            stream: None,
        }
    }

    /// Goes on until it is dropped. What was followed before may have changed while nobody was told, so it counts as
    /// changed.
    pub(super) async fn keep(mut self) {
        let mut wanted = self.changes.wanted();
        let mut before = self.changes.followed().1;
        let (mut pause, mut retry) = (Pause::new(), Retry::default());
        loop {
            wanted.borrow_and_update();
            let (version, followed) = self.changes.followed();
            self.bring_to(&followed).await;
            retry.after(!self.failed.is_empty());
            self.changes.are_known(version, self.refused.clone());
            before.retain(|uri| {
                let is_back = self.kept.contains(uri);
                if is_back {
                    self.changes.updated(uri);
                }
                !is_back && followed.contains(uri)
            });
            tokio::select! {
                // The sender lives as long as the changes do.
                _ = wanted.changed() => {}
                // A server that cannot be asked now has refused nothing.
                () = retry.come() => self.failed.clear(),
                () = ended(&mut self.stream) => {
                    before.append(&mut self.kept);
                    tokio::time::sleep(pause.next()).await;
                }
            }
        }
    }

    /// Asks for what is new, and gives up what is followed no more.
    async fn bring_to(&mut self, followed: &BTreeSet<String>) {
        let agreed = self.peer.agreed();
        let (stateless, subscribes) = (agreed.spoken.is_stateless(), agreed.subscribes);
        self.refused.retain(|uri| followed.contains(uri));
        self.failed.retain(|uri| followed.contains(uri));
        // A server that does not tell of single resources is no reason to refuse anybody.
        if !subscribes {
            return;
        }
        let new = self.not_known(followed);
        let gone: Vec<String> = self.kept.difference(followed).cloned().collect();
        if stateless && !(new.is_empty() && gone.is_empty()) {
            self.listen(followed).await;
        } else if !stateless {
            // What a server goes on telling of is not passed on, so a failure of this does no harm.
            each(&self.peer, "resources/unsubscribe", gone).await;
            for (answer, uri) in each(&self.peer, "resources/subscribe", new).await {
                match answer {
                    Ok(_) => self.kept.insert(uri),
                    Err(error) if is_refusal(&error) => self.refused.insert(uri),
                    Err(_) => self.failed.insert(uri),
                };
            }
            self.kept.retain(|uri| followed.contains(uri));
        }
    }

    /// What the server was not asked for yet.
    fn not_known(&self, followed: &BTreeSet<String>) -> Vec<String> {
        let is_known = |uri: &String| {
            [&self.kept, &self.refused, &self.failed]
                .iter()
                .any(|of| of.contains(uri))
        };
        followed.iter().filter(|uri| !is_known(uri)).cloned().collect()
    }

    /// Begins a stream for these, and ends the one before.
    async fn listen(&mut self, followed: &BTreeSet<String>) {
        let wanted: BTreeSet<String> = followed.difference(&self.refused).cloned().collect();
        if wanted.is_empty() {
            (self.stream, self.kept) = (None, wanted);
            return;
        }
        let begun = self.peer.listen_to(&wanted).await;
        let honoured = match begun {
            Ok(mut calling) => match honoured(&mut calling, NOTICE_TIMEOUT).await {
                Ok(honoured) => {
                    self.stream = Some(calling);
                    // A server that has not said so in time may still tell.
                    Ok(honoured.unwrap_or_else(|| wanted.clone()))
                }
                Err(error) => Err(error),
            },
            Err(error) => Err(error),
        };
        match honoured {
            Ok(honoured) => {
                self.refused.extend(wanted.difference(&honoured).cloned());
                self.kept = wanted.intersection(&honoured).cloned().collect();
            }
            Err(error) => {
                tracing::debug!(%error, "an upstream server does not subscribe");
                let unanswered = wanted.difference(&self.kept).cloned();
                if is_refusal(&error) {
                    self.refused.extend(unanswered);
                } else {
                    self.failed.extend(unanswered);
                }
                self.kept.retain(|uri| followed.contains(uri));
            }
        }
    }
}

/// When what failed is tried again.
struct Retry {
    pause: Pause,
    at: Option<Instant>,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            pause: Pause::new(),
            at: None,
        }
    }
}

impl Retry {
    /// Takes note whether anything has failed. Pauses grow as long as something does.
    fn after(&mut self, has_failed: bool) {
        if !has_failed {
            *self = Self::default();
        } else if self.at.is_none() {
            self.at = Some(Instant::now() + self.pause.next());
        }
    }

    /// Waits for the next try; for ever when nothing has failed.
    async fn come(&mut self) {
        match self.at {
            Some(at) => tokio::time::sleep_until(at).await,
            None => std::future::pending().await,
        }
        self.at = None;
    }
}

/// Asks for each of these, and gives what became of it.
async fn each(
    peer: &Peer,
    method: &'static str,
    uris: Vec<String>,
) -> Vec<(Result<Value, ClientError>, String)> {
    let asked = stream::iter(uris).map(|uri| async move {
        let params = Value::object().put("uri", uri.as_str());
        let asked = tokio::time::timeout(NOTICE_TIMEOUT, peer.ask(method, params)).await;
        let answer = asked.unwrap_or(Err(ClientError::TimedOut));
        if let Err(error) = &answer {
            tracing::debug!(%error, method, "an upstream server does not subscribe");
        }
        (answer, uri)
    });
    asked.buffer_unordered(MAX_SUBSCRIBING).collect().await
}

/// Whether a server has said no, and not only could not be asked.
fn is_refusal(error: &ClientError) -> bool {
    match error {
        ClientError::Answered(_) | ClientError::Unauthorized(_) | ClientError::Protocol(_) => true,
        // But for one that takes too long, or comes too often.
        ClientError::Status(status) => (400..500).contains(status) && !matches!(status, 408 | 429),
        _ => false,
    }
}

/// Of what the server says that it will tell; `None` when it says nothing in time.
async fn honoured(calling: &mut Calling, within: Duration) -> Result<Option<BTreeSet<String>>, ClientError> {
    let told = async {
        loop {
            match calling.next().await {
                Step::Note(Note::Acknowledged(uris)) => return Ok(uris),
                Step::Note(_) => {}
                Step::Ended(Err(error)) => return Err(error),
                Step::Ended(Ok(_)) => return Err(ClientError::Protocol("a subscription ended as it began")),
            }
        }
    };
    match tokio::time::timeout(within, told).await {
        Ok(told) => told.map(Some),
        Err(_) => Ok(None),
    }
}

/// Ends when the stream has; never when there is none.
async fn ended(stream: &mut Option<Calling>) {
    let Some(calling) = stream else {
        return std::future::pending().await;
    };
    loop {
        if let Step::Ended(_) = calling.next().await {
            *stream = None;
            return;
        }
    }
}
