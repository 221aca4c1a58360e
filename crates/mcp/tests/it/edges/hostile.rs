//! Clients that mean harm, or know no better: others are served meanwhile.

use std::{net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    task::JoinHandle,
};
use toolmesh_mcp::{HttpOptions, McpServer, ServerLimits};
use toolmesh_tool::{CallContext, ContentBlock, TextContent, Tool, ToolResult};

use crate::{
    http_client::{MODERN, raw, request, text},
    over_socket,
    stdio_client::PATIENCE,
    toolbox::{server, server_with},
};

struct Running {
    address: SocketAddr,
    serving: JoinHandle<Result<(), toolmesh_mcp::ServeError>>,
}

impl Running {
    async fn start(options: HttpOptions) -> Self {
        Self::of(&server(), options).await
    }

    async fn of(server: &McpServer, options: HttpOptions) -> Self {
        let bound = server
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
        over_socket::check(bytes, &answer);
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
async fn a_request_whose_length_is_said_in_two_ways_is_the_last_of_its_connection() {
    let running = Running::start(HttpOptions::default()).await;
    let (headers, body) = request(MODERN, "tools/call", r#"{"name":"echo"}"#);
    let hidden = text(running.address, &headers, &body);
    for (path, told) in [("/mcp", "400"), ("/other", "404")] {
        // A proxy that believes the length would take the hidden request for a body.
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\ncontent-length: {}\r\n\r\n",
            running.address,
            hidden.len() + 5
        );
        let answer = running
            .answer(format!("{head}0\r\n\r\n{hidden}").as_bytes())
            .await;
        assert_eq!(status(&answer), told, "{answer}");
        assert_eq!(answer.matches("HTTP/1.1").count(), 1, "{answer}");
    }
    assert!(running.serves().await);
}

/// What a client gets that closes its half when its request is whole.
async fn answer_after_closing(running: &Running, request: &str) -> String {
    let mut stream = TcpStream::connect(running.address).await.expect("a connection");
    stream.write_all(request.as_bytes()).await.expect("written");
    stream.shutdown().await.expect("closed");
    let mut answer = Vec::new();
    let read = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer)).await;
    read.expect("in time").expect("readable");
    over_socket::check(request.as_bytes(), &answer);
    String::from_utf8(answer).expect("UTF-8")
}

#[tokio::test]
async fn a_client_that_closes_its_half_still_gets_its_answer() {
    let running = Running::start(HttpOptions::default()).await;
    let token = r#","_meta":{"progressToken":1}"#;
    for version in ["2025-06-18", "2025-11-25", MODERN] {
        for (call, said) in [
            (
                r#"{"name":"wait","arguments":{"ms":100}}"#.to_owned(),
                "waited 100",
            ),
            (
                r#"{"name":"echo","arguments":{"message":"at once"}}"#.to_owned(),
                "at once",
            ),
            (format!(r#"{{"name":"progress"{token}}}"#), "at 100"),
            (
                format!(r#"{{"name":"wait","arguments":{{"ms":100}}{token}}}"#),
                "waited 100",
            ),
        ] {
            let (headers, body) = request(version, "tools/call", &call);
            let closing = text(running.address, &headers, &body);
            // Whether the connection could go on makes no difference.
            for request in [closing.replace("connection: close\r\n", ""), closing] {
                let answer = answer_after_closing(&running, &request).await;
                assert!(answer.contains(said), "{version} {call}: {answer}");
            }
        }
    }
    assert!(running.serves().await);
}

#[tokio::test]
async fn a_request_that_is_cut_off_by_the_closed_half_is_told() {
    let running = Running::start(HttpOptions::default()).await;
    let (headers, body) = request(MODERN, "tools/call", r#"{"name":"echo"}"#);
    let whole = text(running.address, &headers, &body);
    let answer = answer_after_closing(&running, whole.trim_end_matches('}')).await;
    assert_eq!(status(&answer), "400", "{answer}");
    assert_eq!(answer_after_closing(&running, "POST /mcp HTTP/1.1\r\n").await, "");
    assert!(running.serves().await);
}

#[tokio::test]
async fn a_client_that_closes_its_half_may_read_slowly_and_gets_all_of_it() {
    // More than the system holds between the two, in texts as long as the server sends any.
    const LONGEST: usize = 1024 * 1024;
    const TEXTS: usize = 3;
    let (server, mount) = server_with(ServerLimits::default());
    let large = Tool::with_name("large")
        .json_object_arguments()
        .handler(|_: CallContext, _| {
            let text = ContentBlock::Text(TextContent::new("x".repeat(LONGEST)));
            let texts = std::iter::repeat_n(text, TEXTS);
            std::future::ready(texts.fold(ToolResult::default(), ToolResult::with_content))
        })
        .build();
    mount
        .add(vec![large.expect("a sound tool")])
        .expect("no collision");
    let running = Running::of(&server, HttpOptions::default()).await;
    let (headers, body) = request(MODERN, "tools/call", r#"{"name":"large"}"#);
    let request = text(running.address, &headers, &body);
    let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(4_096).expect("a small buffer");
    let mut stream = socket.connect(running.address).await.expect("a connection");
    stream.write_all(request.as_bytes()).await.expect("written");
    stream.shutdown().await.expect("closed");
    let mut answer = Vec::new();
    let mut piece = [0; 1_000];
    while let count @ 1.. = stream.read(&mut piece).await.expect("readable") {
        answer.extend_from_slice(&piece[..count]);
        tokio::task::yield_now().await;
    }
    over_socket::check(request.as_bytes(), &answer);
    assert!(answer.len() > TEXTS * LONGEST, "{} bytes", answer.len());
}
