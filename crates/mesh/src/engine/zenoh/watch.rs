//! Tells the operator which places are not connected, and why.

use std::{collections::HashMap, sync::Arc, time::Duration};

use tokio::{runtime::Handle, task::AbortHandle};
use zenoh::{Session, Wait};

use super::{
    apart,
    knock::{Unreachable, addresses, connect, knock},
};
use crate::engine::Credentials;

/// How long places are left alone at first, and at last; the pause doubles in between. What is lost later is told within
/// the longest.
const PAUSE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(32));

/// The addresses, as `HOST:PORT`, that are connected; `None` when the node has left.
pub(super) type Links = Box<dyn Fn() -> Option<Vec<String>> + Send + Sync>;

/// The addresses, as `HOST:PORT`, that a session is connected to.
pub(super) fn linked(session: &Session) -> Vec<String> {
    let links = session.info().links().wait();
    links
        .map(|link| link.dst().address().as_str().to_owned())
        .collect()
}

/// Looks at places until it is dropped.
pub(super) struct Watch(AbortHandle);

/// What is looked at.
struct Places {
    places: Vec<String>,
    credentials: Option<Arc<Credentials>>,
    links: Links,
}

impl Watch {
    /// Watches places, as `HOST:PORT`; `None` when there are none.
    pub(super) fn begin(
        runtime: &Handle,
        places: Vec<String>,
        credentials: Option<Arc<Credentials>>,
        links: Links,
    ) -> Option<Self> {
        let watched = Arc::new(Places {
            places,
            credentials,
            links,
        });
        let watching = (!watched.places.is_empty()).then(|| runtime.spawn(look_again(watched)));
        Some(Self(watching?.abort_handle()))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn look_again(watched: Arc<Places>) {
    let (mut pause, last) = PAUSE;
    let mut told = HashMap::new();
    loop {
        tokio::time::sleep(pause).await;
        pause = last.min(pause * 2);
        let places = Arc::clone(&watched);
        let Ok(Some(found)) = apart(move || Ok(places.look())).await else {
            return;
        };
        for (place, why) in found {
            tell(&mut told, place, why);
        }
    }
}

impl Places {
    /// Why each of the places is not connected; `None` where one is, or where nothing speaks against it. `None` for all when
    /// the node has left.
    fn look(&self) -> Option<Vec<(String, Option<Unreachable>)>> {
        let mut found = Vec::new();
        for place in &self.places {
            let links = (self.links)()?;
            let why = why(place, &links, self.credentials.as_deref());
            found.push((place.clone(), why));
        }
        Some(found)
    }
}

/// Why a place is not connected.
fn why(place: &str, links: &[String], credentials: Option<&Credentials>) -> Option<Unreachable> {
    let at = match addresses(place) {
        Ok(at) => at,
        Err(why) => return Some(why),
    };
    let is_linked = at.iter().any(|address| links.contains(&address.to_string()));
    if is_linked {
        return None;
    }
    if credentials.is_none() && !links.is_empty() {
        // Who has no certificate and is connected somewhere does not need one: only whether somebody is there is asked.
        return connect(&at).err();
    }
    knock(&at, credentials).err()
}

/// Why none of these places can be connected to, for an error.
pub(super) fn why_not(places: &[String], credentials: Option<&Credentials>) -> String {
    let each = places.iter().map(|place| match why(place, &[], credentials) {
        Some(why) => format!("{place}: {why}"),
        None => format!("{place}: it answers, but not as a router"),
    });
    each.collect::<Vec<_>>().join("; ")
}

/// Tells once what is new.
fn tell(told: &mut HashMap<String, String>, place: String, why: Option<Unreachable>) {
    let Some(why) = why.map(|why| why.to_string()) else {
        if told.remove(&place).is_some() {
            tracing::info!(%place, "what was in the way of a connection is gone");
        }
        return;
    };
    if told.get(&place) != Some(&why) {
        tracing::warn!("not connected to {place}, and trying again: {why}");
        told.insert(place, why);
    }
}
