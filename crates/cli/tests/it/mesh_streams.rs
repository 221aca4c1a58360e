//! Streams of the mesh, read while they run: on the command line, and by a client of MCP.

use std::{sync::Arc, time::Duration};

use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{runtime::Runtime, sync::Notify};
use toolmesh::mesh::{Mesh, MeshBuilder, ToolDescriptor, ToolEvent, ToolServeHandle};
use toolmesh_testkit::{Running, StdioServer};

use crate::support::{TOOLMESH, command, folder};

const SOON: Duration = Duration::from_secs(60);

/// A node of the mesh in this process, with the tool `slow`: it tells that half is done, gives `par`, waits until it may go on,
/// and then gives `tial` and its result.
struct Host {
    mesh: Mesh,
    may_go_on: Arc<Notify>,
    _served: ToolServeHandle,
    _runtime: Runtime,
}

impl Host {
    fn start() -> Self {
        let runtime = Runtime::new().unwrap();
        let may_go_on = Arc::new(Notify::new());
        let gate = Arc::clone(&may_go_on);
        let (mesh, served) = runtime.block_on(async {
            let builder = MeshBuilder::new("127.0.0.1:0", &[0x5a; 32]).unwrap();
            let mesh = builder.build().await.unwrap();
            let served = mesh
                .serve_tool_streaming::<toolmesh::json::Value, _, _, _>(
                    ToolDescriptor::new("slow"),
                    move |_| {
                        let gate = Arc::clone(&gate);
                        async move {
                            let wait = stream::once(async move { gate.notified().await });
                            let nothing = wait.filter_map(|()| async { None });
                            stream::iter(first()).chain(nothing).chain(stream::iter(rest()))
                        }
                    },
                )
                .unwrap();
            (mesh, served)
        });
        Self {
            mesh,
            may_go_on,
            _served: served,
            _runtime: runtime,
        }
    }

    /// A folder with the key of its mesh and a configuration that connects to it.
    fn configuration(&self) -> TempDir {
        let place = self.mesh.listens_at()[0].replace("tcp/", "");
        let text = format!("[mesh]\nkey_file = \"mesh.key\"\nconnect = [{place:?}]\n");
        folder(&[("mesh.key", &"5a".repeat(32)), ("toolmesh.toml", &text)])
    }
}

fn first() -> [ToolEvent; 2] {
    let half = ToolEvent::Progress {
        pct: Some(50.0),
        message: Some("half".to_owned()),
    };
    [half, ToolEvent::Delta { data: "par".into() }]
}

fn rest() -> [ToolEvent; 2] {
    let end = ToolEvent::Result { data: "end".into() };
    [ToolEvent::Delta { data: "tial".into() }, end]
}

#[test]
fn a_stream_of_the_mesh_is_printed_as_it_comes() {
    let host = Host::start();
    let folder = host.configuration();
    let config = folder.path().join("toolmesh.toml").display().to_string();
    let call = ["call", "slow", "mesh:", "--stream", "--config", &config];
    let call = Running::start(&mut command(&call));
    let prints = |kind: &str| {
        call.stdout_line(kind, SOON, |line| {
            let event: Value = serde_json::from_str(line).ok()?;
            (event["type"] == kind).then_some(())
        });
    };
    // The host waits, so what is printed now was printed while the call ran.
    ["start", "progress", "delta"].into_iter().for_each(prints);
    host.may_go_on.notify_one();
    let ended = call.finish(SOON);
    assert_eq!(ended.code(), Some(0), "{}", ended.stderr);
    let last: Value = serde_json::from_str(ended.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(last, json!({"type": "result", "data": "end"}));
}

#[test]
fn a_client_of_mcp_is_told_the_progress_of_a_tool_of_the_mesh_and_gets_its_partial_output() {
    let host = Host::start();
    let folder = host.configuration();
    let config = folder.path().join("toolmesh.toml").display().to_string();
    let mut server = StdioServer::start(TOOLMESH, &["serve", "mesh:", "--config", &config]);
    let _ = server.request(
        &json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}}),
    );
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    server.send(
        &json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "slow", "arguments": {}, "_meta": {"progressToken": "t"}}}),
    );
    // The host waits, so this is told while the call runs.
    let told = server.receive();
    assert_eq!(told["method"], "notifications/progress", "{told}");
    assert_eq!(
        told["params"],
        json!({"progressToken": "t", "progress": 50, "total": 100, "message": "half"})
    );
    host.may_go_on.notify_one();
    let answer = server.receive();
    assert_eq!(answer["id"], 2, "{answer}");
    let texts: Vec<&Value> = answer["result"]["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|block| &block["text"])
        .collect();
    assert_eq!(texts[0], "partial", "{answer}");
}
