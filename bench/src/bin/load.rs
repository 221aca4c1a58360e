//! The load generator: some connections of HTTP/1.1, each with one `tools/call` under way at any time.
//!
//! One thread, so that it takes one core of the machine at most. Requests are prepared bytes; each carries an id of
//! its own, ten digits long, so that every request is of one length. An answer counts only when it is a 200, whole,
//! carries "hello", and (with `--check-id`) the id that was asked.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use clap::Parser;
use memchr::memmem;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::LocalSet,
};

/// The first id; all have ten digits.
const FIRST_ID: u64 = 1_000_000_000;

/// Where the id stands in the body before it is filled in.
const ID_PLACE: &str = "1000000000";

/// The kernel tells CPU time in hundredths of a second (`USER_HZ`), on every platform of Linux that is in use.
const TICKS_PER_SECOND: f64 = 100.0;

/// The largest answer that is read.
const ANSWER_LIMIT: usize = 64 * 1024;

/// Calls the echo tool as fast as a server answers.
#[derive(Debug, Parser)]
struct Arguments {
    /// `http://HOST:PORT/PATH`
    #[arg(long)]
    url: String,
    /// The server's process, whose CPU time is read
    #[arg(long)]
    process: u32,
    #[arg(long, default_value_t = 16)]
    connections: usize,
    /// Seconds of load before anything is counted
    #[arg(long, default_value_t = 2)]
    warm_up: u64,
    /// Seconds that count
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    /// Insist on the id of the request in the answer
    #[arg(long)]
    check_id: bool,
}

/// What the connections are doing now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    WarmUp,
    Counting,
    Over,
}

/// What all connections share on the one thread.
struct Shared {
    phase: Cell<Phase>,
    next_id: Cell<u64>,
    check_id: bool,
    latencies: RefCell<Vec<u32>>,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let arguments = Arguments::parse();
    LocalSet::new().run_until(run(&arguments)).await
}

async fn run(arguments: &Arguments) -> Result<()> {
    let shared = Rc::new(Shared {
        phase: Cell::new(Phase::WarmUp),
        next_id: Cell::new(FIRST_ID),
        check_id: arguments.check_id,
        latencies: RefCell::new(Vec::with_capacity(1 << 20)),
    });
    let (authority, request) = request(&arguments.url)?;
    let mut connections = Vec::new();
    for _ in 0..arguments.connections {
        let stream = TcpStream::connect(&authority)
            .await
            .with_context(|| format!("connecting to {authority}"))?;
        stream.set_nodelay(true)?;
        connections.push(tokio::task::spawn_local(connection(
            stream,
            request.clone(),
            Rc::clone(&shared),
        )));
    }
    tokio::time::sleep(Duration::from_secs(arguments.warm_up)).await;
    let window = Window::open(arguments.process)?;
    shared.phase.set(Phase::Counting);
    tokio::time::sleep(Duration::from_secs(arguments.seconds)).await;
    shared.phase.set(Phase::Over);
    let window = window.close()?;
    for connection in connections {
        connection.await.context("a connection was dropped")??;
    }
    println!("{}", figures(&window, &mut shared.latencies.borrow_mut())?);
    Ok(())
}

/// One connection: asks, reads the whole answer, checks it, asks again.
async fn connection(mut stream: TcpStream, mut request: Request, shared: Rc<Shared>) -> Result<()> {
    let mut answer = Vec::with_capacity(4096);
    while shared.phase.get() != Phase::Over {
        let id = shared.next_id.replace(shared.next_id.get() + 1).to_string();
        request.set_id(&id);
        let asked = Instant::now();
        stream.write_all(&request.bytes).await?;
        read_answer(&mut stream, &mut answer).await?;
        check(&answer, shared.check_id.then_some(id.as_str()))?;
        if shared.phase.get() == Phase::Counting {
            let took = u32::try_from(asked.elapsed().as_nanos() / 100).unwrap_or(u32::MAX);
            shared.latencies.borrow_mut().push(took);
        }
    }
    Ok(())
}

/// A prepared request.
#[derive(Debug, Clone)]
struct Request {
    bytes: Vec<u8>,
    id_at: usize,
}

impl Request {
    fn set_id(&mut self, id: &str) {
        if let Some(place) = self.bytes.get_mut(self.id_at..self.id_at + ID_PLACE.len()) {
            place.copy_from_slice(id.as_bytes());
        }
    }
}

