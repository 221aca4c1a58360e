//! Nodes on a network of this test's own, which loses, repeats and forges what it carries.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use rcgen::KeyPair;
use tokio::{
    runtime::Handle,
    sync::{mpsc, watch},
};
use toolmesh_tool::BoxFuture;

use super::{
    Address, Arrivals, Carrier, Me, NetworkEngine, Route,
    certificate::{
        Credentials,
        samples::{Issuer, authority, credentials},
    },
};
use crate::engine::{
    Audience, Control, Engine, EngineError, Identity, Inbound, NodeId, Presence, Replies, ReplyQueue, RowKey,
};

mod anew;
mod greedy;
#[path = "../../../../tests/it/log.rs"]
mod log;
mod replay;
mod twin;

/// What a network does with a text: how often it delivers it, and as what.
type Tamper = Box<dyn Fn(&[u8]) -> Vec<Vec<u8>> + Send + Sync>;

#[derive(Default)]
struct Air {
    there: Mutex<HashMap<Address, Arc<dyn Arrivals>>>,
    tamper: Mutex<Option<Tamper>>,
    /// Nodes that do not reach each other.
    apart: Mutex<Vec<[Address; 2]>>,
}

impl Air {
    fn node(self: &Arc<Self>, key: u8) -> (NetworkEngine, Arc<Ears>) {
        self.node_with(key, None)
    }

    fn node_with(self: &Arc<Self>, key: u8, credentials: Option<Credentials>) -> (NetworkEngine, Arc<Ears>) {
        self.joins(Me::new(&[key; 32], credentials.map(Arc::new)).unwrap())
    }

    /// A node that another one does not reach, and that does not reach it.
    fn node_apart(
        self: &Arc<Self>,
        credentials: Option<Credentials>,
        from: Address,
    ) -> (NetworkEngine, Arc<Ears>) {
        let me = Me::new(&[1; 32], credentials.map(Arc::new)).unwrap();
        self.apart.lock().unwrap().push([me.address(), from]);
        self.joins(me)
    }

    fn joins(self: &Arc<Self>, me: Me) -> (NetworkEngine, Arc<Ears>) {
        let carrier = Antenna {
            air: Arc::clone(self),
            me: me.address(),
        };
        let engine = NetworkEngine::new(me, None, Arc::new(carrier), Handle::current()).unwrap();
        let ears = Arc::new(Ears::default());
        engine.join(Arc::clone(&ears) as Arc<dyn Inbound>).unwrap();
        (engine, ears)
    }

    fn others(&self, me: Address) -> Vec<(Address, Arc<dyn Arrivals>)> {
        let there = self.there.lock().unwrap();
        let others = there.iter().filter(|(address, _)| self.reaches(me, **address));
        others
            .map(|(address, arrivals)| (*address, Arc::clone(arrivals)))
            .collect()
    }

    fn reaches(&self, from: Address, to: Address) -> bool {
        let apart = self.apart.lock().unwrap();
        from != to
            && !apart
                .iter()
                .any(|pair| pair.contains(&from) && pair.contains(&to))
    }

    /// From now on every text goes through this.
    fn tampers(&self, tamper: impl Fn(&[u8]) -> Vec<Vec<u8>> + Send + Sync + 'static) {
        *self.tamper.lock().unwrap() = Some(Box::new(tamper));
    }

    fn is_fair(&self) {
        *self.tamper.lock().unwrap() = None;
    }
}

struct Antenna {
    air: Arc<Air>,
    me: Address,
}

impl Carrier for Antenna {
    fn start(&self, arrivals: Arc<dyn Arrivals>) -> Result<(), EngineError> {
        self.air
            .there
            .lock()
            .unwrap()
            .insert(self.me, Arc::clone(&arrivals));
        for (address, other) in self.air.others(self.me) {
            other.alive(self.me);
            arrivals.alive(address);
        }
        Ok(())
    }

    fn route(&self, to: Address) -> Result<Box<dyn Route>, EngineError> {
        Ok(Box::new(Beam {
            air: Arc::clone(&self.air),
            from: self.me,
            to,
        }))
    }

    fn census(&self) -> BoxFuture<'_, Vec<Address>> {
        let there = self.air.others(self.me).into_iter().map(|(address, _)| address);
        Box::pin(std::future::ready(there.collect()))
    }

    fn listens_at(&self) -> Vec<String> {
        Vec::new()
    }

    fn close(&self) {
        self.air.there.lock().unwrap().remove(&self.me);
        for (_, other) in self.air.others(self.me) {
            other.gone(self.me);
        }
    }
}

struct Beam {
    air: Arc<Air>,
    from: Address,
    to: Address,
}

impl Route for Beam {
    fn put(&self, text: Vec<u8>) {
        let delivered = match &*self.air.tamper.lock().unwrap() {
            Some(tamper) => tamper(&text),
            None => vec![text],
        };
        let to = self.air.there.lock().unwrap().get(&self.to).cloned();
        let to = to.filter(|_| self.air.reaches(self.from, self.to));
        for text in delivered {
            if let Some(to) = &to {
                to.arrived(self.from, text);
            }
        }
    }
}

