//! Members of a mesh that ask a host for more than is theirs.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::StreamExt;
use tokio::time::Instant;
use toolmesh_mesh::{
    AccessRules, AllowList, CallOptions, CallOptionsTyped, CapabilitySet, Identity, MAX_WATCHES_PER_NODE,
    MemoryNetwork, Mesh, MeshBuilder, NodeId, RpcError, RpcStreamTyped, TOOL_METADATA_FETCH_SERVICE,
    TOOL_SCHEMA_FETCH_SERVICE, TOOL_WATCH_SERVICE, ToolListChange, ToolWatchRequest,
};
use toolmesh_tool::{
    AdmissionRefusal, BoxFuture, Caller, CatalogueTool, Dispatcher, Toolbox, Transport,
    dispatcher::{Admission, DispatcherBuilder, LimitBy, Operation, Rate, RateLimiter, Visibility},
    json::Value,
};

use crate::support::{Text, echo, node, pair, text};

const HOST: NodeId = NodeId::new(1);

/// Statuses on the wire: not there, busy, refused by the rules, and by admission.
const NOT_FOUND: u16 = 1;
const BACKPRESSURE: u16 = 4;
const CAPABILITY_DENIED: u16 = 8;
const ADMISSION_DENIED: u16 = 9;

/// The node 1, with a dispatcher of this kind.
async fn host(
    network: &MemoryNetwork,
    policies: impl FnOnce(DispatcherBuilder) -> DispatcherBuilder,
) -> Mesh {
    let dispatcher = policies(Dispatcher::builder(Toolbox::new())).build();
    let engine = network.node(Identity::new(HOST, "host"));
    MeshBuilder::on(Arc::new(engine))
        .dispatcher(dispatcher)
        .build()
        .await
        .unwrap()
}

/// Counts how often anybody's view of a tool is asked for.
#[derive(Default)]
struct Looks(AtomicUsize);

impl Looks {
    fn take(&self) -> usize {
        self.0.swap(0, Ordering::Relaxed)
    }
}

impl Visibility for Looks {
    fn tool(&self, _: &Caller, _: &CatalogueTool) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed);
        true
    }
}

async fn watch(agent: &Mesh, request: &ToolWatchRequest) -> RpcStreamTyped<ToolListChange> {
    let options = CallOptions::new();
    agent.watch_node(HOST, request, &options).await.unwrap()
}

/// Lets every task come as far as it can, and past every pause of a watch.
async fn let_time_pass() {
    tokio::time::sleep(Duration::from_millis(100)).await;
}

