//! Which host takes a call.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use toolmesh_mesh::{
    Axis, BreakerPolicy, CallOptions, CapabilitySet, MemoryNetwork, Mesh, Predicate, RetryPolicy,
    RoutingPolicy, RpcError, ToolServeHandle,
};
use toolmesh_tool::semver::VersionReq;

use crate::support::{Net, Text, described, echo, misses, node, over_engines, pair, sees, text};

async fn three_hosts(net: &Net) -> (Vec<Mesh>, Vec<ToolServeHandle>, Mesh) {
    let (mut hosts, mut served) = (Vec::new(), Vec::new());
    for number in 1..=3 {
        let host = net.node(number).await;
        served.push(echo(&host, "t", "1.0.0"));
        hosts.push(host);
    }
    let agent = net.node(9).await;
    for host in &hosts {
        sees(&agent, host).await;
    }
    (hosts, served, agent)
}

/// The name of the host that took a call.
async fn taken_by(agent: &Mesh, options: &CallOptions) -> Result<String, RpcError> {
    let answer: Text = agent.call_tool_with("t", &text("x"), options).await?;
    Ok(answer.text.trim_end_matches(": x").to_owned())
}

async fn hosts_take_turns_unless_the_call_is_sticky(net: Net) {
    let (hosts, _served, agent) = three_hosts(&net).await;
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
    misses(&agent, owner).await;
    let next = taken_by(&agent, &sticky).await.unwrap();
    assert_ne!(next, first);
    for policy in [RoutingPolicy::Random, RoutingPolicy::LowestLatency] {
        let options = CallOptions::new().with_routing(policy);
        assert_ne!(taken_by(&agent, &options).await.unwrap(), first);
    }
}

async fn random_calls_reach_every_host(net: Net) {
    let (_hosts, _served, agent) = three_hosts(&net).await;
    let random = CallOptions::new().with_routing(RoutingPolicy::Random);
    let mut reached = BTreeMap::<String, u32>::new();
    // That one of three is left out of so many is less likely than a fault of the machine.
    for _ in 0..150 {
        *reached
            .entry(taken_by(&agent, &random).await.unwrap())
            .or_default() += 1;
    }
    assert_eq!(reached.len(), 3, "{reached:?}");
}

async fn calls_go_to_the_fastest_host_when_each_was_asked(net: Net) {
    // Longer than a call of the other takes on a machine that does much else.
    const SLOW: Duration = Duration::from_secs(1);
    let (slow, fast, agent) = (net.node(1).await, net.node(2).await, net.node(9).await);
    let _slow = slow
        .serve_tool::<Text, Text, _, _>(described("t"), |_| async {
            tokio::time::sleep(SLOW).await;
            Ok(text("node-1: x"))
        })
        .unwrap();
    let _fast = echo(&fast, "t", "1.0.0");
    sees(&agent, &slow).await;
    sees(&agent, &fast).await;
    let fastest = CallOptions::new().with_routing(RoutingPolicy::LowestLatency);
    let mut taken = Vec::new();
    for _ in 0..12 {
        taken.push(taken_by(&agent, &fastest).await.unwrap());
    }
    taken[..2].sort();
    assert_eq!(taken[..2], ["node-1", "node-2"]);
    assert!(taken[2..].iter().all(|host| host == "node-2"), "{taken:?}");
}

