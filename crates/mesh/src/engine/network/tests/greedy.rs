//! Nodes that ask for more than they read.

use futures_util::FutureExt;

use super::*;
use crate::engine::network::{
    channel::Salt,
    greeting::{Greeting, Word},
    meet::new_salt,
    outbox::{MAX_WAITING_BYTES, Outbox},
};

/// Questions that come at once; so many answers would take minutes at the pace at which they are given.
const QUESTIONS: usize = 1_000;

/// What waits at a node for another.
fn outbox(of: &NetworkEngine, to: &NetworkEngine) -> Arc<Outbox> {
    Arc::clone(&of.0.state().peers[&to.0.me.address()].outbox)
}

/// A call that came to the host, and what waits there for its caller.
async fn call() -> (Asked, Arc<Outbox>, [NetworkEngine; 2]) {
    let air = Arc::new(Air::default());
    let (host, ears) = air.node(1);
    let (agent, _ears_agent) = air.node(1);
    agent.settled().await.unwrap();
    let (sender, _replies) = ReplyQueue::new(8);
    agent.request(id(&host), 1, Vec::new(), sender).await.unwrap();
    let asked = ears.asked().await;
    let outbox = outbox(&host, &agent);
    while !outbox.is_idle() {
        tokio::task::yield_now().await;
    }
    (asked, outbox, [host, agent])
}

#[tokio::test]
async fn a_caller_that_does_not_read_is_not_told_that_there_is_no_place() {
    for (waits, told) in [(MAX_WAITING_BYTES - 1, 1), (MAX_WAITING_BYTES, 0)] {
        let (asked, outbox, _nodes) = call().await;
        outbox.holds(waits);
        asked.replies.finish_now(b"busy".to_vec());
        drop(asked.replies);
        assert_eq!(outbox.waiting(), told);
    }
}

#[tokio::test]
async fn a_call_whose_last_reply_is_given_up_while_it_waits_for_room_ends() {
    let (asked, outbox, _nodes) = call().await;
    outbox.holds(MAX_WAITING_BYTES);
    assert!(asked.replies.finish(b"late".to_vec()).now_or_never().is_none());
    assert_eq!(outbox.waiting(), 0);
    drop(asked.replies);
    assert_eq!(outbox.waiting(), 1, "that it ends is told");
}

/// A node asks another again and again, always with this number; how many texts that other has sent it then, the last one
/// something else than an answer.
async fn answers(asker: &NetworkEngine, asked: &NetworkEngine, salt: Salt, air: &Air, ears: &Ears) -> usize {
    let (me, to) = (&asker.0.me, &asked.0);
    let greeting = Greeting {
        name: asker.identity().name.clone(),
        public_key: me.public_key,
        proof: None,
        salt,
        word: Word::Asks,
    };
    let sealed = greeting.seal(&me.secret, me.address(), to.me.address()).unwrap();
    let greetings = air.keeps_greetings();
    for _ in 0..QUESTIONS {
        to.greeted(me.address(), &sealed);
    }
    assert!(echo(asked, asker, ears, 1).await.is_some());
    air.is_fair();
    greetings.lock().unwrap().len()
}

#[tokio::test]
async fn a_node_that_asks_the_same_again_and_again_is_answered_now_and_then() {
    for is_met_anew in [false, true] {
        let air = Arc::new(Air::default());
        let (asked, _ears) = air.node(1);
        let (asker, ears) = air.node(1);
        asker.settled().await.unwrap();
        let salt = if is_met_anew {
            new_salt().unwrap()
        } else {
            asker.0.state().peers[&asked.0.me.address()].salt
        };
        let answers = answers(&asker, &asked, salt, &air, &ears).await;
        assert!(answers < QUESTIONS / 10, "{answers}");
    }
}