#[tokio::test(start_paused = true)]
async fn what_other_nodes_announce_makes_no_watch_look() {
    let network = MemoryNetwork::new();
    let looks = Arc::new(Looks::default());
    let seen_by = Arc::clone(&looks) as Arc<dyn Visibility>;
    let host = host(&network, |builder| builder.visibility(seen_by)).await;
    let _served = echo(&host, "t", "1.0.0");
    let (agent, other) = (node(&network, 2).await, node(&network, 3).await);
    let mut changes = watch(&agent, &ToolWatchRequest::default()).await;
    let_time_pass().await;
    assert!(looks.take() > 0, "a watch looks when it begins");
    for number in 0..100 {
        let told = CapabilitySet::new().tag(format!("turn.{number}"));
        other.announce_capabilities(told).await.unwrap();
        let_time_pass().await;
    }
    assert_eq!(looks.take(), 0);
    let _more = echo(&host, "u", "1.0.0");
    let added = changes.next().await.unwrap().unwrap();
    assert!(
        matches!(&added, ToolListChange::Added(tool) if tool.tool_id == "u"),
        "{added:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn the_watches_of_a_node_are_bounded_and_one_that_is_given_up_in_its_pause_makes_room_at_once() {
    let (host, agent) = pair().await;
    let seldom = ToolWatchRequest {
        interval_ms: Some(60_000),
        ..ToolWatchRequest::default()
    };
    let mut watches = Vec::new();
    for _ in 0..MAX_WATCHES_PER_NODE {
        watches.push(watch(&agent, &seldom).await);
    }
    let_time_pass().await;
    let began = Instant::now();
    let _served = echo(&host, "t", "1.0.0");
    for changes in &mut watches {
        assert!(matches!(changes.next().await, Some(Ok(ToolListChange::Added(_)))));
    }
    let refused = watch(&agent, &seldom).await.next().await.unwrap().unwrap_err();
    assert!(
        matches!(
            refused,
            RpcError::ServerError {
                status: BACKPRESSURE,
                ..
            }
        ),
        "{refused}"
    );
    drop(watches.pop());
    let mut one_more = watch(&agent, &ToolWatchRequest::default()).await;
    // Watches that begin at once look before anything changes.
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    let _more = echo(&host, "u", "1.0.0");
    assert!(matches!(
        one_more.next().await,
        Some(Ok(ToolListChange::Added(_)))
    ));
    assert_eq!(
        began.elapsed(),
        Duration::ZERO,
        "nothing waited for a pause to end"
    );
}

/// What the host said to a request that it refused; `None` for one that it took.
fn refusal<T>(answer: Result<T, RpcError>) -> Option<u16> {
    match answer {
        Ok(_) => None,
        Err(RpcError::ServerError { status, .. }) => Some(status),
        Err(RpcError::CapabilityDenied { .. }) => Some(CAPABILITY_DENIED),
        Err(other) => panic!("{other:?}"),
    }
}

/// Calls once, for nobody or for a client.
fn once(client: Option<Caller>) -> CallOptionsTyped {
    let once = CallOptions::new().with_retry(toolmesh_mesh::RetryPolicy::never());
    CallOptionsTyped {
        raw: match &client {
            Some(client) => once.on_behalf_of(client),
            None => once,
        },
        ..CallOptionsTyped::default()
    }
}

/// How many of ten calls pass, each for a nameless client in another partition; the others are refused so.
async fn passing(agent: &Mesh, refused: u16) -> usize {
    let mut passed = 0;
    for number in 0..10 {
        let client = Caller {
            partition: format!("made-up-{number}"),
            ..Caller::anonymous(Transport::Http)
        };
        let answer: Result<Text, _> = agent.call_typed(HOST, "t", &text("x"), once(Some(client))).await;
        match refusal(answer) {
            None => passed += 1,
            Some(status) => assert_eq!(status, refused),
        }
    }
    passed
}

fn one_a_minute() -> Arc<RateLimiter> {
    Arc::new(RateLimiter::new(Rate::per_minute(1), LimitBy::Caller))
}

#[tokio::test(start_paused = true)]
async fn partitions_are_told_by_those_alone_who_may_speak_for_others() {
    let network = MemoryNetwork::new();
    let host = host(&network, |builder| builder.request_limiter(one_a_minute())).await;
    let _served = echo(&host, "t", "1.0.0");
    let agent = node(&network, 2).await;
    assert_eq!(passing(&agent, CAPABILITY_DENIED).await, 0);
    // Clients without one are one caller.
    for expected in [None, Some(BACKPRESSURE)] {
        let client = Caller::anonymous(Transport::Http);
        let answer: Result<Text, _> = agent.call_typed(HOST, "t", &text("x"), once(Some(client))).await;
        assert_eq!(refusal(answer), expected);
    }
    // Each node is a caller of its own, and one that may speak for others tells its clients apart.
    let gateway = node(&network, 3).await;
    let rules = AccessRules::new().gateways(AllowList::nobody().name("node-3"));
    host.set_access(rules).await.unwrap();
    assert_eq!(passing(&gateway, BACKPRESSURE).await, 10);
}

/// The requests of the mesh's own services, each by its name.
fn services() -> [(&'static str, Value); 3] {
    let object = Value::object;
    [
        (TOOL_METADATA_FETCH_SERVICE, object().put("name", "t").build()),
        (
            TOOL_SCHEMA_FETCH_SERVICE,
            object().put("sha256", "0".repeat(64)).build(),
        ),
        (TOOL_WATCH_SERVICE, object().build()),
    ]
}

async fn asks(agent: &Mesh, service: &str, body: &Value) -> Option<u16> {
    let answer: Result<Value, _> = agent.call_typed(HOST, service, body, once(None)).await;
    refusal(answer)
}

struct Nobody;

impl Admission for Nobody {
    fn admit<'a>(&'a self, _: &'a Caller, _: Operation<'a>) -> BoxFuture<'a, Result<(), AdmissionRefusal>> {
        let refusal = AdmissionRefusal {
            unauthenticated: false,
            reason: "nobody may".into(),
        };
        Box::pin(std::future::ready(Err(refusal)))
    }
}

#[tokio::test]
async fn whom_admission_refuses_is_told_nothing_of_tools() {
    let network = MemoryNetwork::new();
    let host = host(&network, |builder| builder.admission(Arc::new(Nobody))).await;
    let _served = echo(&host, "t", "1.0.0");
    let agent = node(&network, 2).await;
    for (service, body) in services() {
        let status = asks(&agent, service, &body).await;
        assert_eq!(status, Some(ADMISSION_DENIED), "{service}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_asked_of_tools_counts_as_calls_do_but_for_schemas() {
    for (service, body) in services() {
        let expected = match service {
            TOOL_SCHEMA_FETCH_SERVICE => NOT_FOUND,
            _ => BACKPRESSURE,
        };
        let network = MemoryNetwork::new();
        let host = host(&network, |builder| builder.request_limiter(one_a_minute())).await;
        let _served = echo(&host, "t", "1.0.0");
        let agent = node(&network, 2).await;
        let answer: Result<Text, _> = agent.call_typed(HOST, "t", &text("x"), once(None)).await;
        assert_eq!(refusal(answer), None);
        assert_eq!(asks(&agent, service, &body).await, Some(expected), "{service}");
    }
}
