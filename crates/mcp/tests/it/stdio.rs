//! Conversations on stdio.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use toolmesh_mcp::{McpServer, ServerInfo, ServerLimits};
use toolmesh_tool::{
    CallContext, CancellationToken, Dispatcher, LogLevel, Prefix, Tool, ToolResult, Toolbox,
};

use crate::{
    stdio_client::{StdioClient, initialize},
    toolbox::{another_tool, server, server_with},
};

fn call(id: &str, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
    )
}

#[tokio::test]
async fn a_client_shakes_hands_calls_and_leaves() {
    let mut client = StdioClient::connect(&server());
    let hello = client.ask(&initialize("2025-11-25")).await;
    assert!(hello.contains(r#""protocolVersion":"2025-11-25""#), "{hello}");
    client
        .send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
        .await;
    let answer = client.ask(&call("1", "echo", r#"{"message":"hi"}"#)).await;
    assert_eq!(
        answer,
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"{\"message\":\"hi\"}"}],"structuredContent":{"message":"hi"}}}"#
    );
    assert!(client.finish().await.is_empty());
}

#[tokio::test]
async fn the_handshake_settles_a_served_revision() {
    for (asked, given) in [
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("2024-11-05", "2025-11-25"),
        ("nonsense", "2025-11-25"),
    ] {
        let mut client = StdioClient::connect(&server());
        client.send(&initialize(asked)).await;
        let settled = client
            .message()
            .await
            .pointer("/result/protocolVersion")
            .expect("there")
            .to_text();
        assert_eq!(settled, format!("{given:?}"), "{asked}");
    }
}

#[tokio::test]
async fn a_client_that_says_its_revision_itself_needs_no_handshake() {
    let mut client = StdioClient::connect(&server());
    let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    let request =
        format!(r#"{{"jsonrpc":"2.0","id":"a","method":"server/discover","params":{{"_meta":{meta}}}}}"#);
    let answer = client.ask(&request).await;
    assert!(
        answer.contains(r#""supportedVersions":["2026-07-28","2025-11-25","2025-06-18"]"#),
        "{answer}"
    );
    let unserved = client.ask(&request.replace("2026-07-28", "2030-01-01")).await;
    assert_eq!(
        unserved,
        r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32022,"message":"Unsupported protocol version","data":{"supported":["2026-07-28","2025-11-25","2025-06-18"],"requested":"2030-01-01"}}}"#
    );
}

#[tokio::test]
async fn lines_that_are_no_messages_are_answered_and_the_conversation_goes_on() {
    let mut client = StdioClient::connect(&server());
    for (line, answer) in [
        (
            "{",
            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#,
        ),
        (
            "[]",
            r#"{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request"}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":7}"#,
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"Invalid request"}}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"secret"}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#,
        ),
        (
            "  \r\n{\"jsonrpc\":\"2.0\",\"id\":1.0,\"method\":\"ping\"}\r",
            r#"{"jsonrpc":"2.0","id":1.0,"result":{}}"#,
        ),
    ] {
        assert_eq!(client.ask(line).await, answer, "{line}");
    }
    client.send_raw(b"\xff\xfe\n").await;
    assert!(client.line().await.contains("-32700"));
    assert!(client.finish().await.is_empty());
}

