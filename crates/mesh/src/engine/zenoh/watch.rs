//! Tells the operator which places are not connected, and why; and when the own certificate ends.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use tokio::{runtime::Handle, sync::watch};
use tokio_util::task::AbortOnDropHandle;
use zenoh::{Session, Wait};

use super::{
    apart,
    knock::{Unreachable, addresses, connect, knock},
};
use crate::engine::Credentials;

/// When a place is looked at first: by then one that can be connected is.
const FIRST: Duration = Duration::from_millis(300);

/// How soon a place is looked at again, and how seldom at last: as often as the network itself tries to connect. The pause
/// doubles in between, and is short again as soon as the place is connected, so that its loss is told soon.
const PAUSE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(4));

/// How long a connection may take to come about where nothing speaks against one.
const SOON: Duration = Duration::from_secs(1);

/// A node or router, until it leaves.
pub(super) trait Linked: Send + Sync {
    /// Whether it has not left.
    fn is_there(&self) -> bool;

    /// The addresses, as `HOST:PORT`, that it is connected to; `None` when it has left. It waits, and may not do so on a runtime.
    fn links(&self) -> Option<Vec<String>>;
}

/// The addresses, as `HOST:PORT`, that a session is connected to.
pub(super) fn linked(session: &Session) -> Vec<String> {
    let links = session.info().links().wait();
    links
        .map(|link| link.dst().address().as_str().to_owned())
        .collect()
}

/// Looks at places until it is dropped, at each by itself, so that one that does not answer holds up no other; and at the own
/// certificate.
pub(super) struct Watch {
    _looking: Vec<AbortOnDropHandle<()>>,
    places: Vec<String>,
    /// What was seen of each place.
    seen: Vec<watch::Receiver<Seen>>,
}

/// What all places have in common.
struct Watched {
    credentials: Option<Arc<Credentials>>,
    node: Box<dyn Linked>,
}

/// What was seen of a place.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Seen {
    /// It was not looked at yet.
    Nothing,
    /// It is connected.
    Connected,
    /// It is not, for this reason.
    Apart(String),
}

impl Watch {
    /// Watches places, as `HOST:PORT`.
    pub(super) fn begin(
        runtime: &Handle,
        places: &[String],
        credentials: Option<Arc<Credentials>>,
        node: impl Linked + 'static,
    ) -> Self {
        let node = Box::new(node);
        let watched = Arc::new(Watched { credentials, node });
        let look = |place: &String| {
            let (sender, seen) = watch::channel(Seen::Nothing);
            let looking = runtime.spawn(look_again(place.clone(), Arc::clone(&watched), sender));
            (AbortOnDropHandle::new(looking), seen)
        };
        let (mut looking, seen): (Vec<_>, _) = places.iter().map(look).unzip();
        // At once: a program that looks around and ends would not hear of it later.
        let credentials = watched.credentials.as_ref();
        let told = credentials.and_then(|credentials| credentials.tell_of_its_end(None));
        looking.push(AbortOnDropHandle::new(
            runtime.spawn(tell_of_an_end(watched, told)),
        ));
        Self {
            _looking: looking,
            places: places.to_vec(),
            seen,
        }
    }

    /// Waits until each place was looked at, and so until it is told why it is not connected.
    pub(super) async fn has_looked(&self) {
        for seen in &self.seen {
            // Its task ends with the node.
            let _ = seen.clone().wait_for(|seen| *seen != Seen::Nothing).await;
        }
    }

    /// The places, as `HOST:PORT`, that are connected, and those that are not, with their reasons.
    pub(super) fn found(&self) -> (Vec<String>, Vec<String>) {
        let (mut connected, mut apart) = (Vec::new(), Vec::new());
        for (place, seen) in self.places.iter().zip(&self.seen) {
            match &*seen.borrow() {
                Seen::Connected => connected.push(place.clone()),
                Seen::Apart(why) => apart.push(format!("{place}: {why}")),
                Seen::Nothing => apart.push(format!("{place}: it did not answer in time")),
            }
        }
        (connected, apart)
    }
}

