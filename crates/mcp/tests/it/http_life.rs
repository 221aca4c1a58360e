//! The listener: binding, sockets, going away, shutting down.

use std::{net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::{mpsc, oneshot},
    task::JoinHandle,
};
use toolmesh_mcp::{BindError, HttpOptions, McpServer, ServeError, ServerLimits, server::auth::AuthOptions};
use toolmesh_tool::{CallContext, Tool, ToolResult};

use crate::{
    http_client::{MODERN, raw, request, text},
    over_socket,
    stdio_client::PATIENCE,
    toolbox::{server, server_with},
};

struct Running {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<(), ServeError>>,
}

async fn start(server: &McpServer, options: HttpOptions) -> Running {
    let bound = server
        .bind_http(([127, 0, 0, 1], 0).into(), options)
        .await
        .expect("a free port");
    let address = bound.local_addr();
    assert_eq!(bound.url(), format!("http://{address}/mcp"));
    let (stop, stopped) = oneshot::channel();
    let task = tokio::spawn(bound.serve(async move { drop(stopped.await) }));
    Running { address, stop, task }
}

impl Running {
    async fn stop(self) {
        self.stop.send(()).expect("it runs");
        tokio::time::timeout(PATIENCE, self.task)
            .await
            .expect("in time")
            .expect("no panic")
            .expect("a clean end");
    }
}

fn call(version: &str, params: &str, address: SocketAddr) -> String {
    let (headers, body) = request(version, "tools/call", params);
    let headers: Vec<_> = headers.into_iter().collect();
    text(address, &headers, &body)
}

#[tokio::test]
async fn a_call_is_answered_over_a_socket() {
    let running = start(&server(), HttpOptions::default()).await;
    for version in ["2025-11-25", MODERN] {
        let request = call(
            version,
            r#"{"name":"echo","arguments":{"message":"hi"}}"#,
            running.address,
        );
        let answer = raw(running.address, &request).await;
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.contains("content-length: "), "{answer}");
        assert!(
            answer.contains(r#""structuredContent":{"message":"hi"}"#),
            "{answer}"
        );
    }
    running.stop().await;
}

#[tokio::test]
async fn a_stream_is_sent_piece_by_piece() {
    let running = start(&server(), HttpOptions::default()).await;
    let request = call(
        MODERN,
        r#"{"name":"progress","_meta":{"progressToken":1}}"#,
        running.address,
    );
    let answer = raw(running.address, &request).await;
    assert!(answer.contains("transfer-encoding: chunked"), "{answer}");
    assert_eq!(answer.matches("event: message").count(), 4, "{answer}");
    running.stop().await;
}

