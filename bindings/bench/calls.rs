//! Calls of a tool in plain Rust, to be measured. What the program does is in `README.md`.
#![expect(clippy::print_stdout, reason = "what the program has to say")]

use std::{
    env,
    error::Error,
    io::{Read, stdin},
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::StreamExt;
use hex::FromHex;
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;
use toolmesh::mesh::{MemoryNetwork, Mesh, MeshBuilder, ToolDescriptor, ToolServeHandle};

type Told<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// What is sent and given back.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Number {
    number: u64,
}

const SCHEMA: &str = r#"{"type":"object","properties":{"number":{"type":"integer"}},"required":["number"]}"#;

/// How long a program calls, and how many calls are under way.
#[derive(Debug, Clone, Copy)]
struct Load {
    under_way: u32,
    warm_up: Duration,
    time: Duration,
}

#[tokio::main]
async fn main() -> Told<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["host", key] => host(key).await,
        ["caller", key, place, load @ ..] => caller(key, place, Load::of(load)?).await,
        ["alone", load @ ..] => alone(Load::of(load)?).await,
        _ => Err("the arguments are none of those in README.md".into()),
    }
}

impl Load {
    fn of(arguments: &[&str]) -> Told<Self> {
        let [under_way, warm_up, time] = arguments else {
            return Err("a load is UNDER_WAY WARM_UP TIME".into());
        };
        Ok(Self {
            under_way: under_way.parse()?,
            warm_up: Duration::from_millis(warm_up.parse()?),
            time: Duration::from_millis(time.parse()?),
        })
    }
}

fn on_network(key: &str) -> Told<MeshBuilder> {
    Ok(MeshBuilder::new("127.0.0.1:0", &FromHex::from_hex(key)?)?)
}

fn serve(mesh: &Mesh) -> Told<ToolServeHandle> {
    let mut echo = ToolDescriptor::new("echo");
    echo.input_schema = Some(SCHEMA.to_owned());
    echo.output_schema = Some(SCHEMA.to_owned());
    Ok(mesh.serve_tool(echo, |number: Number| async { Ok::<_, String>(number) })?)
}

async fn host(key: &str) -> Told<()> {
    let mesh = on_network(key)?.build().await?;
    let _served = serve(&mesh)?;
    let places = mesh.listens_at();
    let place = places.first().ok_or("the node listens nowhere")?;
    println!("{}", place.rsplit('/').next().unwrap_or(place));
    // It is over when nobody holds the other end any more.
    tokio::task::spawn_blocking(|| stdin().read_to_end(&mut Vec::new())).await??;
    Ok(())
}

async fn caller(key: &str, place: &str, load: Load) -> Told<()> {
    let mesh = on_network(key)?.connect(place)?.build().await?;
    let mut changes = mesh.watch_tools(None, None);
    while mesh.list_tools(None).is_empty() {
        changes.next().await;
    }
    measure(&mesh, load).await
}

async fn alone(load: Load) -> Told<()> {
    let network = MemoryNetwork::new();
    let node = |name: &str| Told::Ok(MeshBuilder::on(Arc::new(network.named(Some(name.to_owned()))?)));
    let (host, agent) = (node("host")?.build().await?, node("agent")?.build().await?);
    let _served = serve(&host)?;
    measure(&agent, load).await
}

async fn measure(mesh: &Mesh, load: Load) -> Told<()> {
    calls(mesh, load.under_way, load.warm_up).await?;
    let begin = Instant::now();
    let calls = calls(mesh, load.under_way, load.time).await?;
    println!(
        r#"{{"calls": {calls}, "seconds": {}}}"#,
        begin.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Calls for so long; how many calls ended.
async fn calls(mesh: &Mesh, under_way: u32, time: Duration) -> Told<u64> {
    if under_way == 1 {
        return one_after_another(mesh, Instant::now() + time).await;
    }
    let (end, mut callers) = (Instant::now() + time, JoinSet::new());
    for _ in 0..under_way {
        let mesh = mesh.clone();
        callers.spawn(async move { one_after_another(&mesh, end).await });
    }
    let ended = callers.join_all().await;
    ended.into_iter().sum()
}

async fn one_after_another(mesh: &Mesh, end: Instant) -> Told<u64> {
    let mut number = 0;
    while Instant::now() < end {
        let answer: Number = mesh.call_tool("echo", &Number { number }).await?;
        if answer.number != number {
            return Err(format!("{number} was answered by {answer:?}").into());
        }
        number += 1;
    }
    Ok(number)
}