/// `HOST:PORT` and the bytes of a `tools/call` as a client of revision 2026-07-28 sends it.
fn request(url: &str) -> Result<(String, Request)> {
    let rest = url.strip_prefix("http://").context("the URL is not http://")?;
    let (authority, path) = rest.split_once('/').context("the URL has no path")?;
    let body = json!({
        "jsonrpc": "2.0",
        "id": FIRST_ID,
        "method": "tools/call",
        "params": {
            "name": "echo",
            "arguments": {"message": "hello"},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "load", "version": "0.1.0"},
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    })
    .to_string();
    let head = format!(
        "POST /{path} HTTP/1.1\r\nHost: {authority}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: tools/call\r\nMcp-Name: echo\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let id_at = head.len() + body.find(ID_PLACE).context("the body has no id")?;
    Ok((
        authority.to_owned(),
        Request {
            bytes: (head + &body).into_bytes(),
            id_at,
        },
    ))
}

/// Reads one answer, head and body, into the emptied buffer.
async fn read_answer(stream: &mut TcpStream, answer: &mut Vec<u8>) -> Result<()> {
    answer.clear();
    let mut whole = None;
    loop {
        ensure!(
            stream.read_buf(answer).await? > 0,
            "the server closed the connection"
        );
        whole = match whole {
            Some(length) => Some(length),
            None => length_of_answer(answer)?,
        };
        match whole {
            Some(length) if answer.len() == length => return Ok(()),
            Some(length) if answer.len() > length => bail!("the answer is longer than its Content-Length"),
            _ => ensure!(
                answer.len() < ANSWER_LIMIT,
                "the answer is over {ANSWER_LIMIT} bytes"
            ),
        }
    }
}

/// The length of head and body together, once the head is complete.
fn length_of_answer(answer: &[u8]) -> Result<Option<usize>> {
    let Some(head_end) = memmem::find(answer, b"\r\n\r\n") else {
        return Ok(None);
    };
    let (head, _) = answer.split_at(head_end);
    let head = std::str::from_utf8(head).context("the head of an answer is not UTF-8")?;
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap_or_default();
    ensure!(
        status.starts_with("HTTP/1.1 200"),
        "the server answered {status}: {}",
        String::from_utf8_lossy(answer)
    );
    let length = lines.find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse::<usize>())
    });
    let length = length
        .context("an answer has no Content-Length")?
        .context("an answer has a bad Content-Length")?;
    Ok(Some(head_end + 4 + length))
}

fn check(answer: &[u8], id: Option<&str>) -> Result<()> {
    let shown = || String::from_utf8_lossy(answer).into_owned();
    ensure!(
        memmem::find(answer, b"hello").is_some(),
        "an answer does not carry the message: {}",
        shown()
    );
    if let Some(id) = id {
        ensure!(
            memmem::find(answer, id.as_bytes()).is_some(),
            "an answer does not carry id {id}: {}",
            shown()
        );
    }
    Ok(())
}

/// The time that counts, and the CPU time in it.
struct Window {
    process: u32,
    begin: Instant,
    server_cpu: f64,
    own_cpu: f64,
}

/// A window that has ended: seconds each.
struct Elapsed {
    wall: f64,
    server_cpu: f64,
    own_cpu: f64,
}

impl Window {
    fn open(process: u32) -> Result<Self> {
        let server_cpu = cpu_seconds(process)?;
        Ok(Self {
            process,
            begin: Instant::now(),
            server_cpu,
            own_cpu: cpu_seconds(std::process::id())?,
        })
    }

    fn close(self) -> Result<Elapsed> {
        Ok(Elapsed {
            wall: self.begin.elapsed().as_secs_f64(),
            server_cpu: cpu_seconds(self.process)? - self.server_cpu,
            own_cpu: cpu_seconds(std::process::id())? - self.own_cpu,
        })
    }
}

/// User and system time of a process with all its threads: fields 14 and 15 of /proc/PID/stat, proc_pid_stat(5).
fn cpu_seconds(process: u32) -> Result<f64> {
    let path = format!("/proc/{process}/stat");
    let stat = std::fs::read_to_string(&path).with_context(|| format!("reading {path}"))?;
    // The program's name (field 2) is in parentheses and may hold anything; field 3 follows the last one.
    let (_, fields) = stat
        .rsplit_once(')')
        .with_context(|| format!("{path} has an unknown form"))?;
    let ticks = fields.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
    Ok(ticks.sum::<Result<f64, _>>()? / TICKS_PER_SECOND)
}

fn figures(window: &Elapsed, latencies: &mut [u32]) -> Result<serde_json::Value> {
    ensure!(!latencies.is_empty(), "no answer came in time");
    latencies.sort_unstable();
    let count = f64::from(u32::try_from(latencies.len()).context("too many requests to count")?);
    Ok(json!({
        "requests": latencies.len(),
        "requests_per_second": count / window.wall,
        "p50_microseconds": percentile(latencies, 50),
        "p99_microseconds": percentile(latencies, 99),
        "cpu_microseconds_per_request": window.server_cpu * 1e6 / count,
        "load_cpu_microseconds_per_request": window.own_cpu * 1e6 / count,
    }))
}

/// A percentile of sorted tenths of a microsecond, in microseconds.
fn percentile(sorted: &[u32], percent: usize) -> f64 {
    let at = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
    sorted.get(at).map_or(0.0, |tenths| f64::from(*tenths) / 10.0)
}
