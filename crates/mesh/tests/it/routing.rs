//! Which host takes a call.

use std::collections::BTreeMap;

use toolmesh_mesh::{
    Axis, CallOptions, CapabilitySet, MemoryNetwork, Mesh, Predicate, RoutingPolicy, RpcError,
    ToolServeHandle,
};
use toolmesh_tool::semver::VersionReq;

use crate::support::{Text, echo, node, pair, text};

async fn three_hosts() -> (Vec<Mesh>, Vec<ToolServeHandle>, Mesh) {
    let network = MemoryNetwork::new();
    let (mut hosts, mut served) = (Vec::new(), Vec::new());
    for number in 1..=3 {
        let host = node(&network, number).await;
        served.push(echo(&host, "t", "1.0.0"));
        hosts.push(host);
    }
    (hosts, served, node(&network, 9).await)
}

/// The name of the host that took a call.
async fn taken_by(agent: &Mesh, options: &CallOptions) -> Result<String, RpcError> {
    let answer: Text = agent.call_tool_with("t", &text("x"), options).await?;
    Ok(answer.text.trim_end_matches(": x").to_owned())
}

#[tokio::test]
async fn hosts_take_turns_unless_the_call_is_sticky() {
    let (hosts, _served, agent) = three_hosts().await;
    let mut shares = BTreeMap::<String, u32>::new();
    for _ in 0..30 {
        *shares
            .entry(taken_by(&agent, &CallOptions::new()).await.unwrap())
            .or_default() += 1;
    }
    assert_eq!(shares.into_values().collect::<Vec<_>>(), [10, 10, 10]);

    let sticky = CallOptions::new().with_routing(RoutingPolicy::Sticky { key: 5 });
    let first = taken_by(&agent, &sticky).await.unwrap();
    for _ in 0..10 {
        assert_eq!(taken_by(&agent, &sticky).await.unwrap(), first);
    }
    let owner = hosts.iter().find(|host| host.identity().name == first).unwrap();
    owner.shutdown();
    let next = taken_by(&agent, &sticky).await.unwrap();
    assert_ne!(next, first);
    for policy in [RoutingPolicy::Random, RoutingPolicy::LowestLatency] {
        let options = CallOptions::new().with_routing(policy);
        assert_ne!(taken_by(&agent, &options).await.unwrap(), first);
    }
}

#[tokio::test]
async fn versions_stand_side_by_side_and_a_call_may_ask_for_one() {
    let network = MemoryNetwork::new();
    let (old, new, agent) = (
        node(&network, 1).await,
        node(&network, 2).await,
        node(&network, 3).await,
    );
    let _served = (
        echo(&old, "t", "1.2.0"),
        echo(&new, "t", "1.3.0"),
        echo(&new, "t", "2.0.0-beta.1"),
    );
    let _one_node_has_two = echo(&old, "t", "0.9.0");
    let with = |requirement: &str| CallOptions::new().with_version(VersionReq::parse(requirement).unwrap());
    assert_eq!(taken_by(&agent, &with("~1.2")).await.unwrap(), "node-1");
    assert_eq!(taken_by(&agent, &with("^1")).await.unwrap(), "node-2");
    assert_eq!(taken_by(&agent, &with("<1.0")).await.unwrap(), "node-1");
    // Without a requirement the highest there is takes the call.
    assert_eq!(taken_by(&agent, &CallOptions::new()).await.unwrap(), "node-2");
    let error = taken_by(&agent, &with("^3")).await.unwrap_err();
    assert!(
        matches!(&error, RpcError::NoRoute { reason, .. } if reason.contains("^3")),
        "{error}"
    );
}

#[tokio::test]
async fn a_predicate_chooses_the_host_and_is_judged_there_again() {
    let (hosts, _served, agent) = three_hosts().await;
    let capable = CapabilitySet::new()
        .tag("hardware.memory_gb=128")
        .metadata("intent", "training");
    hosts[1].announce_capabilities(capable).await.unwrap();
    let wanted = Predicate::numeric_at_least(Axis::Hardware, "memory_gb", 64.0)
        .and(Predicate::metadata_equals("intent", "training"));
    let options = CallOptions::new().with_where(&wanted);
    for _ in 0..3 {
        assert_eq!(taken_by(&agent, &options).await.unwrap(), "node-2");
    }
    let nobody = CallOptions::new().with_where(&wanted.negate().and(Predicate::exists(Axis::Devices, "x")));
    assert_eq!(taken_by(&agent, &nobody).await.unwrap_err().kind(), "no_route");

    // A host that is called by its number judges for itself.
    let direct = toolmesh_mesh::CallOptionsTyped {
        raw: options,
        ..Default::default()
    };
    let refused: Result<Text, _> = agent
        .call_typed(hosts[0].node_id(), "t", &text("x"), direct.clone())
        .await;
    assert!(
        matches!(refused, Err(RpcError::ServerError { status: 1, .. })),
        "{refused:?}"
    );
    let taken: Result<Text, _> = agent
        .call_typed(hosts[1].node_id(), "t", &text("x"), direct)
        .await;
    assert_eq!(taken, Ok(text("node-2: x")));
}

#[tokio::test]
async fn the_predicate_reaches_the_handler_as_a_header() {
    let (host, agent) = pair().await;
    let _served = host
        .serve_tool_with::<Text, Text, _, _>(crate::support::described("t"), |context, _| async move {
            let header = context.headers().iter().find(|(name, _)| name == "net-where");
            Ok(text(header.map(|(_, value)| value.as_str()).unwrap_or_default()))
        })
        .unwrap();
    let predicate = Predicate::metadata_exists("intent").negate();
    let options = CallOptions::new().with_where(&predicate);
    let told: Text = agent.call_tool_with("t", &text("x"), &options).await.unwrap();
    assert_eq!(Predicate::from_header(&told.text), Ok(predicate));
}
