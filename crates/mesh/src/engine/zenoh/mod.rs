//! The engine on zenoh: peers that find each other without a broker, and routers where there is more than one network.
//!
//! Of zenoh this takes three things: liveliness tokens (`<realm>/node/<address>`: who is there), one subscription a node
//! (`<realm>/to/<address>/<sender>`: what is sent to it), and the way there. Whatever comes in is handed on at once, so that
//! zenoh's own threads never wait for a reader; queries are not used, since their replies would share bounded queues.
//! `<realm>` is a digest of the mesh's key.

mod knock;
mod near;
mod own;
mod router;
mod settings;
mod watch;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Instant,
};

use tokio::{
    runtime::Handle,
    sync::{mpsc, oneshot},
};
use toolmesh_tool::BoxFuture;
use zenoh::{
    Session, Wait,
    liveliness::LivelinessToken,
    pubsub::{Publisher, Subscriber},
    qos::CongestionControl,
    sample::SampleKind,
};

use super::{
    Alone, Engine, EngineError, Way,
    network::{Address, Arrivals, Carrier, Me, NetworkEngine, Route},
};
use near::Near;
pub use router::{MeshRouter, MeshRouterBuilder, RouterRules};
use settings::{ASK_AGAIN, CENSUS, EXPLAINING, config};
use watch::{Linked, Watch, why_not};

/// Opens a node of the mesh that has this key.
pub(super) async fn open(
    key: &[u8; 32],
    name: Option<String>,
    way: &Way,
) -> Result<Arc<dyn Engine>, EngineError> {
    let me = Me::new(key, way.credentials.clone())?;
    let way = &ready(way).await?;
    let near = Near::enter(me.realm()).await;
    let listening = near.listens_at();
    let expects_others = !(listening.is_empty() && way.connect.is_empty() && way.routers.is_empty());
    let config = config(way, listening)?;
    let (routers, credentials) = (way.routers.clone(), way.credentials.clone());
    let (session, listens_at) = apart(move || {
        let session = zenoh::open(config)
            .wait()
            .map_err(|error| match routers.as_slice() {
                [] => network(error),
                _ => EngineError::NoRouter(why_not(&routers, credentials.as_deref())),
            })?;
        let listens_at = session.info().locators().wait();
        let listens_at = listens_at.iter().map(ToString::to_string).collect::<Vec<_>>();
        Ok((session, listens_at))
    })
    .await?;
    near.leave(me.address(), &listens_at);
    let joined = Arc::new(Mutex::new(Some(Joined {
        session,
        declared: None,
    })));
    let places = if way.routers.is_empty() {
        &way.connect
    } else {
        &way.routers
    };
    let carrier = ZenohCarrier {
        realm: me.realm().to_owned(),
        me: me.address(),
        expects_others,
        listens_at,
        watch: Watch::begin(
            &Handle::current(),
            places,
            way.credentials.clone(),
            Arc::downgrade(&joined),
        ),
        by_router: !way.routers.is_empty(),
        looks_around: way.multicast,
        joined,
    };
    let engine = NetworkEngine::new(me, name, Arc::new(carrier), Handle::current())?;
    Ok(Arc::new(engine))
}

/// The way without this node itself, when it can listen where it is to.
async fn ready(way: &Way) -> Result<Way, EngineError> {
    let mut way = way.clone();
    apart(move || {
        if let Some(listen) = way.listen.filter(|_| way.routers.is_empty()) {
            own::is_free(listen)?;
            way.connect = own::others(Some(listen), &way.connect);
        }
        Ok(way)
    })
    .await
}

impl Linked for Weak<Mutex<Option<Joined>>> {
    fn is_there(&self) -> bool {
        self.upgrade().is_some_and(|joined| locked(&joined).is_some())
    }

    fn links(&self) -> Option<Vec<String>> {
        let joined = self.upgrade()?;
        let joined = locked(&joined);
        Some(watch::linked(&joined.as_ref()?.session))
    }
}

fn locked(joined: &Mutex<Option<Joined>>) -> MutexGuard<'_, Option<Joined>> {
    joined.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs what zenoh cannot do on a runtime of one thread.