#[tokio::test]
async fn a_line_at_the_limit_is_read_and_one_byte_more_is_a_parse_error() {
    let limits = ServerLimits::default()
        .with_message_bytes(100)
        .expect("below the ceiling");
    let mut client = StdioClient::connect(&server_with(limits).0);
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let padded = |length: usize| format!("{ping}{}", " ".repeat(length - ping.len()));
    assert_eq!(
        client.ask(&padded(100)).await,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#
    );
    assert!(client.ask(&padded(101)).await.contains("-32700"));
    assert!(client.ask(&padded(100_000)).await.contains("-32700"));
    assert_eq!(client.ask(ping).await, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
}

#[tokio::test]
async fn answers_come_as_they_finish() {
    let mut client = StdioClient::connect(&server());
    client.send(&call("1", "wait", r#"{"ms":300}"#)).await;
    client.send(&call("2", "wait", r#"{"ms":5}"#)).await;
    client.send(&call("3", "echo", r#"{"message":"now"}"#)).await;
    let mut order = Vec::new();
    for _ in 0..3 {
        order.push(client.message().await.get("id").expect("there").to_text());
    }
    assert_eq!(order, ["3", "2", "1"]);
}

#[tokio::test]
async fn running_calls_are_finished_when_the_input_ends() {
    let mut client = StdioClient::connect(&server());
    client.send(&call("1", "wait", r#"{"ms":50}"#)).await;
    client
        .send_raw(call("2", "wait", r#"{"ms":20}"#).as_bytes())
        .await;
    let rest = client.finish().await;
    assert_eq!(rest.len(), 2);
    assert!(rest[0].contains("waited 20") && rest[1].contains("waited 50"));
}

#[tokio::test]
async fn calls_beyond_the_bound_wait_for_their_turn() {
    let limits = ServerLimits::default().with_calls(2, 1);
    let mut client = StdioClient::connect(&server_with(limits).0);
    for id in 0..20 {
        client.send(&call(&id.to_string(), "wait", r#"{"ms":2}"#)).await;
    }
    assert_eq!(client.finish().await.len(), 20);
}

#[tokio::test]
async fn a_cancelled_call_ends_without_an_answer() {
    let mut client = StdioClient::connect(&server());
    client.send(&call("1", "wait", "{}")).await;
    client
        .send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}}"#)
        .await;
    client
        .send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#)
        .await;
    // The id is free again, and the end does not wait for the cancelled call.
    assert!(
        client
            .ask(&call("1", "echo", r#"{"message":"x"}"#))
            .await
            .contains("structuredContent")
    );
    let ended = tokio::time::timeout(Duration::from_secs(10), client.finish())
        .await
        .expect("an end in time");
    assert!(ended.is_empty(), "{ended:?}");
}

#[tokio::test]
async fn a_waiting_call_can_be_cancelled_too() {
    let limits = ServerLimits::default().with_calls(1, 8);
    let mut client = StdioClient::connect(&server_with(limits).0);
    client.send(&call("1", "wait", r#"{"ms":100}"#)).await;
    client.send(&call("2", "echo", r#"{"message":"x"}"#)).await;
    client
        .send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#)
        .await;
    let rest = client.finish().await;
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert!(rest[0].contains("waited 100"));
}

#[tokio::test]
async fn an_id_that_is_in_flight_is_refused() {
    let mut client = StdioClient::connect(&server());
    client.send(&call("1", "wait", r#"{"ms":200}"#)).await;
    let refused = client.ask(&call("1", "echo", r#"{"message":"x"}"#)).await;
    assert_eq!(
        refused,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request"}}"#
    );
    assert!(client.line().await.contains("waited 200"));
}

#[tokio::test]
async fn progress_comes_before_the_answer_to_those_who_asked() {
    let mut client = StdioClient::connect(&server());
    client
        .send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"progress","_meta":{"progressToken":"t"}}}"#)
        .await;
    let rest = client.finish().await;
    assert_eq!(rest.len(), 4, "{rest:#?}");
    assert_eq!(
        rest[1],
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":50,"total":100,"message":"at 50"}}"#
    );
    assert!(rest[3].contains(r#""text":"done""#));

    let mut client = StdioClient::connect(&server());
    client.send(&call("1", "progress", "{}")).await;
    assert_eq!(client.finish().await.len(), 1);
}

#[tokio::test]
async fn changes_of_the_tools_are_told_after_a_handshake() {
    let (server, mount) = server_with(ServerLimits::default());
    let mut silent = StdioClient::connect(&server);
    silent.ask(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).await;
    let mut client = StdioClient::connect(&server);
    let hello = client.ask(&initialize("2025-11-25")).await;
    assert!(hello.contains(r#""tools":{"listChanged":true}"#), "{hello}");
    mount.add(vec![another_tool("late")]).expect("no collision");
    assert_eq!(
        client.line().await,
        r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}"#
    );
    assert!(
        client
            .ask(r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#)
            .await
            .contains("late")
    );
    assert!(silent.finish().await.is_empty());
}

#[tokio::test]
async fn a_page_ends_at_the_bound_and_its_cursor_belongs_to_that_catalogue() {
    let (server, mount) = server_with(ServerLimits::default().with_page_entries(4));
    let mut client = StdioClient::connect(&server);
    let mut names = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let params = cursor
            .as_ref()
            .map_or("{}".to_owned(), |cursor| format!(r#"{{"cursor":"{cursor}"}}"#));
        client
            .send(&format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{params}}}"#
            ))
            .await;
        let page = client.message().await;
        let tools = page
            .pointer("/result/tools")
            .and_then(|tools| tools.as_array())
            .expect("a list");
        assert!(tools.len() <= 4);
        names.extend(
            tools
                .iter()
                .map(|tool| tool.get("name").expect("named").to_text()),
        );
        let next = page
            .pointer("/result/nextCursor")
            .and_then(|next| next.as_str())
            .map(str::to_owned);
        if next.is_none() {
            break;
        }
        cursor = next;
    }
    assert_eq!(names.len(), 14);
    names.dedup();
    assert_eq!(names.len(), 14);

    let cursor = cursor.expect("more than one page");
    mount.add(vec![another_tool("late")]).expect("no collision");
    for (list, cursor) in [
        ("tools", cursor.as_str()),
        ("resources", cursor.as_str()),
        ("tools", ""),
        ("tools", "0-0"),
    ] {
        let request =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{list}/list","params":{{"cursor":"{cursor}"}}}}"#);
        let answer = client.ask(&request).await;
        assert_eq!(
            answer,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid cursor"}}"#
        );
    }
}

#[tokio::test]
async fn a_client_that_sends_much_before_it_reads_is_served() {
    let mut client = StdioClient::connect(&server());
    let message = "x".repeat(60);
    for id in 0..3_000 {
        client
            .send(&call(
                &id.to_string(),
                "echo",
                &format!(r#"{{"message":"{message}"}}"#),
            ))
            .await;
    }
    let answers = client.finish().await;
    assert_eq!(answers.len(), 3_000);
    assert!(answers.iter().all(|answer| answer.contains("structuredContent")));
}

/// Serves one call that takes so long, is told to stop while it runs, and gives its answer.
async fn answer_after_stop(milliseconds: u32) -> String {
    let limits = ServerLimits::default()
        .with_grace(Duration::from_millis(300))
        .with_calls(1, 1);
    let (server, _mount) = server_with(limits);
    let (near, far) = tokio::io::duplex(64 * 1024);
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let task = tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(far);
        server
            .serve_io_until(reader, writer, async move { stopped.cancelled().await })
            .await
    });
    let (reader, mut writer) = tokio::io::split(near);
    let call = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"wait\",\"arguments\":{{\"ms\":{milliseconds}}}}}}}\n"
    );
    writer.write_all(call.as_bytes()).await.expect("the server reads");
    tokio::time::sleep(Duration::from_millis(50)).await;
    stop.cancel();
    // The input stays open: the server ends by itself.
    let mut answer = String::new();
    BufReader::new(reader)
        .read_to_string(&mut answer)
        .await
        .expect("readable");
    task.await.expect("no panic").expect("a clean end");
    answer
}

#[tokio::test]
async fn a_server_that_is_told_to_stop_finishes_its_calls_or_fails_them() {
    assert!(answer_after_stop(100).await.contains("waited 100"));
    let failed = answer_after_stop(60_000).await;
    assert!(
        failed.contains(r#""id":1,"error":{"code":-32603,"message":"The operation was cancelled"}"#),
        "{failed}"
    );
}

#[tokio::test]
async fn a_server_that_is_told_to_stop_does_not_wait_for_a_client_that_reads_nothing() {
    let limits = ServerLimits::default().with_grace(Duration::from_millis(50));
    let (server, _mount) = server_with(limits);
    let (near, far) = tokio::io::duplex(256);
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let task = tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(far);
        let stop = async move { stopped.cancelled().await };
        server.serve_io_until(reader, writer, stop).await
    });
    let (_reader, mut writer) = tokio::io::split(near);
    for id in 0..10 {
        let ping = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n");
        writer.write_all(ping.as_bytes()).await.expect("the server reads");
    }
    stop.cancel();
    let ended = tokio::time::timeout(Duration::from_secs(60), task).await;
    ended.expect("it ends").expect("no panic").expect("a clean end");
}

#[tokio::test]
async fn a_handler_that_tells_much_waits_for_a_client_that_reads_nothing() {
    const MESSAGES: usize = 1_000;
    let told = Arc::new(AtomicUsize::new(0));
    let tells = Arc::clone(&told);
    let noisy = Tool::with_name("noisy").json_object_arguments();
    let noisy = noisy.handler(move |context: CallContext, _| {
        let tells = Arc::clone(&tells);
        async move {
            for _ in 0..MESSAGES {
                context.log(LogLevel::Error, "x".repeat(60_000)).await;
                tells.fetch_add(1, Ordering::Relaxed);
            }
            ToolResult::text("told")
        }
    });
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("own", Prefix::None).expect("the first mount");
    mount
        .replace(vec![noisy.build().expect("sound")])
        .expect("no collisions");
    let server = McpServer::new(
        Dispatcher::builder(toolbox).build(),
        ServerInfo::new("noisy", "1"),
    );
    let mut client = StdioClient::connect(&server);
    client.ask(&initialize("2025-11-25")).await;
    client.send(&call("1", "noisy", "{}")).await;
    // All is in this one thread: when nobody has anything to do any more, the handler waits.
    let mut before = usize::MAX;
    while before != told.load(Ordering::Relaxed) {
        before = told.load(Ordering::Relaxed);
        for _ in 0..1_000 {
            tokio::task::yield_now().await;
        }
    }
    assert!((1..MESSAGES / 2).contains(&before), "{before} were told");
    let lines = client.finish().await;
    assert_eq!(lines.len(), MESSAGES + 1);
    assert!(lines.last().is_some_and(|answer| answer.contains("\"told\"")));
}

#[tokio::test]
async fn a_request_with_half_of_the_stateless_metadata_is_no_request_of_an_older_revision() {
    let mut client = StdioClient::connect(&server());
    for key in ["clientCapabilities", "clientInfo", "logLevel"] {
        let answer = client
            .ask(&format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{"_meta":{{"io.modelcontextprotocol/{key}":{{}}}}}}}}"#
            ))
            .await;
        assert!(answer.contains("-32602"), "{key}: {answer}");
    }
}