async fn versions_stand_side_by_side_and_a_call_may_ask_for_one(net: Net) {
    let (old, new, agent) = (net.node(1).await, net.node(2).await, net.node(3).await);
    let _served = (
        echo(&old, "t", "1.2.0"),
        echo(&new, "t", "1.3.0"),
        echo(&new, "t", "2.0.0-beta.1"),
    );
    let _one_node_has_two = echo(&old, "t", "0.9.0");
    sees(&agent, &old).await;
    sees(&agent, &new).await;
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

async fn a_predicate_chooses_the_host_and_is_judged_there_again(net: Net) {
    let (hosts, _served, agent) = three_hosts(&net).await;
    let capable = CapabilitySet::new()
        .tag("hardware.memory_gb=128")
        .metadata("intent", "training");
    hosts[1].announce_capabilities(capable).await.unwrap();
    sees(&agent, &hosts[1]).await;
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

async fn the_predicate_reaches_the_handler_as_a_header(net: Net) {
    let (host, agent) = net.pair().await;
    let _served = host
        .serve_tool_with::<Text, Text, _, _>(described("t"), |context, _| async move {
            let header = context.headers().iter().find(|(name, _)| name == "net-where");
            Ok(text(header.map(|(_, value)| value.as_str()).unwrap_or_default()))
        })
        .unwrap();
    let predicate = Predicate::metadata_exists("intent").negate();
    let options = CallOptions::new().with_where(&predicate);
    sees(&agent, &host).await;
    let told: Text = agent.call_tool_with("t", &text("x"), &options).await.unwrap();
    assert_eq!(Predicate::from_header(&told.text), Ok(predicate));
}

/// Serves a tool that fails, hangs or answers as it is told, and counts its calls.
fn serve_moody(
    host: &Mesh,
    mood: &Arc<Mutex<&'static str>>,
    stateless: bool,
) -> (ToolServeHandle, Arc<AtomicU32>) {
    let (mood, calls) = (Arc::clone(mood), Arc::new(AtomicU32::new(0)));
    let counter = Arc::clone(&calls);
    let descriptor = toolmesh_mesh::ToolDescriptor {
        stateless,
        ..described("t")
    };
    let name = host.identity().name.clone();
    let handle = host
        .serve_tool::<Text, Text, _, _>(descriptor, move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
            let (mood, answer) = (*mood.lock().unwrap(), text(&format!("{name}: x")));
            async move {
                match mood {
                    "fail" => panic!("as told"),
                    "hang" => std::future::pending().await,
                    _ => Ok(answer),
                }
            }
        })
        .unwrap();
    (handle, calls)
}

fn once() -> CallOptions {
    CallOptions::new().with_retry(RetryPolicy::never())
}

#[tokio::test(start_paused = true)]
async fn a_host_that_keeps_failing_at_a_stateless_tool_is_left_alone_and_then_tried_once() {
    let (host, agent) = pair().await;
    agent.set_breaker(Some(BreakerPolicy {
        failures: 2,
        open_for: Duration::from_secs(30),
    }));
    let mood = Arc::new(Mutex::new("fail"));
    let (_served, calls) = serve_moody(&host, &mood, true);
    for _ in 0..2 {
        let failed = taken_by(&agent, &once()).await.unwrap_err();
        assert!(
            matches!(failed, RpcError::ServerError { status: 6, .. }),
            "{failed}"
        );
    }
    let left_alone = taken_by(&agent, &once()).await.unwrap_err();
    assert!(
        matches!(&left_alone, RpcError::NoRoute { reason, .. } if reason.contains("left alone")),
        "{left_alone}"
    );
    assert_eq!(calls.load(Ordering::Relaxed), 2);
    tokio::time::advance(Duration::from_secs(31)).await;
    assert!(taken_by(&agent, &once()).await.is_err());
    assert_eq!(taken_by(&agent, &once()).await.unwrap_err().kind(), "no_route");
    assert_eq!(calls.load(Ordering::Relaxed), 3);
    *mood.lock().unwrap() = "well";
    tokio::time::advance(Duration::from_secs(31)).await;
    for _ in 0..3 {
        assert_eq!(taken_by(&agent, &once()).await.unwrap(), "node-1");
    }
}

#[tokio::test(start_paused = true)]
async fn the_breaker_lets_calls_of_other_tools_and_of_tools_with_state_through() {
    let (host, agent) = pair().await;
    agent.set_breaker(Some(BreakerPolicy {
        failures: 1,
        open_for: Duration::from_secs(30),
    }));
    let mood = Arc::new(Mutex::new("fail"));
    let (_served, calls) = serve_moody(&host, &mood, false);
    let _other = echo(&host, "other", "1.0.0");
    for _ in 0..3 {
        assert!(taken_by(&agent, &once()).await.is_err());
    }
    assert_eq!(calls.load(Ordering::Relaxed), 3);
    let other: Text = agent.call_tool("other", &text("x")).await.unwrap();
    assert_eq!(other, text("node-1: x"));
}

#[tokio::test(start_paused = true)]
async fn a_second_host_is_asked_when_the_first_is_slow_and_the_tool_is_stateless() {
    let network = MemoryNetwork::new();
    let (slow, fast, agent) = (
        node(&network, 1).await,
        node(&network, 2).await,
        node(&network, 3).await,
    );
    for stateless in [true, false] {
        let (hangs, well) = (Arc::new(Mutex::new("hang")), Arc::new(Mutex::new("well")));
        let (_slow, slow_calls) = serve_moody(&slow, &hangs, stateless);
        let (_fast, fast_calls) = serve_moody(&fast, &well, stateless);
        let options = || {
            once()
                .with_hedging(Duration::from_millis(50))
                .with_deadline(Duration::from_secs(3))
        };
        // Taking turns, the slow host comes first in one of two calls.
        let mut answered = 0;
        for _ in 0..2 {
            answered += u32::from(taken_by(&agent, &options()).await == Ok("node-2".to_owned()));
        }
        let seen = (
            slow_calls.load(Ordering::Relaxed),
            fast_calls.load(Ordering::Relaxed),
        );
        if stateless {
            assert_eq!((answered, seen), (2, (1, 2)));
        } else {
            assert_eq!((answered, seen), (1, (1, 1)));
        }
        // The host that was too slow failed, or its call was given up: both are tried again after a while.
        tokio::time::advance(Duration::from_secs(10)).await;
    }
}

/// Whatever the lowest number says: where one host has state, a second handler must not run.
#[tokio::test(start_paused = true)]
async fn a_tool_is_stateless_only_where_every_host_says_so() {
    let network = MemoryNetwork::new();
    let (one, two, agent) = (
        node(&network, 1).await,
        node(&network, 2).await,
        node(&network, 3).await,
    );
    // It is for stateless tools alone: here it leaves nobody alone.
    let policy = BreakerPolicy {
        failures: 1,
        open_for: Duration::from_secs(30),
    };
    agent.set_breaker(Some(policy));
    for said in [(true, false), (false, true)] {
        let hangs = Arc::new(Mutex::new("hang"));
        let (_one, calls_of_one) = serve_moody(&one, &hangs, said.0);
        let (_two, calls_of_two) = serve_moody(&two, &hangs, said.1);
        let options = CallOptions::new()
            .with_hedging(Duration::from_millis(10))
            .with_deadline(Duration::from_secs(3));
        for calls in 1..=2 {
            let failed = taken_by(&agent, &options).await.unwrap_err();
            assert_eq!(failed.kind(), "timeout", "{said:?}");
            let seen = calls_of_one.load(Ordering::Relaxed) + calls_of_two.load(Ordering::Relaxed);
            assert_eq!(seen, calls, "{said:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_higher_version_is_as_stateless_as_its_own_hosts_say() {
    let network = MemoryNetwork::new();
    let (old, new, agent) = (
        node(&network, 1).await,
        node(&network, 2).await,
        node(&network, 3).await,
    );
    let versions = [(&old, "1.0.0", false), (&new, "1.1.0", true)];
    let _served = versions.map(|(host, version, stateless)| {
        let descriptor = toolmesh_mesh::ToolDescriptor {
            version: version.into(),
            stateless,
            ..described("t")
        };
        let answer = version.to_owned();
        let calls = AtomicU32::new(0);
        host.serve_tool::<Text, Text, _, _>(descriptor, move |_| {
            let (fails, answer) = (calls.fetch_add(1, Ordering::Relaxed) == 0, text(&answer));
            async move {
                assert!(!fails, "as told, the first time");
                Ok(answer)
            }
        })
        .unwrap()
    });
    agent.set_breaker(Some(BreakerPolicy {
        failures: 1,
        open_for: Duration::from_secs(30),
    }));
    // The breaker is for stateless tools alone.
    for (wanted, after_a_failure) in [("=1.0.0", "1.0.0"), ("*", "no_route")] {
        let options = once().with_version(VersionReq::parse(wanted).unwrap());
        assert!(taken_by(&agent, &options).await.is_err());
        let next = taken_by(&agent, &options).await;
        assert_eq!(
            next.unwrap_or_else(|error| error.kind().to_owned()),
            after_a_failure
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_host_that_failed_comes_last_for_a_while_and_then_has_its_turn_again() {
    let network = MemoryNetwork::new();
    let (one, two, agent) = (
        node(&network, 1).await,
        node(&network, 2).await,
        node(&network, 3).await,
    );
    let (fails, well) = (Arc::new(Mutex::new("fail")), Arc::new(Mutex::new("well")));
    let (_one, calls) = serve_moody(&one, &fails, true);
    let _two = serve_moody(&two, &well, true);
    while calls.load(Ordering::Relaxed) == 0 {
        let _ = taken_by(&agent, &once()).await;
    }
    for _ in 0..4 {
        assert_eq!(taken_by(&agent, &once()).await.unwrap(), "node-2");
    }
    *fails.lock().unwrap() = "well";
    tokio::time::advance(Duration::from_secs(6)).await;
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..2 {
        seen.insert(taken_by(&agent, &once()).await.unwrap());
    }
    assert_eq!(seen.len(), 2);
}

over_engines!(
    hosts_take_turns_unless_the_call_is_sticky,
    random_calls_reach_every_host,
    calls_go_to_the_fastest_host_when_each_was_asked,
    versions_stand_side_by_side_and_a_call_may_ask_for_one,
    a_predicate_chooses_the_host_and_is_judged_there_again,
    the_predicate_reaches_the_handler_as_a_header
);
