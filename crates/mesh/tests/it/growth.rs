//! What is done and closed leaves no memory behind; `docs/reliability.md` has the figures, beside those of other languages.
//!
//! Memory is that of a process, and other tests run in this one: the work is done by [`work_of_another_process`], which is no
//! test of its own.

use std::process::Command;

use futures_util::{StreamExt, stream};
use toolmesh_mesh::{Mesh, RpcStreamTyped, ToolEvent};

use crate::support::{Net, Text, echo, text, until};

const CALLS: u64 = 10_000;
const CYCLES: u64 = 1_000;

/// Calls under way at a time.
const CALLERS: usize = 8;

/// A call or a cycle that left a KiB behind would be told from what an allocator keeps for itself.
const MAY_GROW_KIB: u64 = 8 * 1_024;

/// The engine of the other process.
const ENGINE: &str = "TOOLMESH_TEST_GROWTH";

#[test]
fn calls_and_serve_close_cycles_leave_no_memory_behind_over_memory() {
    does_not_grow("memory");
}

#[test]
fn calls_and_serve_close_cycles_leave_no_memory_behind_over_zenoh() {
    does_not_grow("zenoh");
}

fn does_not_grow(engine: &str) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "growth::work_of_another_process"])
        .args(["--ignored", "--nocapture"])
        .env(ENGINE, engine)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    print!("{told}");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(told.contains(&format!("over {engine}: ")), "{told}");
}

#[test]
#[ignore = "a process of other tests, which start it"]
fn work_of_another_process() {
    let Ok(engine) = std::env::var(ENGINE) else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let grown = runtime.block_on(async {
        let net = if engine == "zenoh" {
            Net::zenoh()
        } else {
            Net::memory()
        };
        let (host, agent) = net.pair().await;
        // Warm first: pools, arenas and tables reach the size that they keep.
        work(&host, &agent, CALLS / 5, CYCLES / 5).await;
        let before = most_resident_kib();
        work(&host, &agent, CALLS, CYCLES).await;
        let after = most_resident_kib();
        println!("over {engine}: most resident memory {before} KiB, then {after} KiB");
        after - before
    });
    assert!(grown < MAY_GROW_KIB, "{grown} KiB more");
}

async fn work(host: &Mesh, agent: &Mesh, calls: u64, cycles: u64) {
    let same = echo(host, "same", "1.0.0");
    until(agent, "the tool is there", || !agent.list_tools(None).is_empty()).await;
    let calling = stream::iter(0..calls).map(|number| call(agent, "same", number));
    calling.for_each_concurrent(CALLERS, |call| call).await;
    drop(same);
    for number in 0..cycles {
        until(agent, "the last tool is gone", || {
            agent.list_tools(None).is_empty()
        })
        .await;
        let comes = echo(host, "comes", "1.0.0");
        until(agent, "the tool is there", || !agent.list_tools(None).is_empty()).await;
        call(agent, "comes", number).await;
        leave_early(agent, "comes").await;
        drop(comes);
    }
    until(agent, "the last tool is gone", || {
        agent.list_tools(None).is_empty()
    })
    .await;
}

async fn call(agent: &Mesh, tool_id: &str, number: u64) {
    let answer: Text = agent
        .call_tool(tool_id, &text(&number.to_string()))
        .await
        .unwrap();
    assert!(answer.text.ends_with(&format!(": {number}")), "{}", answer.text);
}

/// Calls as a stream, and leaves after its first event.
async fn leave_early(agent: &Mesh, tool_id: &str) {
    let stream = agent.call_tool_streaming(tool_id, &text("x")).await;
    let mut stream: RpcStreamTyped<ToolEvent> = stream.unwrap();
    assert!(matches!(stream.next().await, Some(Ok(ToolEvent::Start { .. }))));
}

/// The most that this process ever had in memory: growth shows in it, and nothing else can lower it.
fn most_resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let most = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    most.trim().trim_end_matches(" kB").parse().unwrap()
}
