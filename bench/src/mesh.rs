//! What the nodes of the mesh benchmark share: the cases, the process of the host, and the loops that measure.
//!
//! Each program is caller and host: as the caller it starts itself once more with `--host`, in a process of its own, waits for
//! the line that says where that is, and calls it over loopback. Figures are one line of JSON on standard output.

use std::{
    future::Future,
    io::{BufRead, BufReader, Read, Write},
    process::{Child, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use clap::{Parser, ValueEnum};
use serde_json::Value;

use crate::window::{Window, tenths_since};

/// A node of one of the contenders.
pub trait Peer: Clone + Send + Sync + Sized + 'static {
    /// Joins as the host of `echo` and of the stream; the node, and where others find it.
    fn host() -> impl Future<Output = Result<(Self, String)>> + Send;

    /// Joins as a caller of the host at this place; returns when it can be called.
    fn join(place: &str) -> impl Future<Output = Result<Self>> + Send;

    /// Calls `echo` with the number; fails unless the answer is the number.
    fn call(&self, number: u64) -> impl Future<Output = Result<()>> + Send;

    /// Reads a stream of so many events; fails unless all came, in order.
    fn stream(&self, events: u64) -> impl Future<Output = Result<()>> + Send;
}

/// The numbers of a stream as they come: each has to be the next.
#[derive(Debug, Default)]
pub struct Turns {
    next: u64,
}

impl Turns {
    /// Takes the next number.
    ///
    /// # Errors
    /// When it is another, or none.
    pub fn take(&mut self, number: Option<u64>) -> Result<()> {
        ensure!(
            number == Some(self.next),
            "event {} did not come in its turn",
            self.next
        );
        self.next += 1;
        Ok(())
    }

    /// Ends the stream.
    ///
    /// # Errors
    /// When it is not so many numbers long.
    pub fn end(self, events: u64) -> Result<()> {
        ensure!(self.next == events, "{} events came of {events}", self.next);
        Ok(())
    }
}

/// What is measured.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Case {
    /// One call after the other
    Unary,
    /// Several callers at once
    Many,
    /// A stream of events
    Stream,
}

/// Measures calls to a node in another process.
#[derive(Debug, Parser)]
struct Arguments {
    /// Be the host: say where, and end when standard input ends
    #[arg(long)]
    host: bool,
    /// What is measured
    #[arg(long, value_enum, default_value = "unary")]
    case: Case,
    /// How many callers many are
    #[arg(long, default_value_t = 32)]
    callers: u64,
    /// How many events a stream has
    #[arg(long, default_value_t = 20_000)]
    events: u64,
    /// Milliseconds of load before anything is counted
    #[arg(long, default_value_t = 500)]
    warm_up: u64,
    /// Milliseconds that count
    #[arg(long, default_value_t = 2000)]
    milliseconds: u64,
}

/// The whole of a contender's program.
///
/// # Errors
/// When a node cannot join, or any call is lost or answered wrongly.
pub fn main<P: Peer>() -> Result<()> {
    let arguments = Arguments::parse();
    // As many workers as the machine has cores, and at least two: some contenders stand still with one.
    let workers = std::thread::available_parallelism().map_or(2, |cores| cores.get().max(2));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers)
        .enable_all()
        .build()?;
    let ended = runtime.block_on(async {
        if arguments.host {
            be_host::<P>().await
        } else {
            println!("{}", measure::<P>(&arguments).await?);
            Ok(())
        }
    });
    // What a contender still has running is not waited for.
    runtime.shutdown_background();
    ended
}

async fn be_host<P: Peer>() -> Result<()> {
    let (_node, place) = P::host().await?;
    println!("{place}");
    std::io::stdout().flush()?;
    let end = || std::io::stdin().read_to_end(&mut Vec::new());
    tokio::task::spawn_blocking(end).await??;
    Ok(())
}

async fn measure<P: Peer>(arguments: &Arguments) -> Result<Value> {
    let host = Host::start()?;
    let node = P::join(&host.place).await?;
    let warm_up = Duration::from_millis(arguments.warm_up);
    let time = Duration::from_millis(arguments.milliseconds);
    match arguments.case {
        Case::Unary => calls(&node, &host, 1, warm_up, time).await,
        Case::Many => calls(&node, &host, arguments.callers, warm_up, time).await,
        Case::Stream => events(&node, &host, arguments.events, warm_up, time).await,
    }
}

/// Calls by so many callers, each one after the other.
async fn calls<P: Peer>(
    node: &P,
    host: &Host,
    callers: u64,
    warm_up: Duration,
    time: Duration,
) -> Result<Value> {
    call_for(node, callers, warm_up).await?;
    let window = Window::open(host.child.id())?;
    let mut latencies = call_for(node, callers, time).await?;
    window.close()?.figures(&mut latencies)
}

/// The durations of the calls, in tenths of a microsecond.
async fn call_for<P: Peer>(node: &P, callers: u64, time: Duration) -> Result<Vec<u32>> {
    let mut running = tokio::task::JoinSet::new();
    for caller in 0..callers {
        let node = node.clone();
        running.spawn(async move {
            let begin = Instant::now();
            let mut latencies = Vec::new();
            for number in (caller..).step_by(usize::try_from(callers)?) {
                let asked = Instant::now();
                node.call(number).await?;
                latencies.push(tenths_since(asked));
                if begin.elapsed() >= time {
                    break;
                }
            }
            anyhow::Ok(latencies)
        });
    }
    let mut latencies = Vec::new();
    while let Some(ended) = running.join_next().await {
        latencies.extend(ended??);
    }
    Ok(latencies)
}

/// Whole streams, one after the other; the figures are those of an event.
async fn events<P: Peer>(
    node: &P,
    host: &Host,
    events: u64,
    warm_up: Duration,
    time: Duration,
) -> Result<Value> {
    stream_for(node, events, warm_up).await?;
    let window = Window::open(host.child.id())?;
    let streams = stream_for(node, events, time).await?;
    Ok(window.close()?.figures_of_events(streams * events))
}

async fn stream_for<P: Peer>(node: &P, events: u64, time: Duration) -> Result<u64> {
    let begin = Instant::now();
    let mut streams = 0;
    while streams == 0 || begin.elapsed() < time {
        node.stream(events).await?;
        streams += 1;
    }
    Ok(streams)
}

/// The process of the host, killed when dropped.
struct Host {
    child: Child,
    place: String,
    /// Kept open: who writes to a closed pipe ends.
    _output: BufReader<ChildStdout>,
}

impl Host {
    fn start() -> Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("--host")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("starting the host")?;
        let mut output = BufReader::new(child.stdout.take().context("the host has no output")?);
        let mut place = String::new();
        output.read_line(&mut place)?;
        let host = Self {
            child,
            place: place.trim_end().to_owned(),
            _output: output,
        };
        ensure!(!host.place.is_empty(), "the host ended before it was there");
        Ok(host)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // A host that is gone already needs no stopping.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
