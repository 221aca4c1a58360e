//! Programs that have the certificate of one node.

use super::*;

#[tokio::test]
async fn a_second_program_with_a_certificate_is_told_so_and_steps_back_and_the_first_goes_on() {
    log::keep();
    let (air, authority) = (Arc::new(Air::default()), authority());
    let (host, ears_host) = air.node_with(1, issued(&authority, "host-of-twins"));
    announce(&host, "t");
    host.settled().await.unwrap();
    let (first, ears_first) = air.node_with(1, issued(&authority, "twin"));
    announce(&first, "own");
    first.settled().await.unwrap();
    let (sender, mut replies) = ReplyQueue::new(8);
    first.request(id(&host), 1, Vec::new(), sender).await.unwrap();
    let asked = ears_host.asked().await;

    let (second, _ears_second) = air.node_with(1, issued(&authority, "twin"));
    assert_eq!(second.settled().await, Err(EngineError::Twin("twin".into())));
    second.close();

    // The call of the first and its rows are as they were.
    asked.replies.finish(b"answer".to_vec()).await.unwrap();
    assert_eq!(replies.recv().await, Some(b"answer".to_vec()));
    assert!(ears_host.gone.borrow().is_empty() && ears_first.gone.borrow().is_empty());
    let all = [(id(&host), tool("t")), (id(&first), tool("own"))];
    ears_host.until_rows_are(&all).await;
    ears_first.until_rows_are(&all).await;
    let tried = "or tried to join, with the certificate of this node";
    log::has_line(&["WARN", tried, "name=\"twin"]).await;
    log::has_line(&["WARN", "a second program has the certificate", "name=\"twin"]).await;
}

#[tokio::test]
async fn of_two_that_join_at_once_one_stays() {
    let (air, authority) = (Arc::new(Air::default()), authority());
    let (one, _ears_one) = air.node_with(1, issued(&authority, "twin"));
    let (two, _ears_two) = air.node_with(1, issued(&authority, "twin"));
    let (one, two) = tokio::join!(one.settled(), two.settled());
    assert_ne!(one.is_ok(), two.is_ok());
}

#[tokio::test]
async fn one_that_only_others_see_twice_is_told_by_them_and_met_when_the_first_is_gone() {
    log::keep();
    let (air, authority) = (Arc::new(Air::default()), authority());
    let (host, ears_host) = air.node_with(1, issued(&authority, "host"));
    announce(&host, "t");
    let (first, _ears_first) = air.node_with(1, issued(&authority, "far-twin"));
    first.settled().await.unwrap();
    let (second, ears_second) = air.node_apart(issued(&authority, "far-twin"), first.0.me.address());
    second.settled().await.unwrap();
    log::has_line(&[
        "WARN",
        "a node does not meet this one",
        "by=\"host\"",
        "name=\"far-twin\"",
    ])
    .await;
    // Nobody is left waiting for a host that does not know it.
    let (sender, mut replies) = ReplyQueue::new(8);
    if second.request(id(&host), 1, Vec::new(), sender).await.is_ok() {
        assert_eq!(replies.recv().await, None);
    }

    first.close();
    ears_second.until_rows_are(&[(id(&host), tool("t"))]).await;
    assert!(echo(&second, &host, &ears_host, 2).await.is_some());
}
