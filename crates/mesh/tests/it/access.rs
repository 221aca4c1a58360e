//! Who sees and calls what.

use std::sync::{Arc, Mutex};

use toolmesh_mesh::{
    AnnounceError, BuildError, CallOptionsTyped, CapabilitySet, Identity, MemoryNetwork, Mesh, MeshBuilder,
    NodeId, RpcError, TOOL_METADATA_FETCH_SERVICE, ToolMetadataRequest,
    engine::{Control, Engine, Inbound, Presence, Replies},
};
use toolmesh_tool::{Dispatcher, Prefix, Tool, ToolResult, Toolbox, json::Value};

use crate::support::{Net, Text, echo, listed, node, node_as, over_engines, sees, text};

#[tokio::test]
async fn nodes_with_another_key_neither_see_nor_reach_each_other() {
    let build = |key: u8| async move {
        let builder = MeshBuilder::new("127.0.0.1:0", &[key; 32]).unwrap();
        builder.name(format!("key-{key}")).build().await.unwrap()
    };
    let (host, friend, stranger) = (build(201).await, build(201).await, build(202).await);
    let _served = echo(&host, "t", "1.0.0");
    sees(&friend, &host).await;
    assert_eq!(listed(&friend).len(), 1);
    assert_eq!(
        friend.call_tool::<_, Text>("t", &text("x")).await,
        Ok(text("key-201: x"))
    );
    assert_eq!(listed(&stranger), []);
    let direct = CallOptionsTyped::default();
    let reached: Result<Text, _> = stranger.call_typed(host.node_id(), "t", &text("x"), direct).await;
    assert_eq!(reached.unwrap_err().kind(), "no_route");
    assert_eq!(stranger.nodes().len(), 1);
}

#[test]
fn an_address_needs_a_port() {
    let error = MeshBuilder::new("localhost", &[0; 32]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`localhost` is no address; write HOST:PORT, such as 127.0.0.1:0"
    );
}

/// Keeps what it is told.
#[derive(Default)]
struct Told(Mutex<Vec<Presence>>);

impl Inbound for Told {
    fn request(&self, _: Identity, _: u64, _: Vec<u8>, _: Box<dyn Replies>) {}

    fn control(&self, _: NodeId, _: u64, _: Control) {}

    fn presence(&self, _: &Identity, change: Presence) {
        self.0.lock().unwrap().push(change);
    }
}

#[tokio::test]
async fn who_is_not_allowed_is_told_nothing_while_a_node_starts() {
    let network = MemoryNetwork::new();
    let told: Vec<Arc<Told>> = [2, 3]
        .map(|number| {
            let told = Arc::new(Told::default());
            let engine = network.node(Identity::new(NodeId::new(number), format!("raw-{number}")));
            engine.join(Arc::clone(&told) as Arc<dyn Inbound>).unwrap();
            told
        })
        .into();
    let toolbox = Toolbox::new();
    let tool = Tool::with_name("t")
        .json_object_arguments()
        .handler(|_, _| async { ToolResult::text("own") })
        .build()
        .unwrap();
    let own = toolbox.mount("own", Prefix::None).unwrap();
    own.add(vec![tool]).unwrap();
    let engine = network.node(Identity::new(NodeId::new(1), "node-1"));
    let _host = MeshBuilder::on(Arc::new(engine))
        .dispatcher(Dispatcher::builder(toolbox).build())
        .capabilities(CapabilitySet::new().tag("region.eu").allow_node(NodeId::new(3)))
        .unwrap()
        .build()
        .await
        .unwrap();
    let rows = told.iter().map(|told| {
        let told = told.0.lock().unwrap();
        let rows = told.iter().filter(|change| matches!(change, Presence::Put(..)));
        rows.count()
    });
    // Who is allowed is told of the node and its tool, once each.
    assert_eq!(rows.collect::<Vec<_>>(), [0, 2]);
}

