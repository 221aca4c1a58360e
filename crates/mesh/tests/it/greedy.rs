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
    CallOptions, CapabilitySet, Identity, MAX_WATCHES_PER_NODE, MemoryNetwork, Mesh, MeshBuilder, NodeId,
    RpcError, RpcStreamTyped, ToolListChange, ToolWatchRequest,
};
use toolmesh_tool::{
    Caller, CatalogueTool, Dispatcher, Toolbox,
    dispatcher::{DispatcherBuilder, Visibility},
};

use crate::support::{echo, node, pair};

const HOST: NodeId = NodeId::new(1);

/// Busy, as a status on the wire.
const BACKPRESSURE: u16 = 4;

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
    assert!(matches!(one_more.next().await, Some(Ok(ToolListChange::Added(_)))));
    assert_eq!(began.elapsed(), Duration::ZERO, "nothing waited for a pause to end");
}
