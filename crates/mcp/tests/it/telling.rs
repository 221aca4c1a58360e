//! Log messages, partial output, and tools that a revision does not know.

use http::Method;
use toolmesh_json::View;
use toolmesh_mcp::{HttpOptions, McpServer, ServerInfo, ServerLimits};
use toolmesh_tool::{Dispatcher, Prefix, Toolbox, dispatcher::Confirmation};

use crate::{
    http_client::{MODERN, ask},
    session_client::{SessionClient, Stream},
    stdio_client::{StdioClient, initialize},
    toolbox::{another_tool, mirrored_tool, server, server_with},
};

const LOG: &str = r#"{"name":"log"}"#;

/// The levels of the log messages before the answer.
async fn levels(mut stream: Stream) -> Vec<String> {
    let mut levels = Vec::new();
    while let Some(event) = stream.event().await {
        if event.data.is_empty() {
            continue;
        }
        let message = event.message();
        match message.pointer("/params/level").and_then(View::as_str) {
            Some(level) => levels.push(level.to_owned()),
            None => assert!(message.get("result").is_some(), "{}", message.to_text()),
        }
    }
    levels
}

#[tokio::test]
async fn a_session_logs_from_the_level_that_its_client_sets() {
    let client = SessionClient::open(&server(), "2025-11-25", "{}").await;
    let usual = levels(client.ask(1, "tools/call", LOG).await).await;
    assert_eq!((usual.len(), usual[0].as_str()), (7, "info"));
    let set = client.ask(2, "logging/setLevel", r#"{"level":"alert"}"#).await;
    assert_eq!(set.rest().await, r#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
    assert_eq!(
        levels(client.ask(3, "tools/call", LOG).await).await,
        ["alert", "emergency"]
    );
    let wrong = client.ask(4, "logging/setLevel", r#"{"level":"loud"}"#).await;
    assert!(wrong.rest().await.contains("-32602"));
}

#[tokio::test]
async fn a_stateless_request_logs_only_when_it_says_so() {
    let silent = ask(&server(), MODERN, "tools/call", LOG).await;
    assert_eq!(silent.header("content-type"), Some("application/json"));
    let service = server().http_service(HttpOptions::default());
    let params = r#"{"name":"log","_meta":{"io.modelcontextprotocol/logLevel":"critical"}}"#;
    let told = levels(Stream::modern(&service, "{}", "tools/call", params).await).await;
    assert_eq!(told, ["critical", "alert", "emergency"]);
    let wrong = r#"{"name":"log","_meta":{"io.modelcontextprotocol/logLevel":"loud"}}"#;
    let refused = ask(&server(), MODERN, "tools/call", wrong).await;
    assert_eq!((refused.status, refused.code()), (400, -32602));
}

#[tokio::test]
async fn a_stdio_client_is_asked_and_told_on_its_one_connection() {
    let mut client = StdioClient::connect(&server());
    let able =
        initialize("2025-11-25").replace(r#""capabilities":{}"#, r#""capabilities":{"elicitation":{}}"#);
    client.ask(&able).await;
    let call = |id: u32, name: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{name}"}}}}"#)
    };
    client.send(&call(1, "log")).await;
    for level in [
        "info",
        "notice",
        "warning",
        "error",
        "critical",
        "alert",
        "emergency",
    ] {
        let message = client.message().await;
        assert_eq!(
            message.pointer("/params/level").and_then(View::as_str),
            Some(level)
        );
    }
    assert!(client.line().await.contains("logged"));
    client.send(&call(2, "ask")).await;
    let question = client.message().await.get("id").expect("an id").to_text();
    let answer = format!(
        r#"{{"jsonrpc":"2.0","id":{question},"result":{{"action":"accept","content":{{"name":"Ada"}}}}}}"#
    );
    let answer = client.ask(&answer).await;
    assert!(answer.contains("Ada") && answer.contains(r#""id":2"#), "{answer}");
    client.finish().await;
}

#[tokio::test]
async fn partial_output_stands_before_the_final_content() {
    for version in ["2025-11-25", MODERN] {
        let answer = ask(&server(), version, "tools/call", r#"{"name":"deltas"}"#).await;
        let content = answer
            .json()
            .pointer("/result/content")
            .expect("content")
            .to_text();
        assert_eq!(
            content,
            r#"[{"type":"text","text":"one two "},{"type":"text","text":"three"}]"#
        );
    }
}

#[tokio::test]
async fn tools_that_a_revision_does_not_know_are_neither_listed_nor_called_there() {
    let (server, mount) = server_with(ServerLimits::default());
    mount.add(vec![mirrored_tool()]).expect("no collision");
    for name in ["mirrored", "task"] {
        let call = format!(r#"{{"name":"{name}"}}"#);
        for version in ["2025-06-18", "2025-11-25"] {
            let list = ask(&server, version, "tools/list", "{}").await.body;
            assert!(!list.contains(&format!(r#""name":"{name}""#)), "{list}");
            let answer = ask(&server, version, "tools/call", &call).await;
            assert!(answer.body.contains("Unknown tool"), "{}", answer.body);
        }
        let list = ask(&server, MODERN, "tools/list", "{}").await.body;
        assert!(list.contains(&format!(r#""name":"{name}""#)), "{list}");
    }
    let service = server.http_service(HttpOptions::default());
    let call = r#"{"name":"mirrored","arguments":{"tenant":"a"}}"#;
    let refused = Stream::modern(&service, "{}", "tools/call", call).await;
    assert_eq!(refused.status, 400);
    assert!(refused.rest().await.contains("-32020"));
}

#[tokio::test]
async fn an_undeclared_parameter_header_is_refused_where_the_endpoint_says_so() {
    let (head, body) = crate::http_client::request(MODERN, "tools/call", r#"{"name":"nothing"}"#);
    let mut head: Vec<_> = head.iter().map(|(name, value)| (*name, value.as_str())).collect();
    head.push(("mcp-param-other", "x"));
    let body = body.replace("nothing", "refuse");
    head.iter_mut()
        .filter(|(name, _)| *name == "mcp-name")
        .for_each(|(_, value)| *value = "refuse");
    let strict = HttpOptions::default().unknown_parameters(toolmesh_mcp::UnknownParameters::Refused);
    for (options, status) in [(HttpOptions::default(), 200), (strict, 400)] {
        let service = server().http_service(options);
        let answer = Stream::open(&service, Method::POST, &head, &body).await;
        assert_eq!(answer.status, status);
        let body = answer.rest().await;
        assert_eq!(body.contains("-31998"), status == 400, "{body}");
    }
}

#[tokio::test]
async fn a_confirmation_needs_a_client_that_can_be_asked() {
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("one", Prefix::None).expect("the first mount");
    mount.replace(vec![another_tool("write")]).expect("no collision");
    let dispatcher = Dispatcher::builder(toolbox)
        .confirmation(Confirmation::All)
        .build();
    let server = McpServer::new(dispatcher, ServerInfo::new("one", "1"));
    let call = r#"{"name":"write"}"#;
    let refused = ask(&server, MODERN, "tools/call", call).await;
    assert_eq!((refused.status, refused.code()), (400, -32021));
    assert!(
        refused.body.contains(r#"{"elicitation":{"form":{}}}"#),
        "{}",
        refused.body
    );
    // The older revisions ask in-line.
    let able = r#"{"elicitation":{}}"#;
    for (capabilities, confirmed) in [("{}", false), (able, true)] {
        let client = SessionClient::open(&server, "2025-06-18", capabilities).await;
        let mut stream = client.ask(1, "tools/call", call).await;
        if !confirmed {
            assert!(stream.rest().await.contains("-32603"));
            continue;
        }
        let question = stream.message().await.get("id").expect("an id").to_text();
        let answer = format!(
            r#"{{"jsonrpc":"2.0","id":{question},"result":{{"action":"accept","content":{{"confirm":true}}}}}}"#
        );
        assert_eq!(client.post(&answer).await.status, 202);
        assert!(stream.message().await.to_text().contains("done"));
    }
}

#[tokio::test]
async fn a_question_that_nobody_can_answer_any_more_is_not_waited_for() {
    let mut client = StdioClient::connect(&server());
    let able =
        initialize("2025-11-25").replace(r#""capabilities":{}"#, r#""capabilities":{"elicitation":{}}"#);
    client.ask(&able).await;
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask"}}"#;
    assert!(client.ask(call).await.contains("elicitation/create"));
    let rest = client.finish().await;
    assert!(rest.len() == 1 && rest[0].contains("-32603"), "{rest:?}");
}
