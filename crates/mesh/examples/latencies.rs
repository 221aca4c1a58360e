//! How soon two processes of a mesh see of each other what they must: a tool that is there, and a call that is given up; and
//! whether a reader that takes nothing slows anybody else.
//!
//! ```sh
//! cargo run --release -p toolmesh-mesh --example latencies
//! ```
//!
//! The program starts itself once more as the host. Times are microseconds on loopback, half and 99 of 100 of each; each
//! holds one way more than what it tells, since only the caller has a clock here.

#![expect(clippy::print_stdout, reason = "what the program has to say")]

use std::{
    error::Error,
    io::{BufRead, BufReader, Read, Write},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use futures_util::{StreamExt, stream};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolmesh_mesh::{
    CallOptions, Mesh, MeshBuilder, RpcStreamTyped, ToolEvent, ToolListChange, ToolServeHandle, metadata_for,
};

type Ended<T> = Result<T, Box<dyn Error>>;

/// The key of both nodes.
const KEY: [u8; 32] = [43; 32];

/// Tells the program that it is the host.
const HOST: &str = "--host";

/// How often each is measured.
const SAMPLES: u64 = 500;

#[derive(Clone, schemars::JsonSchema, serde::Serialize, serde::Deserialize)]
struct Number {
    number: u64,
}

#[tokio::main]
async fn main() -> Ended<()> {
    if std::env::args().nth(1).as_deref() == Some(HOST) {
        return host().await;
    }
    let mut host = Host::start()?;
    let agent = MeshBuilder::new("127.0.0.1:0", &KEY)?
        .connect(&host.place)?
        .build()
        .await?;
    let mut changes = agent.watch_tools(None, None);
    while agent.list_tools(None).len() < 5 {
        changes.next().await.ok_or("the watch ended")?;
    }
    drop(changes);
    print("a tool is visible after", visible(&agent).await?);
    print(
        "a handler sees that it is cancelled after",
        cancelled(&agent).await?,
    );
    print("a call takes", unary(&agent).await?);
    let asked = Number { number: 0 };
    let stalled: RpcStreamTyped<ToolEvent> = agent.call_tool_streaming("count", &asked).await?;
    print("beside a stream that nobody reads", unary(&agent).await?);
    drop(stalled);
    host.child.kill()?;
    Ok(())
}

/// The host's tools: `echo`; `offer`, which serves one more tool; `wait`, which waits to be cancelled; `seen`, which answers
/// when one was; `count`, a stream without an end.
async fn host() -> Ended<()> {
    let mesh = MeshBuilder::new("127.0.0.1:0", &KEY)?.build().await?;
    let of = |name: &str| metadata_for::<Number, Number>(name).stateless(false).build();
    let echo = mesh.serve_tool::<Number, Number, _, _>(of("echo"), |asked| async move { Ok(asked) })?;
    let offered = Arc::new(Mutex::new(Vec::<ToolServeHandle>::new()));
    let serving = mesh.clone();
    let offer = mesh.serve_tool::<Number, Number, _, _>(of("offer"), move |asked| {
        let one = metadata_for::<Number, Number>(&format!("offered_{}", asked.number)).build();
        let served = serving.serve_tool::<Number, Number, _, _>(one, |asked| async move { Ok(asked) });
        let served = served.map(|handle| {
            offered
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(handle)
        });
        std::future::ready(served.map(|()| asked).map_err(|error| error.to_string()))
    })?;
    let (tell, seen) = mpsc::unbounded_channel();
    let wait = mesh.serve_tool_with::<Number, Number, _, _>(of("wait"), move |context, asked| {
        let tell = tell.clone();
        // The work of a call that is given up is dropped, so another task waits for that.
        tokio::spawn(async move {
            context.cancellation().cancelled().await;
            tell.send(())
        });
        async move {
            std::future::pending::<()>().await;
            Ok(asked)
        }
    })?;
    let seen = Arc::new(tokio::sync::Mutex::new(seen));
    let told = mesh.serve_tool::<Number, Number, _, _>(of("seen"), move |asked| {
        let seen = Arc::clone(&seen);
        async move {
            seen.lock().await.recv().await;
            Ok(asked)
        }
    })?;
    let count = mesh.serve_tool_streaming::<Number, _, _, _>(of("count"), |_| async {
        stream::iter(0_u64..).map(|number| ToolEvent::Delta { data: number.into() })
    })?;
    let _served = [echo, offer, wait, told, count];
    let place = mesh.listens_at().first().map(|place| place.replace("tcp/", ""));
    println!("{}", place.ok_or("the host listens nowhere")?);
    std::io::stdout().flush()?;
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
    Ok(())
}

/// From asking the host for a tool until it is seen.
async fn visible(agent: &Mesh) -> Ended<Vec<u128>> {
    let mut times = Vec::new();
    for number in 0..SAMPLES / 10 {
        let mut changes = agent.watch_tools(None, None);
        let name = format!("offered_{number}");
        let began = Instant::now();
        let _: Number = agent.call_tool("offer", &Number { number }).await?;
        loop {
            match changes.next().await.ok_or("the watch ended")? {
                ToolListChange::Added(tool) if tool.tool_id == name => break,
                _ => {}
            }
        }
        times.push(began.elapsed().as_micros());
    }
    Ok(times)
}

/// From giving a call up until the host answers that its handler has seen that.
async fn cancelled(agent: &Mesh) -> Ended<Vec<u128>> {
    let mut times = Vec::new();
    for number in 0..SAMPLES {
        let (token, asked) = (CancellationToken::new(), Number { number });
        let options = CallOptions::new().with_cancellation(token.clone());
        let waiting = async {
            agent
                .call_tool_with::<_, Number>("wait", &Number { number }, &options)
                .await
        };
        let seen = async {
            // Both calls are at their handlers when the third is answered.
            let seen = agent.call_tool::<_, Number>("seen", &asked);
            let cancel = async {
                let _: Number = agent.call_tool("echo", &asked).await?;
                token.cancel();
                Ok(Instant::now())
            };
            let (seen, began): (_, Result<_, toolmesh_mesh::RpcError>) = tokio::join!(seen, cancel);
            seen.and(began).map(|began| began.elapsed().as_micros())
        };
        let (given_up, took) = tokio::join!(waiting, seen);
        if given_up.is_ok() {
            return Err("a call that was given up was answered".into());
        }
        times.push(took?);
    }
    Ok(times)
}

async fn unary(agent: &Mesh) -> Ended<Vec<u128>> {
    let mut times = Vec::new();
    for number in 0..SAMPLES * 10 {
        let began = Instant::now();
        let _: Number = agent.call_tool("echo", &Number { number }).await?;
        times.push(began.elapsed().as_micros());
    }
    Ok(times)
}

fn print(what: &str, mut times: Vec<u128>) {
    times.sort_unstable();
    let at = |percent: usize| {
        times
            .get(times.len() * percent / 100)
            .copied()
            .unwrap_or_default()
    };
    let longest = times.last().copied().unwrap_or_default();
    println!(
        "{what} {} us, 99 of 100 within {} us, all within {longest} us",
        at(50),
        at(99)
    );
}

/// The process of the host, killed when dropped.
struct Host {
    child: Child,
    place: String,
}

impl Host {
    fn start() -> Ended<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg(HOST)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut place = String::new();
        BufReader::new(child.stdout.take().ok_or("the host has no output")?).read_line(&mut place)?;
        let place = place.trim_end().to_owned();
        Ok(Self { child, place })
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // A host that is gone already needs no stopping.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
