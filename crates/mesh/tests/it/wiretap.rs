//! What somebody on the network can do who has not got the key.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU32, Ordering},
};

use toolmesh_mesh::Mesh;
use zenoh::{Config, Session, Wait};

use crate::support::{Net, Text, described, sees, text, until};

/// A stranger's own session, connected to these nodes.
fn stranger(nodes: &[&Mesh]) -> Session {
    let mut config = Config::default();
    let places: Vec<String> = nodes.iter().flat_map(|node| node.listens_at()).collect();
    let set = [
        ("connect/endpoints", format!("{places:?}")),
        ("listen/endpoints", r#"["tcp/127.0.0.1:0"]"#.to_owned()),
        ("scouting/multicast/enabled", "false".to_owned()),
    ];
    for (key, value) in set {
        config.insert_json5(key, &value).unwrap();
    }
    zenoh::open(config).wait().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_has_no_key_reads_nothing_and_forges_nothing() {
    const SECRET: &str = "nobody else may read this";
    let net = Net::zenoh();
    let (host, agent) = net.pair().await;
    let calls = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&calls);
    let _served = host
        .serve_tool::<Text, Text, _, _>(described("t"), move |said| {
            counted.fetch_add(1, Ordering::Relaxed);
            async move { Ok(said) }
        })
        .unwrap();
    sees(&agent, &host).await;

    let stranger = stranger(&[&host, &agent]);
    let heard = Arc::new(Mutex::new(Vec::<(String, Vec<u8>)>::new()));
    let notes = Arc::clone(&heard);
    let _tap = stranger
        .declare_subscriber("**")
        .callback(move |sample| {
            let text = sample.payload().to_bytes().into_owned();
            notes.lock().unwrap().push((sample.key_expr().to_string(), text));
        })
        .wait()
        .unwrap();
    // The stranger's wish to hear everything takes a moment to arrive.
    let mut asked = 0;
    while heard.lock().unwrap().len() < 4 {
        assert_eq!(agent.call_tool("t", &text(SECRET)).await, Ok(text(SECRET)));
        asked += 1;
        assert!(asked < 10_000, "the stranger hears nothing");
    }
    let texts = heard.lock().unwrap().clone();
    for (key, text) in &texts {
        for plain in [SECRET.as_bytes(), b"node-1", b"toolmesh"] {
            let is_there = text.windows(plain.len()).any(|window| window == plain);
            assert!(!is_there, "{key} can be read");
        }
    }
    // What was heard, again; and what was changed.
    for (key, text) in texts {
        let mut changed = text.clone();
        if let Some(last) = changed.last_mut() {
            *last ^= 1;
        }
        for text in [text, changed, b"\x01".to_vec(), Vec::new()] {
            stranger.put(key.as_str(), text).wait().unwrap();
        }
    }
    let end: Text = agent.call_tool("t", &text("end")).await.unwrap();
    assert_eq!(end, text("end"));
    until(&agent, "the mesh is as it was", || {
        agent.list_tools(None).len() == 1
    })
    .await;
    assert_eq!(calls.load(Ordering::Relaxed), asked + 1);
    assert_eq!(agent.nodes().len(), 2);
}
