//! Nodes that ask for more than they read.

use futures_util::FutureExt;

use super::*;
use crate::engine::network::outbox::{MAX_WAITING_BYTES, Outbox};

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
