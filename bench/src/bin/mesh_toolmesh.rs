//! A node of toolmesh, as host and as caller; with certificates where `TOOLMESH_BENCH_KEYS` names a folder of `toolmesh mesh keys`.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use futures_util::{StreamExt, stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolmesh_bench::mesh::{self, Peer, Turns};
use toolmesh_mesh::{
    Credentials, Mesh, MeshBuilder, RpcStreamTyped, ToolEvent, ToolServeHandle, metadata_for,
};

/// The key of the mesh of every run: nodes are found by their place only.
const KEY: [u8; 32] = [7; 32];

/// The folder with the certificates of the nodes `host` and `caller`.
const KEYS: &str = "TOOLMESH_BENCH_KEYS";

#[derive(JsonSchema, Serialize, Deserialize)]
struct Number {
    number: u64,
}

#[derive(Clone)]
struct Node {
    mesh: Mesh,
    _served: std::sync::Arc<[ToolServeHandle]>,
}

fn main() -> Result<()> {
    mesh::main::<Node>()
}

/// How a node of this name joins.
fn node(name: &str) -> Result<MeshBuilder> {
    let builder = MeshBuilder::new("127.0.0.1:0", &KEY)?;
    let Some(folder) = std::env::var_os(KEYS) else {
        return Ok(builder);
    };
    let file = |name: String| Path::new(&folder).join(name);
    let [authority, certificate, key] = [
        file("authority.pem".to_owned()),
        file(format!("{name}.pem")),
        file(format!("{name}.key")),
    ];
    Ok(builder.credentials(Credentials::read(&authority, &certificate, &key)?))
}

impl Peer for Node {
    async fn host() -> Result<(Self, String)> {
        let mesh = node("host")?.build().await?;
        let echo = metadata_for::<Number, Number>("echo").build();
        let echo = mesh.serve_tool::<Number, Number, _, _>(echo, |asked| async move { Ok(asked) })?;
        let count = metadata_for::<Number, ()>("count").build();
        let count = mesh.serve_tool_streaming::<Number, _, _, _>(count, |asked| async move {
            stream::iter((0..asked.number).map(|number| ToolEvent::Delta { data: number.into() })).chain(
                stream::iter([ToolEvent::Result {
                    data: asked.number.into(),
                }]),
            )
        })?;
        let listens_at = mesh.listens_at();
        let place = listens_at.first().context("the host listens nowhere")?;
        let (_, place) = place.split_once('/').context("a place without its protocol")?;
        let place = place.to_owned();
        Ok((
            Self {
                mesh,
                _served: [echo, count].into(),
            },
            place,
        ))
    }

    async fn join(place: &str) -> Result<Self> {
        let mesh = node("caller")?.connect(place)?.build().await?;
        let mut changes = mesh.watch_tools(None, None);
        while mesh.list_tools(None).len() < 2 {
            changes.next().await.context("the watch ended")?;
        }
        Ok(Self {
            mesh,
            _served: [].into(),
        })
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
        let mut stream: RpcStreamTyped<ToolEvent> = self
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