/// Tells in time that the own certificate ends; what was told of it is not told again.
async fn tell_of_an_end(watched: Arc<Watched>, told: Option<Duration>) {
    if let Some(credentials) = &watched.credentials {
        credentials
            .go_on_telling_of_its_end(told, || watched.node.is_there())
            .await;
    }
}

async fn look_again(place: String, watched: Arc<Watched>, seen: watch::Sender<Seen>) {
    tokio::time::sleep(FIRST).await;
    let (first, last) = PAUSE;
    let (mut pause, mut told) = (first, None);
    let mut at = Vec::new();
    loop {
        let watched = Arc::clone(&watched);
        let mut look = Look {
            place: place.clone(),
            at: std::mem::take(&mut at),
        };
        let looked = apart(move || {
            let found = look.look(&watched);
            Ok((look.at, found))
        });
        match looked.await {
            Ok((_, None)) => return,
            Ok((led_to, Some(found))) => {
                at = led_to;
                let (is_connected, now) = match &found {
                    Found::Connected => (true, Seen::Connected),
                    Found::Not(why) => (false, Seen::Apart(why.to_string())),
                };
                tell(&mut told, &place, found);
                seen.send_replace(now);
                pause = if is_connected { first } else { pause };
            }
            // The system gives no thread now; it may later.
            Err(error) => tracing::debug!(%error, place, "a place cannot be looked at"),
        }
        tokio::time::sleep(pause).await;
        pause = last.min(pause * 2);
    }
}

/// A place, and where its name led when it was looked at last.
struct Look {
    place: String,
    at: Vec<SocketAddr>,
}

/// How a place is.
enum Found {
    Connected,
    Not(Unreachable),
}

impl Look {
    /// How the place is; `None` when the node has left.
    fn look(&mut self, watched: &Watched) -> Option<Found> {
        let links = watched.node.links()?;
        if self.is_linked(&links) {
            return Some(Found::Connected);
        }
        // Names may lead elsewhere than they did.
        self.at = match addresses(&self.place) {
            Ok(at) => at,
            Err(why) => return Some(Found::Not(why)),
        };
        if self.is_linked(&links) {
            return Some(Found::Connected);
        }
        if let Some(why) = why(&self.at, &links, watched.credentials.as_deref()) {
            return Some(Found::Not(why));
        }
        std::thread::sleep(SOON);
        let is_linked = self.is_linked(&watched.node.links()?);
        Some(if is_linked {
            Found::Connected
        } else {
            Found::Not(Unreachable::NoNode)
        })
    }

    fn is_linked(&self, links: &[String]) -> bool {
        self.at.iter().any(|address| links.contains(&address.to_string()))
    }
}

/// Why nothing is connected at any of these addresses.
fn why(at: &[SocketAddr], links: &[String], credentials: Option<&Credentials>) -> Option<Unreachable> {
    if credentials.is_none() && !links.is_empty() {
        // Who has no certificate and is connected somewhere does not need one: only whether somebody is there is asked.
        return connect(at).err();
    }
    knock(at, credentials).err()
}

/// Why none of these places can be connected to, for an error.
pub(super) fn why_not(places: &[String], credentials: Option<&Credentials>) -> String {
    let why_not = |place: &String| match addresses(place) {
        Ok(at) => why(&at, &[], credentials),
        Err(why) => Some(why),
    };
    let each = places.iter().map(|place| match why_not(place) {
        Some(why) => format!("{place}: {why}"),
        None => format!("{place}: {}", Unreachable::NoNode),
    });
    each.collect::<Vec<_>>().join("; ")
}

/// Tells once what is new.
fn tell(told: &mut Option<String>, place: &str, found: Found) {
    match found {
        Found::Not(why) => {
            let why = why.to_string();
            if told.as_ref() != Some(&why) {
                tracing::warn!("not connected to {place}, and trying again: {why}");
                *told = Some(why);
            }
        }
        Found::Connected => {
            if told.take().is_some() {
                tracing::info!(%place, "what was in the way of a connection is gone");
            }
        }
    }
}
