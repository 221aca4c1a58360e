//! Tools whose schemas a source fetches before it offers them.

use sha2::{Digest, Sha256};
use tokio::{
    sync::mpsc,
    time::{Duration, Instant, timeout},
};
use toolmesh_mesh::{MemoryNetwork, Mesh, engine::Control, wire::Status};
use toolmesh_tool::{Toolbox, json::Value};

use crate::{
    hostile::{Event, Raw, names, reply, toolbox_of},
    support::node,
};

/// Longer than every pause between two tries; the clock of these tests stands still while something happens.
const SOON: Duration = Duration::from_secs(600);

const SCHEMA: &[u8] = br#"{"type":"object","title":"fetched"}"#;

/// A gateway, a host that answers as the test likes, and what came for it.
async fn gateway_and_host() -> (Mesh, Raw, mpsc::UnboundedReceiver<Event>) {
    let network = MemoryNetwork::new();
    let agent = node(&network, 1).await;
    let (raw, events) = Raw::join(&network, 2);
    (agent, raw, events)
}

/// Announces the tool `t` by the digest of its schema.
fn announce(raw: &Raw) {
    let row = Value::object()
        .put("tool_id", "t")
        .put("name", "t")
        .put("version", "1.0.0")
        .put("input_schema_sha256", hex::encode(Sha256::digest(SCHEMA)));
    raw.announce("t", row.build().to_text().into_bytes());
}

fn schema() -> Vec<u8> {
    reply(Status::Ok, &[], SCHEMA)
}

async fn asked(events: &mut mpsc::UnboundedReceiver<Event>) {
    let request = async { while events.recv().await != Some(Event::Request) {} };
    timeout(SOON, request).await.unwrap();
}

async fn until(toolbox: &Toolbox, expected: &[&str]) {
    let mut changes = toolbox.watch();
    let expected = [&["own mine"], expected].concat();
    let there = async {
        while names(toolbox) != expected {
            changes.changed().await.unwrap();
        }
    };
    timeout(SOON, there)
        .await
        .unwrap_or_else(|_| panic!("{expected:?}: {:?}", names(toolbox)));
}

/// Whether the tool has the schema that was fetched.
fn has_schema(toolbox: &Toolbox) -> bool {
    let catalogue = toolbox.snapshot();
    let tool = catalogue.tool("t", None).unwrap().descriptor();
    tool.input_schema.is_some_and(|schema| schema.contains("fetched"))
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_is_announced_again_while_its_schema_is_fetched_is_offered() {
    let (agent, raw, mut events) = gateway_and_host().await;
    let toolbox = toolbox_of(&agent, "mine").await;
    announce(&raw);
    asked(&mut events).await;
    announce(&raw);
    // When this one is there, the second announcement was looked at.
    raw.announce_tool("other");
    until(&toolbox, &["mesh other"]).await;
    raw.answer([schema()]).await;
    until(&toolbox, &["mesh other", "mesh t"]).await;
    assert!(has_schema(&toolbox));
}

#[tokio::test(start_paused = true)]
async fn a_schema_that_did_not_come_is_asked_for_again() {
    let (agent, raw, mut events) = gateway_and_host().await;
    announce(&raw);
    let began = Instant::now();
    let busy = reply(Status::Backpressure, &[], b"busy");
    let first = async {
        asked(&mut events).await;
        raw.answer([busy.clone()]).await
    };
    let (toolbox, _) = tokio::join!(toolbox_of(&agent, "mine"), first);
    // The start of a source does not wait for another try.
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    // Without a frame the host is lost.
    for frame in [None, Some(busy)] {
        asked(&mut events).await;
        until(&toolbox, &[]).await;
        raw.answer(frame).await;
    }
    asked(&mut events).await;
    raw.answer([schema()]).await;
    until(&toolbox, &["mesh t"]).await;
    assert!(has_schema(&toolbox));
}

#[tokio::test(start_paused = true)]
async fn a_host_that_will_never_give_a_schema_is_not_asked_again_until_it_announces_something_else() {
    let denied = reply(Status::AdmissionDenied, &[], b"no");
    let other = reply(Status::Ok, &[], br#"{"type":"array"}"#);
    for refusal in [denied, other] {
        let (agent, raw, mut events) = gateway_and_host().await;
        let toolbox = toolbox_of(&agent, "mine").await;
        announce(&raw);
        asked(&mut events).await;
        raw.answer([refusal]).await;
        let again = async { while events.recv().await != Some(Event::Request) {} };
        assert!(timeout(SOON, again).await.is_err());
        raw.announce_tool("t");
        until(&toolbox, &["mesh t"]).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_was_another_for_a_while_is_offered_as_it_is_now() {
    let (agent, raw, mut events) = gateway_and_host().await;
    let toolbox = toolbox_of(&agent, "mine").await;
    announce(&raw);
    asked(&mut events).await;
    raw.announce_tool("t");
    until(&toolbox, &["mesh t"]).await;
    assert!(!has_schema(&toolbox));
    // What nobody waits for any more is given up, long before its deadline.
    let given_up = timeout(Duration::from_secs(1), events.recv()).await;
    assert_eq!(given_up, Ok(Some(Event::Control(Control::Cancel))));
    announce(&raw);
    asked(&mut events).await;
    raw.answer([schema()]).await;
    until(&toolbox, &["mesh t"]).await;
    let mut changes = toolbox.watch();
    while !has_schema(&toolbox) {
        timeout(SOON, changes.changed()).await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_asked_of_a_host_about_a_tool_that_it_took_back() {
    let (agent, raw, mut events) = gateway_and_host().await;
    let toolbox = toolbox_of(&agent, "mine").await;
    announce(&raw);
    asked(&mut events).await;
    raw.answer([reply(Status::Backpressure, &[], b"busy")]).await;
    raw.withdraw("t");
    raw.announce_tool("other");
    until(&toolbox, &["mesh other"]).await;
    let again = async { while events.recv().await != Some(Event::Request) {} };
    assert!(timeout(SOON, again).await.is_err());
}