#[test]
fn capabilities_that_are_not_allowed_are_refused_before_a_node_is_built() {
    let builder = MeshBuilder::new("127.0.0.1:0", &[1; 32]).unwrap();
    let refused = builder
        .capabilities(CapabilitySet::new().tag("scope:x"))
        .unwrap_err();
    assert!(matches!(refused, BuildError::Capabilities(_)), "{refused}");
}

async fn call_directly(from: &Mesh, host: &Mesh) -> Result<Text, RpcError> {
    from.call_typed(host.node_id(), "t", &text("x"), CallOptionsTyped::default())
        .await
}

#[tokio::test]
async fn who_is_not_allowed_neither_sees_nor_calls() {
    let network = MemoryNetwork::new();
    let host = node(&network, 1).await;
    let _served = echo(&host, "t", "1.0.0");
    let by_node = node(&network, 2).await;
    let by_subnet = node_as(
        &network,
        Identity {
            subnets: vec![7],
            ..Identity::new(NodeId::new(3), "in-subnet")
        },
    )
    .await;
    let by_group = node_as(
        &network,
        Identity {
            groups: vec![[1; 32]],
            ..Identity::new(NodeId::new(4), "in-group")
        },
    )
    .await;
    let stranger = node(&network, 5).await;
    assert_eq!(listed(&stranger).len(), 1);

    let restricted = CapabilitySet::new()
        .allow_node(NodeId::new(2))
        .allow_subnet(7)
        .allow_group([1; 32]);
    host.announce_capabilities(restricted).await.unwrap();
    for allowed in [&by_node, &by_subnet, &by_group, &host] {
        assert_eq!(listed(allowed).len(), 1, "{allowed:?}");
        assert!(call_directly(allowed, &host).await.is_ok(), "{allowed:?}");
    }
    let late = node(&network, 6).await;
    for refused in [&stranger, &late] {
        assert_eq!(listed(refused), []);
        let routed = refused.call_tool::<_, Text>("t", &text("x")).await;
        assert_eq!(routed.unwrap_err().kind(), "no_route");
        let denied = RpcError::CapabilityDenied {
            target: 1,
            capability: "t".into(),
        };
        assert_eq!(call_directly(refused, &host).await, Err(denied));
        let asked = ToolMetadataRequest { name: "t".into() };
        let metadata: Result<Value, _> = refused
            .call_typed(
                host.node_id(),
                TOOL_METADATA_FETCH_SERVICE,
                &asked,
                CallOptionsTyped::default(),
            )
            .await;
        assert_eq!(metadata.unwrap_err().kind(), "capability_denied");
    }

    host.announce_capabilities(CapabilitySet::new()).await.unwrap();
    assert_eq!(listed(&stranger).len(), 1);
    assert_eq!(listed(&late).len(), 1);
}

async fn capabilities_that_are_not_allowed_change_nothing(net: Net) {
    let (host, agent) = (net.node(1).await, net.node(2).await);
    host.announce_capabilities(CapabilitySet::new().tag("region.eu"))
        .await
        .unwrap();
    let wrong = CapabilitySet::new().tag("scope:x").allow_node(NodeId::new(9));
    let error = host.announce_capabilities(wrong).await.unwrap_err();
    assert!(matches!(error, AnnounceError::Capabilities(_)), "{error}");
    sees(&agent, &host).await;
    let seen = agent
        .nodes()
        .into_iter()
        .find(|seen| seen.node == host.node_id())
        .unwrap();
    assert_eq!(
        (seen.tags, seen.name.as_str()),
        (vec!["region.eu".to_owned()], "node-1")
    );
}

#[tokio::test]
async fn a_number_is_in_the_mesh_once() {
    let network = MemoryNetwork::new();
    let first = node(&network, 1).await;
    let second = MeshBuilder::on(Arc::new(network.node(Identity::new(NodeId::new(1), "again"))));
    assert!(second.build().await.is_err());
    let _served = echo(&first, "t", "1.0.0");
    assert_eq!(call_directly(&first, &first).await, Ok(text("node-1: x")));
}

over_engines!(capabilities_that_are_not_allowed_change_nothing);
