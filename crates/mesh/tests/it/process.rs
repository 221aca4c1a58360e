//! Nodes in processes of their own, which are killed.
//!
//! The processes are this test program: [`node_of_another_process`] is no test of its own, and ends when its standard input does,
//! so that it never outlives the test that started it.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use futures_util::{StreamExt, stream};
use toolmesh_mesh::{
    Mesh, MeshBuilder, MeshRouter, NodeId, RpcError, RpcStreamTyped, ToolDescriptor, ToolEvent,
    ToolServeHandle,
};
use toolmesh_tool::json::Value;

use crate::call::serve_hanging;
use crate::support::{Net, Text, described, echo, text, until};

/// What the process is to do: `ROLE KEY_HEX LISTEN [CONNECT | via:ROUTER]`.
const TASK: &str = "TOOLMESH_TEST_NODE";

/// What it says when it is there, before `NUMBER PLACE`.
const READY: &str = "the node is at ";

/// What begins a line of the agent.
const AGENT: &str = "agent: ";

/// How many tools a host serves.
const SERVED: usize = 4;

/// A node in another process; killed when dropped.
pub(crate) struct Other {
    child: Child,
    _alive: ChildStdin,
    lines: std::io::Lines<BufReader<ChildStdout>>,
    pub(crate) node: NodeId,
    pub(crate) place: String,
}

impl Other {
    fn start(role: &str, key: &[u8; 32], connect: &str) -> Self {
        let program = Command::new(std::env::current_exe().unwrap());
        Self::start_by(program, role, key, &format!("127.0.0.1:0 {connect}"))
    }

