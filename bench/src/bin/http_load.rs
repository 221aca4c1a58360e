//! The load generator: some connections of HTTP/1.1, each with one `tools/call` under way at any time.
//!
//! One thread, so that it takes one core of the machine at most. An answer counts only when it is a 200, whole, carries
//! the message, and (with `--check-id`) the id that was asked.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use clap::Parser;
use memchr::memmem;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::LocalSet,
};
use toolmesh_bench::{
    ECHO,
    call::{Call, FIRST_ID, answered},
    window::{Window, tenths_since},
};

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
    let (authority, call) = request(&arguments.url)?;
    let mut connections = Vec::new();
    for _ in 0..arguments.connections {
        let stream = TcpStream::connect(&authority)
            .await
            .with_context(|| format!("connecting to {authority}"))?;
        stream.set_nodelay(true)?;
        connections.push(tokio::task::spawn_local(connection(
            stream,
            call.clone(),
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
    println!("{}", window.figures(&mut shared.latencies.borrow_mut())?);
    Ok(())
}

/// One connection: asks, reads the whole answer, checks it, asks again.
async fn connection(mut stream: TcpStream, mut call: Call, shared: Rc<Shared>) -> Result<()> {
    let mut answer = Vec::with_capacity(4096);
    while shared.phase.get() != Phase::Over {
        let id = shared.next_id.replace(shared.next_id.get() + 1);
        call.set_id(id);
        let asked = Instant::now();
        stream.write_all(call.bytes()).await?;
        read_answer(&mut stream, &mut answer).await?;
        let named = answered(&answer)?;
        ensure!(
            named == id || !shared.check_id,
            "call {id} was answered with id {named}"
        );
        if shared.phase.get() == Phase::Counting {
            shared.latencies.borrow_mut().push(tenths_since(asked));
        }
    }
    Ok(())
}

/// `HOST:PORT` and the call as a client of revision 2026-07-28 posts it.
fn request(url: &str) -> Result<(String, Call)> {
    let rest = url.strip_prefix("http://").context("the URL is not http://")?;
    let (authority, path) = rest.split_once('/').context("the URL has no path")?;
    let head = |length: usize| {
        format!(
            "POST /{path} HTTP/1.1\r\nHost: {authority}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
             Mcp-Method: tools/call\r\nMcp-Name: {ECHO}\r\nContent-Length: {length}\r\n\r\n"
        )
    };
    Ok((authority.to_owned(), Call::framed(head, "")?))
}

/// Reads one answer, head and body, into the emptied buffer.
async fn read_answer(stream: &mut TcpStream, answer: &mut Vec<u8>) -> Result<()> {
    answer.clear();
    let mut end = None;
    loop {
        ensure!(
            stream.read_buf(answer).await? > 0,
            "the server closed the connection"
        );
        end = match end {
            Some(end) => Some(end),
            None => end_of_answer(answer)?,
        };
        match end {
            Some(End::After(length)) if answer.len() > length => {
                bail!("the answer is longer than its Content-Length")
            }
            Some(end) if end.is_reached(answer) => return Ok(()),
            _ => ensure!(
                answer.len() < ANSWER_LIMIT,
                "the answer is over {ANSWER_LIMIT} bytes"
            ),
        }
    }
}

/// Where an answer ends.
#[derive(Debug, Clone, Copy)]
enum End {
    /// After this many bytes of head and body together.
    After(usize),
    /// With the last chunk (RFC 9112, 7.1); what the servers say holds no such bytes elsewhere.
    WithLastChunk,
}

impl End {
    fn is_reached(self, answer: &[u8]) -> bool {
        match self {
            Self::After(length) => answer.len() == length,
            Self::WithLastChunk => answer.ends_with(b"\r\n0\r\n\r\n"),
        }
    }
}

/// Where the answer ends, once its head is complete.
fn end_of_answer(answer: &[u8]) -> Result<Option<End>> {
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
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        if name.eq_ignore_ascii_case("content-length") {
            let length: usize = value
                .trim()
                .parse()
                .context("an answer has a bad Content-Length")?;
            return Ok(Some(End::After(head_end + 4 + length)));
        }
        if name.eq_ignore_ascii_case("transfer-encoding") {
            return Ok(Some(End::WithLastChunk));
        }
    }
    bail!("an answer has neither a Content-Length nor chunks")
}
