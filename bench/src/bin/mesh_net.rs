//! A node of net-mesh-sdk 0.46, as host and as caller.

use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use futures_util::{StreamExt, stream};
use net_sdk::{
    mesh::{Mesh, MeshBuilder},
    tool::{ToolEvent, ToolServeHandle, metadata_for},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolmesh_bench::mesh::{self, Peer, Turns};

/// The key of the mesh of every run.
const KEY: [u8; 32] = [7; 32];

#[derive(JsonSchema, Serialize, Deserialize)]
struct Number {
    number: u64,
}

#[derive(Clone)]
struct Node {
    mesh: Arc<Mesh>,
    _served: Arc<[ToolServeHandle]>,
}

fn main() -> Result<()> {
    mesh::main::<Node>()
}

impl Peer for Node {
    async fn host() -> Result<(Self, String)> {
        let mesh = MeshBuilder::new("127.0.0.1:0", &KEY)?.build().await?;
        mesh.start()?;
        let echo = metadata_for::<Number, Number>("echo").build();
        let echo = mesh.serve_tool::<Number, Number, _, _>(echo, |asked| async move { Ok(asked) })?;
        let count = metadata_for::<Number, u64>("count").build();
        let count = mesh.serve_tool_streaming::<Number, _, _, _>(count, |asked| async move {
            stream::iter((0..asked.number).map(|number| ToolEvent::Delta { data: number.into() })).chain(
                stream::iter([ToolEvent::Result {
                    data: asked.number.into(),
                }]),
            )
        })?;
        mesh.announce_capabilities(Default::default()).await?;
        let key: String = mesh
            .public_key()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let place = format!("{} {key} {}", mesh.local_addr(), mesh.node_id());
        let served = [echo, count].into();
        Ok((
            Self {
                mesh: Arc::new(mesh),
                _served: served,
            },
            place,
        ))
    }

    async fn join(place: &str) -> Result<Self> {
        let [address, key, node]: [&str; 3] = place
            .split(' ')
            .collect::<Vec<_>>()
            .try_into()
            .ok()
            .context("the host did not say where it is")?;
        let mut public_key = [0; 32];
        for (at, byte) in public_key.iter_mut().enumerate() {
            let digits = key.get(2 * at..2 * at + 2).context("the host's key is cut off")?;
            *byte = u8::from_str_radix(digits, 16)?;
        }
        let mesh = MeshBuilder::new("127.0.0.1:0", &KEY)?.build().await?;
        mesh.start()?;
        mesh.connect_via(address, &public_key, node.parse()?).await?;
        let node = Self {
            mesh: Arc::new(mesh),
            _served: [].into(),
        };
        // Its announcement comes a while after the connection.
        while node.call(0).await.is_err() {
            tokio::task::yield_now().await;
        }
        Ok(node)
    }

    async fn call(&self, number: u64) -> Result<()> {
        let answer: Number = self.mesh.call_tool("echo", &Number { number }).await?;
        ensure!(
            answer.number == number,
            "{number} was answered by {}",
            answer.number
        );
        Ok(())
    }

    async fn stream(&self, events: u64) -> Result<()> {
        let mut stream = self
            .mesh
            .call_tool_streaming("count", &Number { number: events })
            .await?;
        let mut turns = Turns::default();
        while let Some(event) = stream.next().await {
            match event? {
                ToolEvent::Delta { data } => turns.take(data.as_u64())?,
                ToolEvent::Result { .. } => break,
                _ => {}
            }
        }
        turns.end(events)
    }
}
