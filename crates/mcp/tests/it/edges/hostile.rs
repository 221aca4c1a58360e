//! Clients that mean harm, or know no better: others are served meanwhile.

use std::{net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    task::JoinHandle,
};
use toolmesh_mcp::HttpOptions;

use crate::{
    http_client::{MODERN, raw, request, text},
    stdio_client::PATIENCE,
    toolbox::server,
};

struct Running {
    address: SocketAddr,
    serving: JoinHandle<Result<(), toolmesh_mcp::ServeError>>,
}

impl Running {
    async fn start(options: HttpOptions) -> Self {
        let bound = server()
            .bind_http(([127, 0, 0, 1], 0).into(), options)
            .await
            .expect("a free port");
        let address = bound.local_addr();
        Self {
            address,
            serving: tokio::spawn(bound.serve(std::future::pending())),
        }
    }

    /// Whether a right call is answered.
    async fn serves(&self) -> bool {
        let (headers, body) = request(
            MODERN,
            "tools/call",
            r#"{"name":"echo","arguments":{"message":"hi"}}"#,
        );
        let answer = raw(self.address, &text(self.address, &headers, &body)).await;
        answer.starts_with("HTTP/1.1 200 OK\r\n")
    }

    /// What comes until the server closes, for bytes of one's own.
    async fn answer(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).await.expect("a connection");
        // A server that refuses early may close before everything is written.
        let _ = stream.write_all(bytes).await;
        let mut answer = Vec::new();
        let read = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer)).await;
        let _ = read.expect("an end in time");
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

fn status(answer: &str) -> &str {
    answer.get(9..12).unwrap_or("none")
}

#[tokio::test]
async fn connections_that_say_nothing_or_little_cost_no_other_a_call() {
    let running = Running::start(HttpOptions::default().read_timeout(Duration::from_millis(400))).await;
    let mut idle = Vec::new();
    for beginning in [
        "",
        "P",
        "POST /mcp HTTP/1.1\r\nhost: l",
        "POST /mcp HTTP/1.1\r\ncontent-length: 9\r\n\r\n",
    ]
    .into_iter()
    .cycle()
    .take(400)
    {
        let mut stream = TcpStream::connect(running.address).await.expect("a connection");
        stream.write_all(beginning.as_bytes()).await.expect("written");
        idle.push(stream);
    }
    assert!(running.serves().await);
    // Each of them is closed by the server itself.
    for mut stream in idle {
        let mut rest = Vec::new();
        let closed = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut rest)).await;
        let _ = closed.expect("closed in time");
    }
    assert!(running.serves().await);
}

#[tokio::test]
async fn a_body_that_comes_drop_by_drop_is_left() {
    let running = Running::start(HttpOptions::default().read_timeout(Duration::from_millis(100))).await;
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\naccept: */*\r\nconnection: close\r\ncontent-length: 1000\r\n\r\n",
        running.address
    );
    let mut stream = TcpStream::connect(running.address).await.expect("a connection");
    stream.write_all(head.as_bytes()).await.expect("written");
    let (mut reader, mut writer) = stream.split();
    let dripping = async {
        while writer.write_all(b" ").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        std::future::pending::<()>().await;
    };
    let mut answer = Vec::new();
    let reading = tokio::time::timeout(PATIENCE, reader.read_to_end(&mut answer));
    tokio::select! {
        read = reading => drop(read.expect("an end in time")),
        () = dripping => {}
    }
    assert_eq!(status(&String::from_utf8_lossy(&answer)), "408");
    assert!(running.serves().await);
}

#[tokio::test]
async fn heads_and_targets_beyond_their_bounds_are_refused_by_their_statuses() {
    let running = Running::start(HttpOptions::default()).await;
    let fixed = "connection: close\r\n";
    let head = |target: &str, fields: &str| {
        format!(
            "POST {target} HTTP/1.1\r\nhost: {}\r\n{fixed}{fields}\r\n",
            running.address
        )
    };
    let padded = |bytes: usize| {
        let text = head("/mcp", "a: \r\n");
        head("/mcp", &format!("a: {}\r\n", "v".repeat(bytes - text.len())))
    };
    // At the bound the head passes, and lacks its media type.
    assert_eq!(status(&running.answer(padded(64 * 1024).as_bytes()).await), "415");
    assert_eq!(
        status(&running.answer(padded(64 * 1024 + 1).as_bytes()).await),
        "431"
    );
    assert_eq!(
        status(&running.answer(padded(1024 * 1024).as_bytes()).await),
        "431"
    );
    let many = |count: usize| head("/mcp", &"a: b\r\n".repeat(count - 2));
    assert_eq!(status(&running.answer(many(100).as_bytes()).await), "415");
    assert_eq!(status(&running.answer(many(101).as_bytes()).await), "431");
    let target = |bytes: usize| format!("/mcp?{}", "q".repeat(bytes - 5));
    assert_eq!(
        status(&running.answer(head(&target(8_192), "").as_bytes()).await),
        "415"
    );
    assert_eq!(
        status(&running.answer(head(&target(8_193), "").as_bytes()).await),
        "414"
    );
    assert!(running.serves().await);
}

#[tokio::test]
async fn what_is_no_http_ends_its_connection_alone() {
    let running = Running::start(HttpOptions::default()).await;
    let nonsense: [&[u8]; 5] = [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GARBAGE\r\n\r\n",
        b"POST /mcp HTTP/9.9\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ];
    for bytes in nonsense {
        let answer = running.answer(bytes).await;
        assert!(!answer.starts_with("HTTP/1.1 2"), "{answer}");
    }
    assert!(running.serves().await);
}

#[tokio::test]
async fn a_client_that_closes_its_half_still_gets_its_answer() {
    let running = Running::start(HttpOptions::default()).await;
    let (headers, body) = request(
        "2025-11-25",
        "tools/call",
        r#"{"name":"wait","arguments":{"ms":100}}"#,
    );
    let mut stream = TcpStream::connect(running.address).await.expect("a connection");
    stream
        .write_all(text(running.address, &headers, &body).as_bytes())
        .await
        .expect("written");
    stream.shutdown().await.expect("closed");
    let mut answer = String::new();
    let read = tokio::time::timeout(PATIENCE, stream.read_to_string(&mut answer)).await;
    read.expect("in time").expect("readable");
    assert!(answer.contains("waited 100") || answer.is_empty(), "{answer}");
    assert!(running.serves().await);
}