#[tokio::test]
async fn another_path_another_method_and_another_host_are_refused() {
    let running = start(&server(), HttpOptions::default()).await;
    let good = call(MODERN, r#"{"name":"echo"}"#, running.address);
    let status = async |request: String| {
        let answer = raw(running.address, &request).await;
        answer.split(' ').nth(1).expect("a status").to_owned()
    };
    assert_eq!(status(good.replace("POST /mcp", "POST /other")).await, "404");
    for method in ["GET", "DELETE", "PUT"] {
        assert_eq!(status(good.replace("POST", method)).await, "405", "{method}");
    }
    assert_eq!(
        status(good.replace(&format!("host: {}", running.address), "host: evil.example")).await,
        "421"
    );
    assert_eq!(
        status(good.replace("connection", "origin: https://evil.example\r\nconnection")).await,
        "403"
    );
    let refusal = raw(running.address, &good.replace("POST", "GET")).await;
    assert!(
        refusal.contains("allow: POST") && refusal.contains("cache-control: no-store"),
        "{refusal}"
    );
    running.stop().await;
}

#[tokio::test]
async fn a_body_at_the_limit_is_read_and_one_byte_more_is_refused() {
    let limits = ServerLimits::default()
        .with_message_bytes(400)
        .expect("below the ceiling");
    let running = start(&server_with(limits).0, HttpOptions::default()).await;
    let (headers, body) = request("2025-11-25", "ping", "{}");
    for (length, status) in [(400, "200"), (401, "413")] {
        let padded = format!("{body}{}", " ".repeat(length - body.len()));
        let answer = raw(running.address, &text(running.address, &headers, &padded)).await;
        assert_eq!(answer.split(' ').nth(1), Some(status), "{answer}");
    }
    // The same without a length beforehand.
    let chunk = format!("{:x}\r\n{}\r\n0\r\n\r\n", 401, " ".repeat(401));
    let head = text(running.address, &headers, "").replace("content-length: 0", "transfer-encoding: chunked");
    let answer = raw(running.address, &(head + &chunk)).await;
    assert_eq!(answer.split(' ').nth(1), Some("413"), "{answer}");
    running.stop().await;
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for_for_ever() {
    let options = HttpOptions::default().read_timeout(Duration::from_millis(50));
    let running = start(&server(), options).await;
    let request = call(MODERN, r#"{"name":"echo"}"#, running.address);
    let answer = raw(running.address, request.trim_end_matches('}')).await;
    assert_eq!(answer.split(' ').nth(1), Some("408"), "{answer}");
    running.stop().await;
}

#[tokio::test]
async fn a_call_in_flight_is_finished_before_the_server_ends() {
    let running = start(&server(), HttpOptions::default()).await;
    let request = call(
        MODERN,
        r#"{"name":"wait","arguments":{"ms":200}}"#,
        running.address,
    );
    let address = running.address;
    let asked = tokio::spawn(async move { raw(address, &request).await });
    tokio::time::sleep(Duration::from_millis(60)).await;
    running.stop().await;
    assert!(asked.await.expect("no panic").contains("waited 200"));
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn a_call_that_outlasts_the_grace_time_is_given_up() {
    let running = start(&server(), HttpOptions::default().grace(Duration::from_millis(50))).await;
    let request = call(MODERN, r#"{"name":"wait"}"#, running.address);
    let address = running.address;
    let asked = tokio::spawn(async move { raw(address, &request).await });
    tokio::time::sleep(Duration::from_millis(60)).await;
    running.stop().await;
    assert_eq!(asked.await.expect("no panic"), "");
}

#[tokio::test]
async fn a_taken_port_is_told_and_so_is_an_address_without_hosts() {
    let running = start(&server(), HttpOptions::default()).await;
    let taken = server().bind_http(running.address, HttpOptions::default()).await;
    assert!(matches!(taken, Err(BindError::Address { .. })));
    let open = server()
        .bind_http(([0, 0, 0, 0], 0).into(), HttpOptions::default())
        .await;
    assert!(matches!(open, Err(BindError::HostsMissing { .. })));
    let named = || HttpOptions::default().allow_host("tools.example");
    let open = server().bind_http(([0, 0, 0, 0], 0).into(), named()).await;
    assert!(matches!(open, Err(BindError::AuthMissing { .. })));
    let everybody = named().anonymous();
    assert!(
        server()
            .bind_http(([0, 0, 0, 0], 0).into(), everybody)
            .await
            .is_ok()
    );
    let auth = AuthOptions::default().token("ada", "0123456789abcdef");
    let guarded = named().auth(auth).expect("a sound token");
    assert!(
        server()
            .bind_http(([0, 0, 0, 0], 0).into(), guarded)
            .await
            .is_ok()
    );
    running.stop().await;
}

/// Says that its work was given up when it is dropped; of several endings the first counts.
struct Ending(mpsc::UnboundedSender<&'static str>);

impl Drop for Ending {
    fn drop(&mut self) {
        let _ = self.0.send("given up");
    }
}

/// A tool that tells of its progress at once, works for `work`, and says how it ended: `finished` or `given up`.
fn watched_tool(work: Duration) -> (Tool, mpsc::UnboundedReceiver<&'static str>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let built = Tool::with_name("watched")
        .json_object_arguments()
        .handler(move |context: CallContext, _| {
            let ending = Ending(sender.clone());
            async move {
                context.progress(1.0, None).await;
                tokio::time::sleep(work).await;
                let _ = ending.0.send("finished");
                ToolResult::text("done")
            }
        })
        .build();
    (built.expect("a sound tool"), receiver)
}

#[tokio::test]
async fn a_client_that_takes_nothing_of_its_answer_is_left() {
    let (server, mount) = server_with(ServerLimits::default());
    let (sender, mut endings) = mpsc::unbounded_channel();
    let endless = Tool::with_name("watched")
        .json_object_arguments()
        .handler(move |context: CallContext, _| {
            let ending = Ending(sender.clone());
            async move {
                let mut step = 0.0;
                while ending.0.send("goes on").is_ok() {
                    step += 0.000_1;
                    context.progress(step, Some("x".repeat(100_000))).await;
                    tokio::task::yield_now().await;
                }
                ToolResult::text("done")
            }
        })
        .build();
    mount
        .add(vec![endless.expect("a sound tool")])
        .expect("no collision");
    let options = HttpOptions::default().write_timeout(Duration::from_millis(100));
    let running = start(&server, options).await;
    let mut stream = TcpStream::connect(running.address).await.expect("a connection");
    let request = call(MODERN, STREAMED, running.address);
    stream
        .write_all(request.as_bytes())
        .await
        .expect("the server reads");
    let left = async { while endings.recv().await != Some("given up") {} };
    tokio::time::timeout(PATIENCE, left).await.expect("left in time");
    drop(stream);
    running.stop().await;
}

/// How a call ends whose client goes away after `wait`.
async fn ending(version: &str, params: &str, work: Duration) -> &'static str {
    let (server, mount) = server_with(ServerLimits::default());
    let (tool, mut endings) = watched_tool(work);
    mount.add(vec![tool]).expect("no collision");
    let running = start(&server, HttpOptions::default()).await;
    let mut stream = TcpStream::connect(running.address).await.expect("a connection");
    stream
        .write_all(call(version, params, running.address).as_bytes())
        .await
        .expect("the server reads");
    tokio::time::sleep(Duration::from_millis(80)).await;
    drop(stream);
    let ended = tokio::time::timeout(PATIENCE, endings.recv())
        .await
        .expect("an end in time")
        .expect("an end");
    running.stop().await;
    ended
}

const STREAMED: &str = r#"{"name":"watched","_meta":{"progressToken":1}}"#;

#[tokio::test]
async fn a_client_that_goes_away_cancels_its_call_on_the_stateless_revision() {
    let long = Duration::from_secs(60);
    assert_eq!(ending(MODERN, r#"{"name":"watched"}"#, long).await, "given up");
    assert_eq!(ending(MODERN, STREAMED, long).await, "given up");
}

#[tokio::test]
async fn a_client_that_leaves_a_stream_does_not_cancel_its_call_on_the_older_revisions() {
    assert_eq!(
        ending("2025-11-25", STREAMED, Duration::from_millis(300)).await,
        "finished"
    );
}

#[tokio::test]
async fn a_keep_alive_connection_answers_one_request_after_the_other() {
    let running = start(&server(), HttpOptions::default()).await;
    let mut stream = TcpStream::connect(running.address).await.expect("a connection");
    let request = call(
        MODERN,
        r#"{"name":"echo","arguments":{"message":"hi"}}"#,
        running.address,
    )
    .replace("connection: close\r\n", "");
    for _ in 0..3 {
        stream
            .write_all(request.as_bytes())
            .await
            .expect("the server reads");
        let mut seen = String::new();
        while !seen.ends_with("}}}}") {
            let mut piece = [0; 4096];
            let count = tokio::time::timeout(PATIENCE, stream.read(&mut piece))
                .await
                .expect("in time")
                .expect("readable");
            assert!(count > 0, "{seen}");
            seen.push_str(std::str::from_utf8(&piece[..count]).expect("UTF-8"));
        }
        over_socket::check(request.as_bytes(), seen.as_bytes());
        assert!(seen.starts_with("HTTP/1.1 200 OK"), "{seen}");
    }
    running.stop().await;
}

#[tokio::test]
async fn the_endpoint_can_be_mounted_in_a_router_of_ones_own() {
    let router = axum::Router::new().route_service("/tools", server().http_service(HttpOptions::default()));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a free port");
    let address = listener.local_addr().expect("an address");
    let task = tokio::spawn(async move { axum::serve(listener, router).await });
    let request = call(MODERN, r#"{"name":"echo","arguments":{"message":"hi"}}"#, address);
    let answer = raw(address, &request.replace("POST /mcp", "POST /tools")).await;
    assert!(
        answer.contains(r#""structuredContent":{"message":"hi"}"#),
        "{answer}"
    );
    task.abort();
}

#[tokio::test]
async fn what_would_go_on_for_ever_ends_when_the_server_does() {
    let running = start(&server(), HttpOptions::default()).await;
    let address = running.address;
    let (headers, body) = request(
        MODERN,
        "subscriptions/listen",
        r#"{"notifications":{"toolsListChanged":true}}"#,
    );
    let listen = text(address, &headers, &body);
    let listening = tokio::spawn(async move { raw(address, &listen).await });
    let hello = text(address, &[], &crate::stdio_client::initialize("2025-11-25"));
    let hello = raw(address, &hello).await;
    let session = hello
        .lines()
        .find_map(|line| line.strip_prefix("mcp-session-id: "));
    let session = [("mcp-session-id", session.expect("a session").to_owned())];
    let stream = text(address, &session, "").replace("POST", "GET");
    let streaming = tokio::spawn(async move { raw(address, &stream).await });
    tokio::time::sleep(Duration::from_millis(60)).await;
    running.stop().await;
    let listened = listening.await.expect("no panic");
    assert!(listened.contains("subscriptions/acknowledged"), "{listened}");
    assert!(
        listened.contains(r#""result":{"resultType":"complete""#),
        "{listened}"
    );
    assert!(streaming.await.expect("no panic").contains("text/event-stream"));
}

#[tokio::test]
async fn a_call_whose_client_left_is_waited_for_when_the_server_ends() {
    let (server, mount) = server_with(ServerLimits::default());
    let (tool, mut endings) = watched_tool(Duration::from_millis(300));
    mount.add(vec![tool]).expect("no collision");
    let running = start(&server, HttpOptions::default()).await;
    let mut stream = TcpStream::connect(running.address).await.expect("a connection");
    let request = call("2025-11-25", STREAMED, running.address);
    stream
        .write_all(request.as_bytes())
        .await
        .expect("the server reads");
    tokio::time::sleep(Duration::from_millis(80)).await;
    drop(stream);
    running.stop().await;
    assert_eq!(endings.try_recv(), Ok("finished"));
}
