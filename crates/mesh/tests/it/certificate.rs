//! Nodes with certificates: who they are, and who is not let in.

use std::{
    net::TcpListener,
    sync::Arc,
    time::{Duration, SystemTime},
};

use rustls::{
    ServerConfig, ServerConnection,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use toolmesh_mesh::{
    BuildError, CapabilitySet, Credentials, EngineError, Mesh, MeshBuilder, NodeId, RpcError,
};

use crate::{
    authority::{Authority, belongs, expired},
    log,
    support::{Net, Text, described, echo, misses, sees, text},
};

const GROUP: [u8; 32] = [0xab; 32];

async fn node(key: &[u8; 32], credentials: Credentials) -> Mesh {
    let builder = MeshBuilder::new("127.0.0.1:0", key).unwrap();
    builder.credentials(credentials).build().await.unwrap()
}

/// A node that is to connect to a place, with a certificate or without one.
async fn node_connecting(credentials: Option<Credentials>, place: &str) -> Mesh {
    let builder = MeshBuilder::new("127.0.0.1:0", &Net::zenoh().key()).unwrap();
    let builder = builder.connect(place).unwrap();
    let builder = match credentials {
        Some(credentials) => builder.credentials(credentials),
        None => builder,
    };
    builder.build().await.unwrap()
}

/// There is a line already with all of these in it.
async fn had_line(parts: &[&str]) {
    let found = tokio::time::timeout(Duration::ZERO, log::has_line(parts)).await;
    assert!(found.is_ok(), "{parts:?} was not told before");
}

/// Where a node listens.
fn place(mesh: &Mesh) -> String {
    let listens_at = &mesh.listens_at()[0];
    listens_at.split_once('/').unwrap().1.to_owned()
}

/// Where something listens that shows a certificate, whatever that is worth.
fn shows((certificate, key): (Vec<u8>, Vec<u8>)) -> String {
    let chain = CertificateDer::pem_slice_iter(&certificate).map(Result::unwrap);
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain.collect(), PrivateKeyDer::from_pem_slice(&key).unwrap())
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = listener.local_addr().unwrap().to_string();
    // Ends with the test program.
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut server = ServerConnection::new(Arc::clone(&config)).unwrap();
            // Whoever refuses the certificate leaves.
            let _ = server.complete_io(&mut stream);
        }
    });
    place
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_is_who_its_certificate_says_in_the_subnets_and_groups_of_it() {
    log::keep();
    let (key, authority) = (Net::zenoh().key(), Authority::new());
    let group = "toolmesh:group:".to_owned() + &"ab".repeat(32);
    let host = node(&key, authority.node("host")).await;
    let by_subnet = node(
        &key,
        authority.node_with("in-subnet", belongs(&["toolmesh:subnet:7"])),
    )
    .await;
    let by_group = node(&key, authority.node_with("in-group", belongs(&[&group]))).await;
    let by_name = node(&key, authority.node("by-name")).await;
    let stranger = node(&key, authority.node("stranger")).await;
    assert_eq!(by_name.node_id(), NodeId::of_name("by-name"));
    assert_eq!(by_subnet.identity().subnets, [7]);
    assert_eq!(by_group.identity().groups, [GROUP]);

    let restricted = CapabilitySet::new()
        .allow_node(NodeId::of_name("by-name"))
        .allow_subnet(7)
        .allow_group(GROUP);
    host.announce_capabilities(restricted).await.unwrap();
    let _served = host
        .serve_tool_with::<Text, Text, _, _>(described("who"), |context, _| async move {
            Ok(text(&context.caller().identity.clone().unwrap()))
        })
        .unwrap();
    for allowed in [&by_subnet, &by_group, &by_name] {
        sees(allowed, &host).await;
        let name = allowed.identity().name.clone();
        assert_eq!(allowed.call_tool("who", &text("")).await, Ok(text(&name)));
    }
    // The stranger sees the others, and so what there is to see for it.
    let _other = echo(&by_name, "open", "1.0.0");
    sees(&stranger, &by_name).await;
    assert_eq!(stranger.list_tools(None).len(), 1);
    let asked: Result<Text, _> = stranger
        .call_typed(host.node_id(), "who", &text(""), Default::default())
        .await;
    let denied = RpcError::CapabilityDenied {
        target: host.node_id().number(),
        capability: "who".into(),
    };
    assert_eq!(asked, Err(denied));
    log::has_line(&["WARN", "denied a call of the mesh", "caller=\"stranger\""]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_of_another_authority_or_without_a_certificate_is_not_let_in() {
    let key = Net::zenoh().key();
    let (ours, theirs) = (Authority::new(), Authority::new());
    let host = node(&key, ours.node("host")).await;
    let _served = echo(&host, "t", "1.0.0");
    let stranger = node(&key, theirs.node("host")).await;
    let bare = MeshBuilder::new("127.0.0.1:0", &key)
        .unwrap()
        .build()
        .await
        .unwrap();
    let friend = node(&key, ours.node("friend")).await;
    sees(&friend, &host).await;
    sees(&host, &friend).await;
    assert_eq!(friend.call_tool("t", &text("x")).await, Ok(text("host: x")));
    for refused in [&stranger, &bare] {
        assert_eq!(refused.list_tools(None), []);
        assert!(
            host.nodes()
                .iter()
                .all(|seen| seen.node == host.node_id() || seen.name == "friend"),
            "{refused:?}"
        );
        let asked: Result<Text, _> = refused
            .call_typed(host.node_id(), "t", &text("x"), Default::default())
            .await;
        assert!(asked.is_err());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_certificate_that_has_expired_or_is_of_another_authority_is_refused_and_logged() {
    log::keep();
    let (ours, theirs) = (Authority::new(), Authority::new());
    let late = shows(ours.issue("late", expired));
    let _node = node_connecting(Some(ours.node("node")), &late).await;
    log::has_line(&[
        "WARN",
        "not connected",
        &late,
        "its certificate is refused",
        "expired",
    ])
    .await;

    let other = node(&Net::zenoh().key(), theirs.node("other")).await;
    let _node = node_connecting(Some(ours.node("node")), &place(&other)).await;
    let unknown = [
        "WARN",
        &place(&other),
        "its certificate is refused",
        "UnknownIssuer",
    ];
    log::has_line(&unknown).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refused_certificate_is_logged_by_who_refuses_and_by_who_is_refused() {
    log::keep();
    let (ours, theirs) = (Authority::new(), Authority::new());
    let host = node(&Net::zenoh().key(), ours.node("host")).await;
    // This one believes the host, but the host does not believe it.
    let (certificate, key) = theirs.issue("stranger", |_| {});
    let both = Credentials::from_pem([theirs.pem(), ours.pem()].concat(), certificate, key);
    let _stranger = node_connecting(Some(both.unwrap()), &place(&host)).await;
    let refused = "it refuses the certificate of this node: UnknownCA";
    log::has_line(&["WARN", &place(&host), refused]).await;
    // The library of the links says this of whoever it does not let in.
    log::has_line(&[
        "WARN",
        "zenoh_link_tls",
        "invalid peer certificate: UnknownIssuer",
    ])
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn why_a_place_is_not_connected_is_logged() {
    log::keep();
    let authority = Authority::new();
    let host = node(&Net::zenoh().key(), authority.node("host")).await;
    let _bare = node_connecting(None, &place(&host)).await;
    let needed = "it takes only who has a certificate, and this node has none";
    log::has_line(&["WARN", &place(&host), needed]).await;

    let open = Net::zenoh().node(1).await;
    let _node = node_connecting(Some(authority.node("node")), &place(&open)).await;
    log::has_line(&["WARN", &place(&open), "does not speak TLS"]).await;

    // Another program's port: it takes connections, and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = silent.local_addr().unwrap().to_string();
    let _node = node_connecting(None, &at).await;
    log::has_line(&["WARN", &at, "is it the port of another program"]).await;

    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let _node = node_connecting(Some(authority.node("node")), &free.to_string()).await;
    log::has_line(&["WARN", &free.to_string(), "nothing answers there"]).await;
}

/// Long enough to meet on a slow machine.
const HOLDS: Duration = Duration::from_secs(20);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_is_parted_from_when_its_certificate_expires_whoever_connected() {
    let (key, authority) = (Net::zenoh().key(), Authority::new());
    let ends = (SystemTime::now() + HOLDS).into();
    let host = node(
        &key,
        authority.node_with("ending-host", |params| params.not_after = ends),
    )
    .await;
    let _served = echo(&host, "t", "1.0.0");
    let builder = MeshBuilder::new("127.0.0.1:0", &key).unwrap();
    let builder = builder.connect(&place(&host)).unwrap();
    let agent = builder
        .credentials(authority.node("agent"))
        .build()
        .await
        .unwrap();
    sees(&agent, &host).await;
    let answer = agent.call_tool("t", &text("x")).await;
    assert_eq!(answer, Ok(text("ending-host: x")));
    misses(&agent, &host).await;
    misses(&host, &agent).await;
    let error = agent.call_tool::<_, Text>("t", &text("x")).await.unwrap_err();
    assert_eq!(error.kind(), "no_route");
}

// On one thread: what waits within the network may not do so there.
#[tokio::test]
async fn a_node_is_parted_from_when_its_certificate_expires() {
    log::keep();
    let (key, authority) = (Net::zenoh().key(), Authority::new());
    let host = node(&key, authority.node("host")).await;
    let _served = echo(&host, "t", "1.0.0");
    let short = authority.node_with("short", |params| {
        params.not_after = (SystemTime::now() + HOLDS).into();
    });
    let builder = MeshBuilder::new("127.0.0.1:0", &key).unwrap();
    let builder = builder.connect(&place(&host)).unwrap().credentials(short);
    let short = builder.build().await.unwrap();
    sees(&short, &host).await;
    assert_eq!(short.call_tool("t", &text("x")).await, Ok(text("host: x")));
    log::has_line(&["WARN", "the certificate of `short` ends in less than an hour"]).await;
    misses(&short, &host).await;
    misses(&host, &short).await;
    let error = short.call_tool::<_, Text>("t", &text("x")).await.unwrap_err();
    assert_eq!(error.kind(), "no_route");
    let expired = "it refuses the certificate of this node: CertificateExpired";
    log::has_line(&["WARN", &place(&host), expired]).await;
    log::has_line(&["WARN", "the certificate of `short` has ended"]).await;
}

#[tokio::test]
async fn beyond_loopback_a_node_needs_a_certificate_or_a_word() {
    let key = Net::zenoh().key();
    let bare = MeshBuilder::new("0.0.0.0:0", &key).unwrap().build().await;
    assert!(matches!(bare.unwrap_err(), BuildError::Plaintext(_)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_program_with_a_certificate_is_told_so_and_the_first_goes_on() {
    log::keep();
    let (key, authority) = (Net::zenoh().key(), Authority::new());
    let host = node(&key, authority.node("host")).await;
    let _served = echo(&host, "t", "1.0.0");
    let first = node(&key, authority.node("twin-of-zenoh")).await;
    sees(&first, &host).await;
    let builder = MeshBuilder::new("127.0.0.1:0", &key).unwrap();
    let second = builder.credentials(authority.node("twin-of-zenoh")).build().await;
    let error = second.unwrap_err();
    assert!(
        matches!(&error, BuildError::Engine(EngineError::Twin(name)) if name == "twin-of-zenoh"),
        "{error}"
    );
    assert_eq!(first.call_tool("t", &text("x")).await, Ok(text("host: x")));
    log::has_line(&[
        "WARN",
        "with the certificate of this node",
        "name=\"twin-of-zenoh\"",
    ])
    .await;
    log::has_line(&[
        "WARN",
        "a second program has the certificate",
        "name=\"twin-of-zenoh\"",
    ])
    .await;

    // It may be that node when the first is gone.
    drop(first);
    let again = node_when_free(&key, &authority, "twin-of-zenoh").await;
    sees(&again, &host).await;
    assert_eq!(again.call_tool("t", &text("y")).await, Ok(text("host: y")));
}

/// A node with a certificate that another program had a moment ago.
async fn node_when_free(key: &[u8; 32], authority: &Authority, name: &str) -> Mesh {
    let joining = async {
        loop {
            let builder = MeshBuilder::new("127.0.0.1:0", key).unwrap();
            match builder.credentials(authority.node(name)).build().await {
                Err(BuildError::Engine(EngineError::Twin(_))) => {}
                built => return built.unwrap(),
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), joining)
        .await
        .expect("the first is gone")
}

// On one thread: what waits within the network may not do so there.
#[tokio::test]
async fn a_node_that_is_alone_is_told_why_before_it_is_built() {
    log::keep();
    let authority = Authority::new();
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = nobody.local_addr().unwrap().to_string();
    drop(nobody);
    let _node = node_connecting(Some(authority.node("node")), &at).await;
    had_line(&["WARN", "not connected", &at, "nothing answers there"]).await;

    let other = node(&Net::zenoh().key(), Authority::new().node("other")).await;
    let _node = node_connecting(Some(authority.node("node")), &place(&other)).await;
    had_line(&[
        "WARN",
        "not connected",
        &place(&other),
        "its certificate is refused",
    ])
    .await;

    // Connected, and yet alone: the other is of another mesh.
    let other = node(&Net::zenoh().key(), authority.node("other")).await;
    let _node = node_connecting(Some(authority.node("node")), &place(&other)).await;
    had_line(&["WARN", &place(&other), "no node of this mesh is there"]).await;
}

/// Callers of two nodes with certificates call each the other at once: both ends of the link between them read and write all
/// the time. What each says is made of its number and that of its call.
async fn call_both_ways(callers: usize, calls: usize, said: fn(usize, usize) -> String) {
    let (key, authority) = (Net::zenoh().key(), Authority::new());
    let one = node(&key, authority.node("one")).await;
    let two = node(&key, authority.node("two")).await;
    let _served = (echo(&one, "of-one", "1.0.0"), echo(&two, "of-two", "1.0.0"));
    sees(&one, &two).await;
    sees(&two, &one).await;
    let callers = (0..callers).map(|caller| {
        let (mesh, tool, name) = match caller % 2 {
            0 => (one.clone(), "of-two", "two"),
            _ => (two.clone(), "of-one", "one"),
        };
        tokio::spawn(async move {
            for call in 0..calls {
                let said = said(caller, call);
                let answer: Text = mesh.call_tool(tool, &text(&said)).await.unwrap();
                // Not told whole: it may be megabytes.
                assert!(answer == text(&format!("{name}: {said}")), "{caller} {call}");
            }
        })
    });
    for caller in callers.collect::<Vec<_>>() {
        caller.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_of_many_callers_at_once_are_all_answered() {
    call_both_ways(32, 100, |caller, call| {
        format!("{caller} {call} {}", "x".repeat(call * 7))
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn megabytes_go_both_ways_at_once() {
    call_both_ways(8, 3, |caller, _| caller.to_string().repeat(1_000_000)).await;
}