/// What one node hears.
struct Ears {
    rows: watch::Sender<Vec<(NodeId, RowKey)>>,
    controls: watch::Sender<Vec<(NodeId, u64, Control)>>,
    gone: watch::Sender<Vec<NodeId>>,
    requests: mpsc::UnboundedSender<Asked>,
    asked: tokio::sync::Mutex<mpsc::UnboundedReceiver<Asked>>,
}

struct Asked {
    from: Identity,
    call: u64,
    frame: Vec<u8>,
    replies: Box<dyn Replies>,
}

impl Default for Ears {
    fn default() -> Self {
        let (requests, asked) = mpsc::unbounded_channel();
        Self {
            rows: watch::Sender::default(),
            controls: watch::Sender::default(),
            gone: watch::Sender::default(),
            requests,
            asked: asked.into(),
        }
    }
}

impl Inbound for Ears {
    fn request(&self, from: Identity, call: u64, frame: Vec<u8>, replies: Box<dyn Replies>) {
        let _ = self.requests.send(Asked {
            from,
            call,
            frame,
            replies,
        });
    }

    fn control(&self, from: NodeId, call: u64, control: Control) {
        self.controls
            .send_modify(|controls| controls.push((from, call, control)));
    }

    fn presence(&self, from: &Identity, change: Presence) {
        match change {
            Presence::Put(key, _) => self.rows.send_modify(|rows| rows.push((from.node, key))),
            Presence::Gone(key) => self
                .rows
                .send_modify(|rows| rows.retain(|row| *row != (from.node, key.clone()))),
            Presence::NodeGone => {
                self.rows
                    .send_modify(|rows| rows.retain(|(node, _)| *node != from.node));
                self.gone.send_modify(|gone| gone.push(from.node));
            }
        }
    }
}

impl Ears {
    async fn until_rows_are(&self, expected: &[(NodeId, RowKey)]) {
        let mut rows = self.rows.subscribe();
        rows.wait_for(|rows| {
            let mut rows = rows.clone();
            let mut expected = expected.to_vec();
            rows.sort();
            expected.sort();
            rows == expected
        })
        .await
        .unwrap();
    }

    async fn asked(&self) -> Asked {
        self.asked.lock().await.recv().await.unwrap()
    }
}

fn tool(name: &str) -> RowKey {
    RowKey::Tool {
        tool_id: name.into(),
        version: "1.0.0".into(),
    }
}

fn everybody() -> Audience {
    Arc::new(|_| true)
}

fn announce(engine: &NetworkEngine, name: &str) {
    let row = Arc::from(&b"{}"[..]);
    engine.announce(tool(name), row, everybody()).unwrap();
}

fn id(engine: &NetworkEngine) -> NodeId {
    engine.identity().node
}

/// The credentials of a node of this name.
fn issued(authority: &Issuer, name: &str) -> Option<Credentials> {
    let key = KeyPair::generate().unwrap();
    Some(credentials(authority, name, &key))
}

/// Calls, and gives the reply after the host has answered with what it was asked.
async fn echo(from: &NetworkEngine, to: &NetworkEngine, ears: &Ears, call: u64) -> Option<Vec<u8>> {
    let (sender, mut replies) = ReplyQueue::new(8);
    from.request(id(to), call, call.to_le_bytes().to_vec(), sender)
        .await
        .ok()?;
    let asked = ears.asked().await;
    assert_eq!((asked.from.node, asked.call), (id(from), call));
    asked.replies.finish(asked.frame).await.ok()?;
    replies.recv().await
}

#[tokio::test]
async fn nodes_meet_and_see_what_is_announced_before_and_after() {
    let air = Arc::new(Air::default());
    let (one, ears_one) = air.node(1);
    announce(&one, "before");
    let (two, ears_two) = air.node(1);
    two.settled().await.unwrap();
    ears_two.until_rows_are(&[(id(&one), tool("before"))]).await;
    announce(&one, "after");
    announce(&two, "own");
    let all = [
        (id(&one), tool("before")),
        (id(&one), tool("after")),
        (id(&two), tool("own")),
    ];
    ears_one.until_rows_are(&all).await;
    ears_two.until_rows_are(&all).await;
    one.withdraw(&tool("before"));
    ears_two.until_rows_are(&all[1..]).await;
    assert!(echo(&two, &one, &ears_one, 1).await.is_some());
    one.close();
    ears_two.until_rows_are(&all[2..]).await;
}

#[tokio::test]
async fn what_is_not_for_a_node_is_not_named_to_it() {
    let air = Arc::new(Air::default());
    let (one, _ears_one) = air.node(1);
    let (two, ears_two) = air.node(1);
    let row = || Arc::from(&b"{}"[..]);
    let nobody: Audience = Arc::new(|_| false);
    one.announce(tool("secret"), row(), Arc::clone(&nobody)).unwrap();
    announce(&one, "shown");
    ears_two.until_rows_are(&[(id(&one), tool("shown"))]).await;
    one.announce(tool("shown"), row(), nobody).unwrap();
    ears_two.until_rows_are(&[]).await;
    assert!(ears_two.gone.borrow().is_empty());
    drop(two);
}

