//! Nodes and tools for tests, and the engines that tests run over.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use toolmesh_mesh::{
    Identity, MemoryNetwork, Mesh, MeshBuilder, NodeId, SeenNode, ToolDescriptor, ToolServeHandle,
    metadata_for,
};

/// Makes a test of each function, over each engine: `over_memory::NAME` and `over_zenoh::NAME`.
macro_rules! over_engines {
    ($($test:ident),+ $(,)?) => {
        mod over_memory {
            $(
                #[tokio::test]
                async fn $test() {
                    super::$test(crate::support::Net::memory()).await;
                }
            )+
        }

        mod over_zenoh {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    super::$test(crate::support::Net::zenoh()).await;
                }
            )+
        }
    };
}
pub(crate) use over_engines;

/// How long a test waits for what must come soon; on a machine that does much else "soon" may be long.
const SOON: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, PartialEq, schemars::JsonSchema, Serialize, Deserialize)]
pub(crate) struct Text {
    pub(crate) text: String,
}

pub(crate) fn text(text: &str) -> Text {
    Text { text: text.into() }
}

/// A mesh of one test.
pub(crate) enum Net {
    Memory(MemoryNetwork),
    /// On loopback, with a key that no other test has.
    Zenoh([u8; 32]),
}

impl Net {
    pub(crate) fn memory() -> Self {
        Self::Memory(MemoryNetwork::new())
    }

    pub(crate) fn zenoh() -> Self {
        static TESTS: AtomicU32 = AtomicU32::new(1);
        let mut key = [0; 32];
        key[..4].copy_from_slice(&TESTS.fetch_add(1, Ordering::Relaxed).to_be_bytes());
        key[4..8].copy_from_slice(&std::process::id().to_be_bytes());
        Self::Zenoh(key)
    }

    /// The key of the mesh, where there is one.
    pub(crate) fn key(&self) -> [u8; 32] {
        match self {
            Self::Zenoh(key) => *key,
            Self::Memory(_) => unreachable!("nodes in memory need no key"),
        }
    }

    /// The way to a node of the name `node-<number>`; over memory it has this number too.
    pub(crate) fn builder(&self, number: u64) -> MeshBuilder {
        let name = format!("node-{number}");
        match self {
            Self::Memory(network) => {
                MeshBuilder::on(Arc::new(network.node(Identity::new(NodeId::new(number), name))))
            }
            Self::Zenoh(key) => MeshBuilder::new("127.0.0.1:0", key).unwrap().name(name),
        }
    }

    pub(crate) async fn node(&self, number: u64) -> Mesh {
        self.builder(number).build().await.unwrap()
    }

    /// A host and an agent that see each other.
    pub(crate) async fn pair(&self) -> (Mesh, Mesh) {
        let (host, agent) = (self.node(1).await, self.node(2).await);
        sees(&host, &agent).await;
        sees(&agent, &host).await;
        (host, agent)
    }
}

/// A node of a network in memory, with this number and the name `node-<number>`.
pub(crate) async fn node(network: &MemoryNetwork, number: u64) -> Mesh {
    node_as(
        network,
        Identity::new(NodeId::new(number), format!("node-{number}")),
    )
    .await
}

pub(crate) async fn node_as(network: &MemoryNetwork, identity: Identity) -> Mesh {
    let engine = Arc::new(network.node(identity));
    MeshBuilder::on(engine).build().await.unwrap()
}

/// A host and an agent of one network in memory.
pub(crate) async fn pair() -> (Mesh, Mesh) {
    Net::memory().pair().await
}

/// Waits until something is so, looking again whenever the node's list of tools changes and every now and then.
pub(crate) async fn until(mesh: &Mesh, what: &str, is_so: impl Fn() -> bool) {
    let mut changes = mesh.watch_tools(None, None);
    let waiting = async {
        while !is_so() {
            let _ = tokio::time::timeout(Duration::from_millis(20), changes.next()).await;
        }
    };
    tokio::time::timeout(SOON, waiting)
        .await
        .unwrap_or_else(|_| panic!("not in time: {what}"));
}

fn seen(by: &Mesh, node: &Mesh) -> Option<SeenNode> {
    by.nodes().into_iter().find(|seen| seen.node == node.node_id())
}

/// Waits until one node sees of another what that sees of itself.
pub(crate) async fn sees(agent: &Mesh, host: &Mesh) {
    until(agent, "a node sees what another announces", || {
        seen(host, host).is_some() && seen(agent, host) == seen(host, host)
    })
    .await;
}

/// Waits until one node does not see another any more.
pub(crate) async fn misses(agent: &Mesh, host: &Mesh) {
    until(agent, "a node that left is gone", || seen(agent, host).is_none()).await;
}

pub(crate) fn described(tool_id: &str) -> ToolDescriptor {
    metadata_for::<Text, Text>(tool_id)
        .description("Says it back.")
        .build()
}

/// Serves a tool that says back what it is told, after the name of its node.
pub(crate) fn echo(mesh: &Mesh, tool_id: &str, version: &str) -> ToolServeHandle {
    let descriptor = ToolDescriptor {
        version: version.into(),
        ..described(tool_id)
    };
    let name = mesh.identity().name.clone();
    mesh.serve_tool::<Text, Text, _, _>(descriptor, move |said| {
        let answer = text(&format!("{name}: {}", said.text));
        async move { Ok(answer) }
    })
    .unwrap()
}

/// The identifiers and versions that a node lists, with their counts.
pub(crate) fn listed(mesh: &Mesh) -> Vec<(String, String, u32)> {
    let tools = mesh.list_tools(None).into_iter();
    tools
        .map(|tool| (tool.tool_id, tool.version, tool.node_count))
        .collect()
}