async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, EngineError> + Send + 'static,
) -> Result<T, EngineError> {
    let (sender, done) = oneshot::channel();
    let spawned = std::thread::Builder::new()
        .name("mesh-work".to_owned())
        // Whoever waited may be gone: then what was opened is closed here.
        .spawn(move || drop(sender.send(work())));
    spawned.map_err(network)?;
    done.await.unwrap_or(Err(EngineError::Closed))
}

/// In zenoh's own words, without the places in its source that it adds.
fn network(error: impl ToString) -> EngineError {
    let text = error.to_string();
    let words = text.split(" at /").next().unwrap_or(&text);
    EngineError::Network(words.to_owned())
}

struct ZenohCarrier {
    realm: String,
    me: Address,
    /// It knows places where others should be.
    expects_others: bool,
    listens_at: Vec<String>,
    /// It is connected to others by routers alone.
    by_router: bool,
    /// It looks for others by multicast.
    looks_around: bool,
    /// Taken out when the node leaves. The session is never cloned: whoever drops the last clone closes it, and that may not
    /// happen on a runtime.
    joined: Arc<Mutex<Option<Joined>>>,
    watch: Watch,
}

struct Joined {
    session: Session,
    declared: Option<Declared>,
}

/// What is there as long as the node is in the mesh. The order is that of dropping.
struct Declared {
    _token: LivelinessToken,
    _nodes: Subscriber<()>,
    _texts: Subscriber<()>,
}

impl ZenohCarrier {
    fn joined(&self) -> MutexGuard<'_, Option<Joined>> {
        locked(&self.joined)
    }

    fn declare(&self, session: &Session, arrivals: Arc<dyn Arrivals>) -> zenoh::Result<Declared> {
        let texts = {
            let arrivals = Arc::clone(&arrivals);
            let subscriber = session.declare_subscriber(format!("{}/to/{}/*", self.realm, self.me));
            subscriber
                .callback(move |sample| {
                    if let Some(from) = last_address(sample.key_expr()) {
                        arrivals.arrived(from, sample.payload().to_bytes().into_owned());
                    }
                })
                .wait()?
        };
        let liveliness = session.liveliness();
        let nodes = liveliness
            .declare_subscriber(format!("{}/node/*", self.realm))
            .history(true)
            .callback(
                move |sample| match (sample.kind(), last_address(sample.key_expr())) {
                    (_, None) => {}
                    (SampleKind::Put, Some(node)) => arrivals.alive(node),
                    (SampleKind::Delete, Some(node)) => arrivals.gone(node),
                },
            )
            .wait()?;
        // Last: whoever sees the token can send to this node.
        let token = liveliness
            .declare_token(format!("{}/node/{}", self.realm, self.me))
            .wait()?;
        Ok(Declared {
            _token: token,
            _nodes: nodes,
            _texts: texts,
        })
    }

    /// Whether one of those that it is connected to is a router.
    fn is_at_router(&self) -> bool {
        let joined = self.joined();
        let Some(Joined { session, .. }) = joined.as_ref() else {
            return false;
        };
        let asks = || session.info().routers_zid().wait().next().is_some();
        // To ask waits, and may not do so on a runtime of one thread.
        std::thread::scope(|scope| {
            let asked = std::thread::Builder::new().spawn_scoped(scope, asks);
            asked.is_ok_and(|asked| asked.join().unwrap_or(false))
        })
    }

    async fn there(&self) -> Vec<Address> {
        let mut there = Vec::new();
        if let Some(mut nodes) = self.ask_for_nodes() {
            while let Some(node) = nodes.recv().await {
                there.push(node);
            }
        }
        there.sort_unstable();
        there
    }

    fn ask_for_nodes(&self) -> Option<mpsc::UnboundedReceiver<Address>> {
        let joined = self.joined();
        let (sender, nodes) = mpsc::unbounded_channel();
        let asked = joined.as_ref()?.session.liveliness();
        let asked = asked
            .get(format!("{}/node/*", self.realm))
            .timeout(CENSUS)
            .callback(move |reply| {
                let node = reply
                    .result()
                    .ok()
                    .and_then(|sample| last_address(sample.key_expr()));
                if let Some(node) = node {
                    // Nobody waits any more.
                    let _ = sender.send(node);
                }
            })
            .wait();
        asked
            .inspect_err(|error| tracing::debug!(%error, "the network does not say who is there"))
            .ok()?;
        Some(nodes)
    }
}