#[tokio::test]
async fn another_key_is_another_mesh() {
    let air = Arc::new(Air::default());
    let (one, _ears_one) = air.node(1);
    announce(&one, "t");
    let (stranger, ears) = air.node(2);
    let (friend, ears_friend) = air.node(1);
    ears_friend.until_rows_are(&[(id(&one), tool("t"))]).await;
    assert!(ears.rows.borrow().is_empty());
    let (sender, _replies) = ReplyQueue::new(8);
    let asked = stranger.request(id(&one), 1, Vec::new(), sender).await;
    assert_eq!(asked, Err(EngineError::Unreachable(id(&one))));
    drop(friend);
}

#[tokio::test]
async fn who_proves_no_certificate_of_the_authority_is_not_met_and_that_is_logged() {
    log::keep();
    let (ours, theirs) = (authority(), authority());
    let air = Arc::new(Air::default());
    let (one, ears) = air.node_with(1, issued(&ours, "one"));
    announce(&one, "t");
    let (_bare, ears_bare) = air.node(1);
    let (_foreign, ears_foreign) = air.node_with(1, issued(&theirs, "foreign"));
    let (friend, ears_friend) = air.node_with(1, issued(&ours, "friend"));
    ears_friend.until_rows_are(&[(id(&one), tool("t"))]).await;
    friend.settled().await.unwrap();
    assert!(ears_bare.rows.borrow().is_empty() && ears_foreign.rows.borrow().is_empty());
    assert!(ears.gone.borrow().is_empty());
    log::has_line(&["WARN", "refused a node: it has no certificate"]).await;
    log::has_line(&["WARN", "refused a node: its certificate is refused"]).await;
}

#[tokio::test]
async fn a_text_that_comes_twice_or_is_forged_changes_nothing() {
    let air = Arc::new(Air::default());
    let (one, ears_one) = air.node(1);
    let (two, _ears_two) = air.node(1);
    two.settled().await.unwrap();
    air.tampers(|text| {
        let mut forged = text.to_vec();
        if let Some(last) = forged.last_mut() {
            *last ^= 1;
        }
        vec![forged, text.to_vec(), text.to_vec()]
    });
    for call in 1..20 {
        assert_eq!(
            echo(&two, &one, &ears_one, call).await,
            Some(call.to_le_bytes().to_vec())
        );
    }
    assert!(ears_one.asked.lock().await.try_recv().is_err());
    assert!(ears_one.gone.borrow().is_empty());
}

#[tokio::test]
async fn nodes_that_lost_something_meet_anew_and_their_calls_end() {
    let air = Arc::new(Air::default());
    let (one, ears_one) = air.node(1);
    announce(&one, "t");
    let (two, ears_two) = air.node(1);
    two.settled().await.unwrap();
    let (sender, mut replies) = ReplyQueue::new(8);
    air.tampers(|_| Vec::new());
    two.request(id(&one), 1, b"lost".to_vec(), sender).await.unwrap();
    air.is_fair();
    two.control(id(&one), 2, Control::Grant(1));
    assert_eq!(replies.recv().await, None);
    let mut gone = ears_two.gone.subscribe();
    gone.wait_for(|gone| !gone.is_empty()).await.unwrap();
    ears_two.until_rows_are(&[(id(&one), tool("t"))]).await;
    assert_eq!(
        echo(&two, &one, &ears_one, 3).await,
        Some(3_u64.to_le_bytes().to_vec())
    );
}

#[tokio::test]
async fn replies_end_with_the_way_back_and_with_the_host() {
    let air = Arc::new(Air::default());
    let (host, ears) = air.node(1);
    let (agent, _ears_agent) = air.node(1);
    agent.settled().await.unwrap();
    let (sender, mut replies) = ReplyQueue::new(8);
    agent.request(id(&host), 1, Vec::new(), sender).await.unwrap();
    let asked = ears.asked().await;
    asked.replies.send(b"one".to_vec()).await.unwrap();
    asked.replies.send(b"two".to_vec()).await.unwrap();
    drop(asked.replies);
    let mut seen = Vec::new();
    while let Some(frame) = replies.recv().await {
        seen.push(frame);
    }
    assert_eq!(seen, [b"one", b"two"]);

    let (sender, mut replies) = ReplyQueue::new(8);
    agent.request(id(&host), 2, Vec::new(), sender).await.unwrap();
    let _asked = ears.asked().await;
    agent.control(id(&host), 2, Control::Grant(5));
    agent.control(id(&host), 2, Control::Cancel);
    let mut controls = ears.controls.subscribe();
    controls.wait_for(|controls| controls.len() == 2).await.unwrap();
    host.close();
    assert_eq!(replies.recv().await, None);
}

#[tokio::test]
async fn a_node_calls_itself() {
    let air = Arc::new(Air::default());
    let (one, ears) = air.node(1);
    assert!(echo(&one, &one, &ears, 1).await.is_some());
    one.close();
    let (sender, _replies) = ReplyQueue::new(8);
    assert_eq!(
        one.request(id(&one), 2, Vec::new(), sender).await,
        Err(EngineError::Closed)
    );
}
