//! A web server that answers from a script: it plays services that cannot be asked in tests.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

/// The longest request that is read, in bytes.
const MAX_REQUEST_BYTES: u64 = 64 << 10;

/// What the server answers.
#[derive(Debug, Clone)]
pub struct WebAnswer {
    /// The HTTP status.
    pub status: u16,
    /// Headers beside the length.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: String,
}

impl WebAnswer {
    /// An answer with this status and body.
    #[must_use]
    pub fn new(status: u16, body: impl Into<String>) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: body.into(),
        }
    }

    /// The same with one header more.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

type Script = dyn Fn(&str, &str) -> WebAnswer + Send + Sync;

/// A web server on a free port of this machine. It stops when this is dropped.
#[derive(Debug)]
pub struct WebStub {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    stopped: Arc<AtomicBool>,
}

impl WebStub {
    /// Starts a server; `script` gets the path and query of each request.
    ///
    /// # Panics
    /// When no port is free.
    #[must_use]
    #[track_caller]
    pub fn start(script: impl Fn(&str) -> WebAnswer + Send + Sync + 'static) -> Self {
        Self::start_with_bodies(move |path, _| script(path))
    }

    /// Starts a server; `script` gets the path and query of each request, and its body.
    ///
    /// # Panics
    /// When no port is free.
    #[must_use]
    #[track_caller]
    pub fn start_with_bodies(script: impl Fn(&str, &str) -> WebAnswer + Send + Sync + 'static) -> Self {
        let listener = match TcpListener::bind("127.0.0.1:0") {
            Ok(listener) => listener,
            Err(error) => panic!("no port is free: {error}"),
        };
        let address = match listener.local_addr() {
            Ok(address) => address,
            Err(error) => panic!("the port is not known: {error}"),
        };
        let stub = Self {
            address,
            asked: Arc::default(),
            stopped: Arc::default(),
        };
        let (asked, stopped) = (Arc::clone(&stub.asked), Arc::clone(&stub.stopped));
        let script: Arc<Script> = Arc::new(script);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if stopped.load(Ordering::Relaxed) {
                    break;
                }
                let (asked, script) = (Arc::clone(&asked), Arc::clone(&script));
                // A client that goes away is none of the stub's business.
                thread::spawn(move || answer(&stream, &asked, script.as_ref()));
            }
        });
        stub
    }

    /// `http://127.0.0.1:PORT`
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The paths and queries that were asked for, in order.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().map(|asked| asked.clone()).unwrap_or_default()
    }
}

impl Drop for WebStub {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        // Wakes the thread that waits for a connection.
        let _ = TcpStream::connect(self.address);
    }
}

fn answer(mut stream: &TcpStream, asked: &Mutex<Vec<String>>, script: &Script) -> Option<()> {
    let mut reader = BufReader::new(stream.take(MAX_REQUEST_BYTES));
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut line = String::new();
    let mut length = 0;
    while reader.read_line(&mut line).ok()? > 2 {
        let header = line.split_once(':');
        if let Some((_, value)) = header.filter(|(name, _)| name.eq_ignore_ascii_case("content-length")) {
            length = value.trim().parse().ok()?;
        }
        line.clear();
    }
    let mut request = String::new();
    reader.take(length).read_to_string(&mut request).ok()?;
    let path = first.split(' ').nth(1)?.to_owned();
    asked.lock().ok()?.push(path.clone());
    let WebAnswer {
        status,
        headers,
        body,
    } = script(&path, &request);
    let mut head = format!(
        "HTTP/1.1 {status} x\r\ncontent-length: {}\r\nconnection: close\r\n",
        body.len()
    );
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(format!("{head}\r\n{body}").as_bytes()).ok()
}