    /// By a command that starts this program. Its standard error is that of the test, where a failure of it is seen.
    pub(crate) fn start_by(mut program: Command, role: &str, key: &[u8; 32], places: &str) -> Self {
        let key: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut child = program
            .args([
                "--exact",
                "process::node_of_another_process",
                "--ignored",
                "--nocapture",
            ])
            .env(TASK, format!("{role} {key} {places}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut other = Self {
            lines: BufReader::new(child.stdout.take().unwrap()).lines(),
            _alive: child.stdin.take().unwrap(),
            child,
            node: NodeId::new(0),
            place: String::new(),
        };
        let ready = other.line(READY);
        let (number, place) = ready.split_once(' ').unwrap();
        other.node = NodeId::new(number.parse().unwrap());
        other.place = place.to_owned();
        other
    }

    /// The rest of the next line with this in it.
    fn line(&mut self, before: &str) -> String {
        let mut lines = self.lines.by_ref().map(Result::unwrap);
        let found = lines.find_map(|line| {
            let at = line.find(before)? + before.len();
            Some(line[at..].to_owned())
        });
        found.unwrap_or_else(|| panic!("the process ended before it said: {before}"))
    }

    /// What the agent says next.
    pub(crate) fn says(&mut self) -> String {
        self.line(AGENT)
    }

    /// As `kill -9` does.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
#[ignore = "a process of other tests, which start it"]
fn node_of_another_process() {
    let Ok(task) = std::env::var(TASK) else {
        return;
    };
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
        .block_on(run(&task));
}

async fn run(task: &str) {
    let mut words = task.split_whitespace();
    let [role, key, listen] = [(); 3].map(|()| words.next().unwrap());
    let byte = |at: usize| u8::from_str_radix(&key[at..at + 2], 16).unwrap();
    let key: [u8; 32] = std::array::from_fn(|number| byte(2 * number));
    // The namespaces of a test are no machine's network, and so it may be plaintext.
    if role == "router" {
        let router = MeshRouter::builder(listen).unwrap().mesh(&key).plaintext();
        let router = router.open().await.unwrap();
        say(&format!("{READY}0 {}", bare(router.listens_at())));
        return told_to_end().await;
    }
    let mut builder = MeshBuilder::new(listen, &key).unwrap().name(role).plaintext();
    for place in words {
        builder = match place.strip_prefix("via:") {
            Some(router) => builder.router(router).unwrap(),
            None => builder.connect(place).unwrap(),
        };
    }
    let mesh = builder.build().await.unwrap();
    let ready = format!("{READY}{} {}", mesh.node_id().number(), bare(&mesh.listens_at()));
    let _served = match role {
        "caller" => {
            until(&mesh, "the tool is there", || !mesh.list_tools(None).is_empty()).await;
            tokio::spawn({
                let mesh = mesh.clone();
                async move { mesh.call_tool::<_, Text>("hang", &text("")).await }
            });
            Vec::new()
        }
        "agent" => Vec::new(),
        _ => serve_all(&mesh),
    };
    say(&ready);
    if role == "agent" {
        lose_and_find_again(&mesh).await;
    }
    told_to_end().await;
}

async fn told_to_end() {
    let end = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
    end.await.unwrap().unwrap();
}

/// The first place without its protocol; nothing where a node listens nowhere.
fn bare(places: &[String]) -> &str {
    let first = places.first().and_then(|place| place.split_once('/'));
    first.map_or("", |(_, place)| place)
}

fn say(line: &str) {
    println!("{line}");
    std::io::stdout().flush().unwrap();
}

/// Calls a host, says how the calls end when it is lost, and whether it works when it is back.
async fn lose_and_find_again(mesh: &Mesh) {
    // All that it serves: tools are told one after the other.
    let is_there = || mesh.list_tools(None).len() == SERVED;
    until(mesh, "the host is there", is_there).await;
    let hanging = tokio::spawn({
        let mesh = mesh.clone();
        async move { mesh.call_tool::<_, Text>("hang", &text("")).await }
    });
    let silent = mesh.call_tool_streaming("silent", &text("")).await;
    let mut silent: RpcStreamTyped<ToolEvent> = silent.unwrap();
    assert!(matches!(silent.next().await, Some(Ok(ToolEvent::Start { .. }))));
    say(&format!("{AGENT}calls"));
    let ended = hanging.await.unwrap().unwrap_err();
    say(&format!("{AGENT}call {}", ended.kind()));
    let ends: Vec<_> = silent.map(Result::unwrap).collect().await;
    match ends.as_slice() {
        [ToolEvent::Error { code, .. }] => say(&format!("{AGENT}stream {code}")),
        other => say(&format!("{AGENT}stream {other:?}")),
    }
    until(mesh, "the host is gone", || mesh.list_tools(None).is_empty()).await;
    let refused = mesh.call_tool::<_, Text>("echo", &text("x")).await.unwrap_err();
    say(&format!("{AGENT}gone {}", refused.kind()));
    until(mesh, "the host is back", is_there).await;
    let answer: Text = mesh.call_tool("echo", &text("x")).await.unwrap();
    say(&format!("{AGENT}back {}", answer.text));
    let again = mesh.call_tool_streaming("silent", &text("")).await;
    let mut again: RpcStreamTyped<ToolEvent> = again.unwrap();
    assert!(matches!(again.next().await, Some(Ok(ToolEvent::Start { .. }))));
    say(&format!("{AGENT}streams"));
}

/// `echo`, `hang` that never answers, `silent` that streams nothing, and `count` that streams for ever.
fn serve_all(mesh: &Mesh) -> Vec<ToolServeHandle> {
    let once = |tool_id: &str| ToolDescriptor {
        stateless: false,
        output_schema: None,
        ..described(tool_id)
    };
    let hang = mesh.serve_tool::<Text, Text, _, _>(once("hang"), |_| std::future::pending());
    let count = mesh.serve_tool_streaming::<Text, _, _, _>(once("count"), |_| async {
        let mut number = 0_u64;
        stream::repeat_with(move || {
            number += 1;
            ToolEvent::Delta {
                data: Value::from(number),
            }
        })
    });
    let silent = mesh.serve_tool_streaming::<Text, _, _, _>(once("silent"), |_| async {
        let start = ToolEvent::Start {
            tool_id: "silent".into(),
            call_id: None,
            metadata: None,
        };
        stream::iter([start]).chain(stream::pending())
    });
    let others = [hang, count, silent].map(Result::unwrap);
    [echo(mesh, "echo", "1.0.0")].into_iter().chain(others).collect()
}

async fn agent(key: &[u8; 32], place: &str) -> Mesh {
    let builder = MeshBuilder::new("127.0.0.1:0", key).unwrap();
    builder.connect(place).unwrap().build().await.unwrap()
}

fn has_all(mesh: &Mesh, node: NodeId) -> bool {
    mesh.nodes()
        .iter()
        .any(|seen| seen.node == node && seen.tools == SERVED)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_that_is_killed_ends_its_calls_with_typed_errors_and_is_gone() {
    let key = Net::zenoh().key();
    let mut host = Other::start("host", &key, "");
    let agent = agent(&key, &host.place).await;
    until(&agent, "the tools are seen", || has_all(&agent, host.node)).await;
    assert_eq!(
        agent.call_tool::<_, Text>("echo", &text("x")).await,
        Ok(text("host: x"))
    );

    let mut counting: RpcStreamTyped<ToolEvent> =
        agent.call_tool_streaming("count", &text("")).await.unwrap();
    assert!(matches!(counting.next().await, Some(Ok(ToolEvent::Start { .. }))));
    let hanging = tokio::spawn({
        let agent = agent.clone();
        async move { agent.call_tool::<_, Text>("hang", &text("")).await }
    });
    // The host answers this after it got the request before it.
    let _: Text = agent.call_tool("echo", &text("y")).await.unwrap();
    host.kill();
    let killed = Instant::now();
    assert!(
        matches!(hanging.await.unwrap(), Err(RpcError::HostLost { target, .. }) if target == host.node.number())
    );
    let seen: Vec<ToolEvent> = counting.map(Result::unwrap).collect().await;
    let (last, before) = seen.split_last().unwrap();
    assert!(
        matches!(last, ToolEvent::Error { code, .. } if code == "host_lost"),
        "{last:?}"
    );
    assert!(before.iter().all(|event| !event.is_terminal()));
    until(&agent, "the host is gone", || agent.list_tools(None).is_empty()).await;
    // For `docs/reliability.md`; how fast it is depends on what else the machine does.
    println!("gone after {:?}", killed.elapsed());
    let error = agent.call_tool::<_, Text>("echo", &text("z")).await.unwrap_err();
    assert_eq!(error.kind(), "no_route");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_that_is_killed_is_cancelled_at_the_handler() {
    let net = Net::zenoh();
    let mesh = net.node(1).await;
    let (_served, mut told) = serve_hanging(&mesh);
    let place = mesh.listens_at()[0].replace("tcp/", "");
    let mut caller = tokio::task::spawn_blocking(move || Other::start("caller", &net.key(), &place))
        .await
        .unwrap();
    assert_eq!(told.recv().await, Some("began"));
    caller.kill();
    let cancelled = tokio::time::timeout(Duration::from_secs(30), told.recv()).await;
    assert_eq!(cancelled, Ok(Some("cancelled")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_find_each_other_through_one_and_go_on_without_it() {
    let key = Net::zenoh().key();
    let mut first = Other::start("one", &key, "");
    let second = Other::start("two", &key, &first.place);
    let agent = agent(&key, &first.place).await;
    until(&agent, "both are seen", || {
        has_all(&agent, first.node) && has_all(&agent, second.node)
    })
    .await;
    assert_eq!(agent.list_tools(None)[1].node_count, 2);
    first.kill();
    until(&agent, "one is gone", || {
        agent.list_tools(None).iter().all(|tool| tool.node_count == 1)
    })
    .await;
    for call in 0..10 {
        let said = text(&call.to_string());
        let answer: Text = agent.call_tool("echo", &said).await.unwrap();
        assert_eq!(answer.text, format!("two: {call}"));
    }
}
