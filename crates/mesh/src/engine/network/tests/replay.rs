//! What was recorded on the network and is played again, and what is made up there.

use super::*;
use crate::engine::network::{outbox::GREETING, peer::MAX_NODES};

fn address(engine: &NetworkEngine) -> Address {
    engine.0.me.address()
}

impl Air {
    /// From now on greetings are kept as they go by.
    pub(super) fn keeps_greetings(&self) -> Arc<Mutex<Vec<Vec<u8>>>> {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let keeps = Arc::clone(&kept);
        self.tampers(move |text| {
            if text.first() == Some(&GREETING) {
                keeps.lock().unwrap().push(text.to_vec());
            }
            vec![text.to_vec()]
        });
        kept
    }

    /// Delivers a text as if one node had sent it to another.
    fn plays(&self, from: Address, to: Address, text: &[u8]) {
        let to = self.there.lock().unwrap().get(&to).cloned();
        to.unwrap().arrived(from, text.to_vec());
    }
}

#[tokio::test]
async fn a_greeting_that_is_played_again_parts_nobody() {
    let air = Arc::new(Air::default());
    let greetings = air.keeps_greetings();
    let (one, ears_one) = air.node(1);
    announce(&one, "t");
    let (two, ears_two) = air.node(1);
    ears_two.until_rows_are(&[(id(&one), tool("t"))]).await;
    // One forgets the other, so that there are greetings of a meeting that is over.
    let arrivals = air.there.lock().unwrap()[&address(&two)].clone();
    arrivals.gone(address(&one));
    arrivals.alive(address(&one));
    ears_two.until_rows_are(&[(id(&one), tool("t"))]).await;

    let (sender, mut replies) = ReplyQueue::new(8);
    two.request(id(&one), 1, Vec::new(), sender).await.unwrap();
    let asked = ears_one.asked().await;
    let parted = (ears_one.gone.borrow().len(), ears_two.gone.borrow().len());
    let old = greetings.lock().unwrap().clone();
    assert!(old.len() >= 4, "an ask and an answer of each meeting");
    for greeting in &old {
        air.plays(address(&two), address(&one), greeting);
        air.plays(address(&one), address(&two), greeting);
    }
    asked.replies.finish(b"still".to_vec()).await.unwrap();
    assert_eq!(replies.recv().await, Some(b"still".to_vec()));
    for call in 2..6 {
        assert!(echo(&two, &one, &ears_one, call).await.is_some());
    }
    assert_eq!(
        parted,
        (ears_one.gone.borrow().len(), ears_two.gone.borrow().len())
    );
}

#[tokio::test]
async fn a_node_that_was_forgotten_is_met_anew_when_it_asks_for_it() {
    let air = Arc::new(Air::default());
    let (one, ears_one) = air.node(1);
    announce(&one, "t");
    let (two, ears_two) = air.node(1);
    ears_two.until_rows_are(&[(id(&one), tool("t"))]).await;
    // The network shows one of them that the other is gone, and then that it is there.
    let arrivals = air.there.lock().unwrap()[&address(&two)].clone();
    arrivals.gone(address(&one));
    ears_two.until_rows_are(&[]).await;
    arrivals.alive(address(&one));
    ears_two.until_rows_are(&[(id(&one), tool("t"))]).await;
    assert!(echo(&two, &one, &ears_one, 1).await.is_some());
    assert_eq!(*ears_one.gone.borrow(), [id(&two)]);
}

#[tokio::test]
async fn addresses_that_are_made_up_take_no_place_from_nodes() {
    let air = Arc::new(Air::default());
    let (one, ears_one) = air.node(1);
    let (friend, ears_friend) = air.node(1);
    friend.settled().await.unwrap();
    let arrivals = air.there.lock().unwrap()[&address(&one)].clone();
    for number in 0..=MAX_NODES {
        arrivals.alive(Address::of(&number.to_be_bytes()));
    }
    assert_eq!(one.0.state().peers.len(), MAX_NODES);
    let (late, ears_late) = air.node(1);
    announce(&one, "t");
    for ears in [&ears_friend, &ears_late] {
        ears.until_rows_are(&[(id(&one), tool("t"))]).await;
    }
    for from in [&friend, &late] {
        assert!(echo(from, &one, &ears_one, 1).await.is_some());
    }
}
