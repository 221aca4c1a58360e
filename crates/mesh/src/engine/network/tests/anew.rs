//! Nodes that ask to be met anew, and what may have changed until they are.

use std::time::{Duration, SystemTime};

use rcgen::{CertificateParams, DnType};

use super::*;
use crate::engine::network::{
    certificate::samples::read,
    greeting::{Greeting, Word},
    meet::new_salt,
    peer::Met,
    proved,
};

/// A node asks another to be met anew, with a certificate that the authority has given it meanwhile.
fn asks_anew(node: &NetworkEngine, to: &NetworkEngine, credentials: &Credentials) -> Arc<Met> {
    let (me, to) = (&node.0.me, &to.0);
    let greeting = Greeting {
        name: credentials.identity().name.clone(),
        public_key: me.public_key,
        proof: credentials.prove(&proved(&me.secret, &me.public_key)).ok(),
        salt: new_salt().unwrap(),
        word: Word::Asks,
    };
    let sealed = greeting.seal(&me.secret, me.address(), to.me.address());
    to.greeted(me.address(), &sealed.unwrap());
    let state = to.state();
    let anew = state.peers[&me.address()].anew.as_ref();
    Arc::clone(&anew.expect("it is about to be met anew").met)
}

fn ending_in(authority: &Issuer, name: &str, holds: Duration) -> Credentials {
    let (mut params, key) = (CertificateParams::default(), KeyPair::generate().unwrap());
    params.distinguished_name.push(DnType::CommonName, name);
    params.not_after = (SystemTime::now() + holds).into();
    let certificate = params.signed_by(&key, authority).unwrap();
    read(authority.pem(), &certificate, &key).unwrap()
}

#[tokio::test]
async fn a_node_is_not_met_anew_by_a_certificate_that_has_ended_meanwhile() {
    log::keep();
    let (air, authority) = (Arc::new(Air::default()), authority());
    let (host, ears_host) = air.node_with(1, issued(&authority, "host"));
    let (node, _ears) = air.node_with(1, issued(&authority, "node"));
    node.settled().await.unwrap();
    let before = ending_in(&authority, "node-before", Duration::from_secs(3));
    let met = asks_anew(&node, &host, &before);
    log::has_line(&["WARN", "parts from a node", "name=\"node-before\""]).await;
    assert!(!host.0.met_anew(node.0.me.address(), &met));
    // What holds by the other certificate goes on.
    assert!(echo(&node, &host, &ears_host, 1).await.is_some());
    assert!(ears_host.gone.borrow().is_empty());
}

#[tokio::test]
async fn a_node_is_not_met_anew_by_a_name_that_another_has_taken_meanwhile() {
    let (air, authority) = (Arc::new(Air::default()), authority());
    let (host, ears_host) = air.node_with(1, issued(&authority, "host"));
    let (node, _ears) = air.node_with(1, issued(&authority, "node"));
    node.settled().await.unwrap();
    let taken = issued(&authority, "taken").unwrap();
    let met = asks_anew(&node, &host, &taken);
    let (holder, _ears_holder) = air.node_with(1, Some(taken));
    holder.settled().await.unwrap();
    assert!(!host.0.met_anew(node.0.me.address(), &met));
    for (call, from) in [(1, &node), (2, &holder)] {
        assert!(echo(from, &host, &ears_host, call).await.is_some());
    }
    assert!(ears_host.gone.borrow().is_empty());
}

#[tokio::test]
async fn a_node_is_met_anew_once_and_what_is_older_or_newer_changes_nothing() {
    let (air, authority) = (Arc::new(Air::default()), authority());
    let (host, ears_host) = air.node_with(1, issued(&authority, "host"));
    let (node, _ears) = air.node_with(1, issued(&authority, "node"));
    node.settled().await.unwrap();
    let (from, renewed) = (node.0.me.address(), issued(&authority, "node").unwrap());
    let old = asks_anew(&node, &host, &renewed);
    let new = asks_anew(&node, &host, &renewed);
    assert!(!host.0.met_anew(from, &old));
    assert!(host.0.met_anew(from, &new));
    // A second text of it comes at the same time.
    assert!(host.0.met_anew(from, &new));
    assert_eq!(ears_host.gone.borrow().len(), 1);
    assert!(host.0.state().is_current(from, &new));
}

#[tokio::test]
async fn a_node_that_the_network_shows_meanwhile_is_not_forgotten() {
    let air = Arc::new(Air::default());
    let (one, ears_one) = air.node(1);
    let (two, _ears_two) = air.node(1);
    two.settled().await.unwrap();
    let address = two.0.me.address();
    one.0.not_there(address);
    assert!(echo(&two, &one, &ears_one, 1).await.is_some());
    one.0.state().peers.get_mut(&address).unwrap().is_seen = false;
    one.0.not_there(address);
    assert_eq!(*ears_one.gone.borrow(), [id(&two)]);
}
