//! Following what happens on a node, as long as somebody holds the source.

use std::collections::HashSet;
use std::sync::Weak;
use std::time::Duration;

use super::Shared;
use crate::node::{EventSocket, EventStream, NodeError, NodeEvent, Topics};

/// How long after a lost connection another one is tried: what the node asks for.
const RETRY: Duration = Duration::from_secs(3);

/// How often new contexts are looked for.
const LOOK: Duration = Duration::from_secs(30);

/// The way in which a node tells what happens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EventChannel {
    /// Server-sent events, and a WebSocket where the node has none.
    #[default]
    Any,
    /// Server-sent events; a broken connection goes on with its session.
    ServerSent,
    /// A WebSocket; a broken connection begins anew.
    WebSocket,
    /// None: events are not followed.
    Off,
}

/// A name that is no channel's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no way to be told of events; there are any, sse, websocket and off")]
pub struct UnknownEventChannel(String);

impl std::str::FromStr for EventChannel {
    type Err = UnknownEventChannel;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "any" => Ok(Self::Any),
            "sse" => Ok(Self::ServerSent),
            "websocket" => Ok(Self::WebSocket),
            "off" => Ok(Self::Off),
            other => Err(UnknownEventChannel(other.to_owned())),
        }
    }
}

/// An open connection of either kind.
enum Connection {
    Stream(EventStream),
    Socket(EventSocket),
}

impl Connection {
    async fn open(shared: &Shared, last: Option<&str>) -> Result<Self, NodeError> {
        let socket = async || shared.node.event_socket().await.map(Self::Socket);
        if shared.events == EventChannel::WebSocket {
            return socket().await;
        }
        match shared.node.events(last).await {
            Err(error) if shared.events == EventChannel::Any && error.status() == Some(404) => socket().await,
            opened => opened.map(Self::Stream),
        }
    }

    async fn subscribe(&mut self, shared: &Shared, topics: &Topics) -> Result<(), NodeError> {
        match self {
            Self::Stream(stream) => shared.node.subscribe(stream.session(), topics).await,
            Self::Socket(socket) => socket.subscribe(topics).await,
        }
    }

    async fn next(&mut self) -> Result<Option<NodeEvent>, NodeError> {
        match self {
            Self::Stream(stream) => stream.next().await,
            Self::Socket(socket) => socket.next().await,
        }
    }

    /// By what another connection goes on.
    fn last_id(&self) -> Option<String> {
        match self {
            Self::Stream(stream) => stream.last_id().map(str::to_owned),
            Self::Socket(_) => None,
        }
    }
}

/// Follows what happens.
pub(super) async fn follow(shared: Weak<Shared>) {
    let mut last = None;
    loop {
        let Some(strong) = shared.upgrade() else {
            return;
        };
        // An ordinary request first: it renews a token that ended.
        let opened = match strong.topics().await {
            Ok(_) => Connection::open(&strong, last.as_deref()).await,
            Err(error) => Err(error),
        };
        drop(strong);
        let pause = if opened.is_ok() { RETRY } else { LOOK };
        match opened {
            Ok(mut connection) => {
                if let Err(error) = listen(&shared, &mut connection).await {
                    tracing::debug!(%error, "the node's events broke off");
                }
                last = connection.last_id();
            }
            Err(error) => {
                tracing::debug!(%error, "the node tells no events");
                // A session that is gone does not come back.
                last = None;
            }
        }
        tokio::time::sleep(pause).await;
    }
}

/// Listens to one connection; what is new is subscribed to as it comes.
async fn listen(shared: &Weak<Shared>, connection: &mut Connection) -> Result<(), NodeError> {
    let mut subscribed = Subscribed::default();
    let mut looks = tokio::time::interval(LOOK);
    loop {
        tokio::select! {
            _ = looks.tick() => {
                let Some(shared) = shared.upgrade() else { return Ok(()) };
                let new = subscribed.new_among(shared.topics().await?);
                if !new.is_empty() {
                    connection.subscribe(&shared, &new).await?;
                    subscribed.add(new);
                }
            }
            event = connection.next() => {
                let Some(event) = event? else { return Ok(()) };
                let Some(shared) = shared.upgrade() else { return Ok(()) };
                shared.happened(&event).await;
            }
        }
    }
}

/// What one connection is subscribed to.
#[derive(Default)]
struct Subscribed {
    contexts: HashSet<String>,
    groups: HashSet<String>,
}

impl Subscribed {
    fn new_among(&self, topics: Topics) -> Topics {
        let new = |ids: Vec<String>, known: &HashSet<String>| {
            ids.into_iter().filter(|id| !known.contains(id)).collect()
        };
        Topics {
            contexts: new(topics.contexts, &self.contexts),
            groups: new(topics.groups, &self.groups),
        }
    }

    fn add(&mut self, topics: Topics) {
        self.contexts.extend(topics.contexts);
        self.groups.extend(topics.groups);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_channel_has_its_name_and_another_name_is_told() {
        for (name, channel) in [
            ("any", EventChannel::Any),
            ("sse", EventChannel::ServerSent),
            ("websocket", EventChannel::WebSocket),
            ("off", EventChannel::Off),
        ] {
            assert_eq!(name.parse(), Ok(channel));
        }
        assert_eq!(
            "ws".parse::<EventChannel>().unwrap_err().to_string(),
            "`ws` is no way to be told of events; there are any, sse, websocket and off"
        );
    }
}
