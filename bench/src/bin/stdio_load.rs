//! The load generator for servers on standard input and output: one `tools/call` after the other, or a window of them.
//!
//! One thread that writes and reads in turn. A window of one is a client that waits for each answer, and it waits awake:
//! how fast the machine wakes a client is the same for every server and would hide what they differ in. A larger window is
//! kept full: what a read brought is taken apart, and as many calls go out in one write, as a busy client would send them.
//! An answer counts only when it carries the message and the id of a call that is under way.

use std::{
    collections::HashMap,
    ffi::OsString,
    hint,
    io::{self, Read, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use clap::Parser;
use memchr::memchr_iter;
use rustix::fs::{OFlags, fcntl_setfl};
use toolmesh_bench::{
    call::{Call, FIRST_ID, answered},
    window::{Window, tenths_since},
};

/// The capacity of a pipe, pipe(7): calls of this many bytes may be under way, so that neither side ever waits for the
/// other to read while it writes.
const PIPE_BYTES: usize = 64 * 1024;

/// Calls the echo tool of a server that it starts, as fast as that answers.
#[derive(Debug, Parser)]
struct Arguments {
    /// Calls that are under way at any time
    #[arg(long, default_value_t = 1)]
    window: usize,
    /// Milliseconds of load before anything is counted
    #[arg(long, default_value_t = 1000)]
    warm_up: u64,
    /// Milliseconds that count
    #[arg(long, default_value_t = 2000)]
    milliseconds: u64,
    /// The server and its arguments
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let call = Call::framed(|_| String::new(), "\n")?;
    let fits = arguments.window > 0 && arguments.window * call.bytes().len() <= PIPE_BYTES;
    ensure!(fits, "a window of {} calls does not fit a pipe", arguments.window);
    let mut load = Load::new(Server::start(&arguments.command)?, call, arguments.window);
    if arguments.window == 1 {
        // This end of the pipe is nobody else's.
        fcntl_setfl(&load.server.output, OFlags::NONBLOCK).context("waiting awake")?;
    }
    // The first answer takes as long as the server needs to start.
    load.turn()?;
    load.run_for(Duration::from_millis(arguments.warm_up))?;
    load.latencies.clear();
    let window = Window::open(load.server.child.id())?;
    load.run_for(Duration::from_millis(arguments.milliseconds))?;
    let elapsed = window.close()?;
    println!("{}", elapsed.figures(&mut load.latencies)?);
    Ok(())
}

/// The server, killed when dropped.
struct Server {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
}

impl Server {
    fn start(command: &[OsString]) -> Result<Self> {
        let (program, arguments) = command.split_first().context("no server is named")?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot run {}", program.display()))?;
        let input = child.stdin.take().context("the server has no input")?;
        let output = child.stdout.take().context("the server has no output")?;
        Ok(Self { child, input, output })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A server that is gone already needs no stopping.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads what there is, as soon as there is something.
fn read_awake(output: &mut ChildStdout, room: &mut [u8]) -> io::Result<usize> {
    loop {
        match output.read(room) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => hint::spin_loop(),
            read => return read,
        }
    }
}

/// What is under way, and what was measured.
struct Load {
    server: Server,
    call: Call,
    window: usize,
    next_id: u64,
    /// When each call that is under way was sent.
    asked: HashMap<u64, Instant>,
    outgoing: Vec<u8>,
    incoming: Vec<u8>,
    /// How much of the incoming bytes is filled.
    filled: usize,
    latencies: Vec<u32>,
}

impl Load {
    fn new(server: Server, call: Call, window: usize) -> Self {
        Self {
            server,
            call,
            window,
            next_id: FIRST_ID,
            asked: HashMap::with_capacity(window),
            outgoing: Vec::with_capacity(PIPE_BYTES),
            incoming: vec![0; PIPE_BYTES],
            filled: 0,
            latencies: Vec::with_capacity(1 << 20),
        }
    }

    fn run_for(&mut self, time: Duration) -> Result<()> {
        let begin = Instant::now();
        while begin.elapsed() < time {
            self.turn()?;
        }
        Ok(())
    }

    /// Fills the window with one write, and takes what one read brings.
    fn turn(&mut self) -> Result<()> {
        self.ask()?;
        let room = self.incoming.get_mut(self.filled..).unwrap_or_default();
        ensure!(!room.is_empty(), "an answer is over {PIPE_BYTES} bytes");
        let count = read_awake(&mut self.server.output, room).context("reading answers")?;
        ensure!(count > 0, "the server ended");
        self.filled += count;
        self.take()
    }

    fn ask(&mut self) -> Result<()> {
        self.outgoing.clear();
        let asked = Instant::now();
        while self.asked.len() < self.window {
            self.call.set_id(self.next_id);
            self.outgoing.extend_from_slice(self.call.bytes());
            self.asked.insert(self.next_id, asked);
            self.next_id += 1;
        }
        self.server
            .input
            .write_all(&self.outgoing)
            .context("sending calls")
    }

    /// Takes the whole lines that have come.
    fn take(&mut self) -> Result<()> {
        let filled = self.incoming.get(..self.filled).unwrap_or_default();
        let mut begin = 0;
        for end in memchr_iter(b'\n', filled) {
            let answer = filled.get(begin..end).unwrap_or_default();
            let id = answered(answer)?;
            let asked = self.asked.remove(&id);
            let asked = asked.with_context(|| format!("call {id} was not under way"))?;
            self.latencies.push(tenths_since(asked));
            begin = end + 1;
        }
        self.incoming.copy_within(begin..self.filled, 0);
        self.filled -= begin;
        Ok(())
    }
}