impl Carrier for ZenohCarrier {
    fn start(&self, arrivals: Arc<dyn Arrivals>) -> Result<(), EngineError> {
        let mut joined = self.joined();
        let joined = joined.as_mut().ok_or(EngineError::Closed)?;
        joined.declared = Some(self.declare(&joined.session, arrivals).map_err(network)?);
        Ok(())
    }

    fn route(&self, to: Address) -> Result<Box<dyn Route>, EngineError> {
        let joined = self.joined();
        let session = &joined.as_ref().ok_or(EngineError::Closed)?.session;
        let publisher = session
            .declare_publisher(format!("{}/to/{to}/{}", self.realm, self.me))
            // Nothing may be lost silently: whoever sends waits, and where that is too long, zenoh closes the link.
            .congestion_control(CongestionControl::Block)
            // Batches are made before.
            .express(true)
            .wait();
        Ok(Box::new(publisher.map_err(network)?))
    }

    /// Zenoh answers before its first links are up, and before all that they tell has come. So where others are to be expected,
    /// an answer counts when it comes twice.
    fn census(&self) -> BoxFuture<'_, Vec<Address>> {
        Box::pin(async move {
            let end = Instant::now() + CENSUS;
            let mut before = Vec::new();
            loop {
                let there = self.there().await;
                let is_alone = there.iter().all(|node| *node == self.me);
                let is_certain = !is_alone && there == before;
                if is_certain || !self.expects_others || Instant::now() >= end {
                    return there;
                }
                before = there;
                tokio::time::sleep(ASK_AGAIN).await;
            }
        })
    }

    /// Where the node is alone: why its places are not connected, or that who is there is of another mesh.
    fn explain(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if tokio::time::timeout(EXPLAINING, self.watch.has_looked())
                .await
                .is_err()
            {
                tracing::debug!("it is not known yet why some places are not connected");
            }
            match self.alone() {
                // The first node of a router is alone there, and nothing need be wrong.
                Some(alone @ Alone::Nobody(_)) if self.by_router => tracing::info!("{alone}"),
                Some(alone @ (Alone::Nobody(_) | Alone::OtherMesh(_))) => tracing::warn!("{alone}"),
                _ => {}
            }
        })
    }

    fn alone(&self) -> Option<Alone> {
        let (connected, apart) = self.watch.found();
        match (connected.is_empty(), apart.is_empty()) {
            (false, _) if self.is_at_router() => Some(Alone::Nobody(connected)),
            (false, _) => Some(Alone::OtherMesh(connected)),
            (true, false) => Some(Alone::Unreachable(apart)),
            (true, true) => (!self.looks_around).then_some(Alone::NoPlace),
        }
    }

    fn listens_at(&self) -> Vec<String> {
        self.listens_at.clone()
    }

    fn close(&self) {
        let Some(joined) = self.joined().take() else {
            return;
        };
        Near::forget(&self.realm, self.me);
        // Where no thread can be had, dropping closes here.
        let _ = std::thread::Builder::new()
            .name("mesh-close".to_owned())
            .spawn(move || {
                drop(joined.declared);
                if let Err(error) = joined.session.close().wait() {
                    tracing::debug!(%error, "the network was not left in good order");
                }
            });
    }
}

impl Drop for ZenohCarrier {
    fn drop(&mut self) {
        self.close();
    }
}

impl Route for Publisher<'static> {
    fn put(&self, text: Vec<u8>) {
        if let Err(error) = Self::put(self, text).wait() {
            tracing::debug!(%error, "a text was not sent");
        }
    }
}

fn last_address(key: &str) -> Option<Address> {
    Address::parse(key.rsplit('/').next()?)
}
