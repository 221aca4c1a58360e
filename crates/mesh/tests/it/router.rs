//! Nodes that reach each other by a router alone.

use toolmesh_mesh::{Alone, BuildError, CallOptions, Mesh, MeshBuilder, MeshRouter, RetryPolicy};

use crate::{
    authority::Authority,
    log,
    support::{Net, Text, echo, misses, sees, text, until},
};

fn place(router: &MeshRouter) -> String {
    router.listens_at()[0].replace("tcp/", "")
}

async fn node(key: &[u8; 32], router: &str, name: &str) -> Mesh {
    let builder = MeshBuilder::new("127.0.0.1:0", key).unwrap().name(name);
    builder.router(router).unwrap().build().await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_router_carries_its_meshes_and_no_others() {
    let (ours, others) = (Net::zenoh().key(), Net::zenoh().key());
    let router = MeshRouter::builder("127.0.0.1:0").unwrap().mesh(&ours);
    let router = router.open().await.unwrap();
    let place = place(&router);
    let (host, agent) = (
        node(&ours, &place, "host").await,
        node(&ours, &place, "agent").await,
    );
    assert_eq!(agent.listens_at(), Vec::<String>::new());
    let (foreign_host, foreign_agent) = (
        node(&others, &place, "host").await,
        node(&others, &place, "agent").await,
    );
    let _served = (echo(&host, "t", "1.0.0"), echo(&foreign_host, "t", "1.0.0"));
    sees(&agent, &host).await;
    assert_eq!(agent.call_tool("t", &text("x")).await, Ok(text("host: x")));
    let long = text(&"x".repeat(1_000_000));
    let answer: Text = agent.call_tool("t", &long).await.unwrap();
    assert_eq!(answer.text.len(), "host: ".len() + long.text.len());
    assert_eq!(foreign_agent.nodes().len(), 1);
}

/// On one thread: what waits within the network may not do so there.
#[tokio::test]
async fn the_first_node_of_a_router_is_alone_there() {
    let key = Net::zenoh().key();
    let router = MeshRouter::builder("127.0.0.1:0").unwrap().mesh(&key);
    let router = router.open().await.unwrap();
    let place = place(&router);
    let first = node(&key, &place, "first").await;
    let there = |alone: &Alone| matches!(alone, Alone::Nobody(at) if *at == [place.clone()]);
    assert!(first.alone().as_ref().is_some_and(there), "{:?}", first.alone());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_fail_while_the_router_is_gone_and_work_again_when_it_is_back() {
    let key = Net::zenoh().key();
    let router = MeshRouter::builder("127.0.0.1:0").unwrap().open().await.unwrap();
    let place = place(&router);
    let (host, agent) = (
        node(&key, &place, "host").await,
        node(&key, &place, "agent").await,
    );
    let _served = echo(&host, "t", "1.0.0");
    sees(&agent, &host).await;
    router.close().await;
    misses(&agent, &host).await;
    let once = CallOptions::new().with_retry(RetryPolicy::never());
    let error = agent.call_tool_with::<_, Text>("t", &text("x"), &once).await;
    assert_eq!(error.unwrap_err().kind(), "no_route");
    assert_eq!(host.call_tool("t", &text("y")).await, Ok(text("host: y")));

    // The port was free a moment ago; whoever listens there now listens for these nodes.
    let again = MeshRouter::builder(&place).unwrap().open().await.unwrap();
    until(&agent, "the host is seen again", || {
        !agent.list_tools(None).is_empty()
    })
    .await;
    assert_eq!(agent.call_tool("t", &text("z")).await, Ok(text("host: z")));
    drop(again);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_whose_router_is_not_there_says_so() {
    let key = Net::zenoh().key();
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let place = nobody.local_addr().unwrap().to_string();
    drop(nobody);
    let builder = MeshBuilder::new("127.0.0.1:0", &key).unwrap();
    let error = builder.router(&place).unwrap().build().await.unwrap_err();
    let error = error.to_string();
    assert!(
        error.contains(&place) && error.contains("nothing answers there"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_router_with_members_carries_only_what_they_send() {
    let (key, authority) = (Net::zenoh().key(), Authority::new());
    let router = MeshRouter::builder("127.0.0.1:0").unwrap().mesh(&key);
    let router = router.credentials(authority.node("router"));
    let router = router.member("host").member("agent").open().await.unwrap();
    let at = router.listens_at()[0].replace("tls/", "");
    let node = async |name: &str| {
        let builder = MeshBuilder::new("127.0.0.1:0", &key).unwrap();
        let builder = builder.credentials(authority.node(name)).router(&at).unwrap();
        builder.build().await.unwrap()
    };
    let (host, outsider, agent) = (node("host").await, node("outsider").await, node("agent").await);
    let _served = (echo(&host, "t", "1.0.0"), echo(&outsider, "u", "1.0.0"));
    sees(&agent, &host).await;
    assert_eq!(agent.call_tool("t", &text("x")).await, Ok(text("host: x")));
    // The outsider came before the agent, and so would be seen by now.
    assert_eq!(agent.nodes().len(), 2);
    assert_eq!(outsider.nodes().len(), 1);
    assert_eq!(outsider.list_tools(None).len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn why_a_router_refuses_a_node_is_said() {
    let (ours, theirs) = (Authority::new(), Authority::new());
    let router = MeshRouter::builder("127.0.0.1:0").unwrap();
    let router = router.credentials(ours.node("router")).open().await.unwrap();
    let at = router.listens_at()[0].replace("tls/", "");
    let builder = MeshBuilder::new("127.0.0.1:0", &Net::zenoh().key()).unwrap();
    let builder = builder.credentials(theirs.node("node")).router(&at).unwrap();
    let error = builder.build().await.unwrap_err().to_string();
    assert!(error.contains(&at) && error.contains("UnknownIssuer"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_router_that_is_lost_is_logged() {
    log::keep();
    let first = MeshRouter::builder("127.0.0.1:0").unwrap().open().await.unwrap();
    let at = place(&first);
    let second = MeshRouter::builder("127.0.0.1:0").unwrap().connect(&at).unwrap();
    let _second = second.open().await.unwrap();
    first.close().await;
    log::has_line(&["WARN", "not connected", &at, "nothing answers there"]).await;
}

#[tokio::test]
async fn beyond_loopback_a_router_needs_a_certificate_or_a_word() {
    let router = MeshRouter::builder("0.0.0.0:0").unwrap().open().await;
    assert!(matches!(router.unwrap_err(), BuildError::Plaintext(_)));
}
