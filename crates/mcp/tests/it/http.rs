//! Requests and answers of the HTTP endpoint.

use crate::{
    http_client::{META, MODERN, ask, post, request},
    toolbox::{empty_server, server},
};

const ECHO: &str = r#"{"name":"echo","arguments":{"message":"hi"}}"#;

#[tokio::test]
async fn a_call_is_answered_with_json_on_every_revision() {
    for version in ["2025-06-18", "2025-11-25", MODERN] {
        let answer = ask(&server(), version, "tools/call", ECHO).await;
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, Some("application/json"))
        );
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let json = answer.json();
        assert_eq!(
            json.pointer("/result/structuredContent/message")
                .and_then(|m| m.as_str()),
            Some("hi")
        );
        assert_eq!(json.pointer("/result/resultType").is_some(), version == MODERN);
    }
}

#[tokio::test]
async fn only_what_exists_is_announced() {
    let full = ask(&server(), MODERN, "server/discover", "{}").await;
    let announced = full
        .json()
        .pointer("/result/capabilities")
        .expect("there")
        .to_text();
    assert_eq!(
        announced,
        concat!(
            r#"{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"#,
            r#""prompts":{"listChanged":true},"completions":{},"logging":{},"#,
            r#""extensions":{"io.modelcontextprotocol/tasks":{}}}"#
        )
    );
    let empty = ask(&empty_server(), MODERN, "server/discover", "{}").await;
    assert_eq!(
        empty
            .json()
            .pointer("/result/capabilities")
            .expect("there")
            .to_text(),
        r#"{"tools":{"listChanged":true},"logging":{}}"#
    );
}

#[tokio::test]
async fn a_notification_is_accepted_without_a_body() {
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let answer = post(&server(), &[("mcp-protocol-version", "2025-11-25")], initialized).await;
    assert_eq!((answer.status, answer.body.as_str()), (202, ""));
    let modern = [
        ("mcp-protocol-version", MODERN),
        ("mcp-method", "notifications/x"),
    ];
    let body = format!(r#"{{"jsonrpc":"2.0","method":"notifications/x","params":{{"_meta":{{{META}}}}}}}"#);
    assert_eq!(post(&server(), &modern, &body).await.status, 202);
    let wrong = [
        ("mcp-protocol-version", MODERN),
        ("mcp-method", "notifications/y"),
    ];
    let refused = post(&server(), &wrong, &body).await;
    assert_eq!((refused.status, refused.body.as_str()), (400, ""));
}

#[tokio::test]
async fn an_answer_to_no_request_of_ours_is_taken_by_the_older_revisions_only() {
    let body = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    assert_eq!(
        post(&server(), &[("mcp-protocol-version", "2025-11-25")], body)
            .await
            .status,
        202
    );
    let refused = post(&server(), &[("mcp-protocol-version", MODERN)], body).await;
    assert_eq!((refused.status, refused.code()), (400, -32600));
}

#[tokio::test]
async fn progress_turns_the_answer_into_a_stream() {
    for version in ["2025-11-25", MODERN] {
        let params = r#"{"name":"progress","_meta":{"progressToken":7}}"#;
        let answer = ask(&server(), version, "tools/call", params).await;
        assert_eq!(
            (answer.status, answer.header("content-type")),
            (200, Some("text/event-stream"))
        );
        assert_eq!(answer.header("x-accel-buffering"), Some("no"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let events: Vec<&str> = answer
            .body
            .split("\n\n")
            .filter(|event| !event.is_empty())
            .collect();
        assert_eq!(events.len(), 4, "{events:#?}");
        assert!(
            events
                .iter()
                .all(|event| event.starts_with("event: message\ndata: {"))
        );
        assert!(
            events[0].contains(r#""progressToken":7,"progress":0,"total":100"#),
            "{}",
            events[0]
        );
        assert!(events[3].contains(r#""id":"r","result""#));
    }
}

#[tokio::test]
async fn a_call_with_a_progress_token_that_tells_nothing_is_answered_with_json() {
    let params = r#"{"name":"echo","arguments":{"message":"hi"},"_meta":{"progressToken":"t"}}"#;
    let answer = ask(&server(), MODERN, "tools/call", params).await;
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, Some("application/json"))
    );
}

#[tokio::test]
async fn input_is_asked_for_only_of_clients_that_can_give_it() {
    let (headers, body) = request(MODERN, "tools/call", r#"{"name":"ask"}"#);
    let headers: Vec<_> = headers
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    let refused = post(&server(), &headers, &body).await;
    assert_eq!((refused.status, refused.code()), (400, -32021));
    assert_eq!(
        refused.json().pointer("/error/data").expect("there").to_text(),
        r#"{"requiredCapabilities":{"elicitation":{"form":{}}}}"#
    );
    let able = body.replace(
        r#"clientCapabilities":{}"#,
        r#"clientCapabilities":{"elicitation":{}}"#,
    );
    let asked = post(&server(), &headers, &able).await;
    assert_eq!(asked.status, 200);
    insta::assert_snapshot!(asked.body);
    let old = ask(&server(), "2025-11-25", "tools/call", r#"{"name":"ask"}"#).await;
    assert_eq!((old.status, old.code()), (200, -32603));
}

#[tokio::test]
async fn nothing_that_was_submitted_comes_back_in_an_error() {
    let server = server();
    let secret = "s3cr3t";
    let wrong = [
        ("tools/call", r#"{"name":"s3cr3t"}"#),
        ("tools/call", r#"{"name":"echo","arguments":{"s3cr3t":1}}"#),
        ("tools/call", r#"{"name":"echo","arguments":"s3cr3t"}"#),
        ("tools/call", r#"{"name":"break","arguments":{"x":"s3cr3t"}}"#),
        ("tools/call", r#"{"name":"panic","arguments":{"x":"s3cr3t"}}"#),
        ("resources/read", r#"{"uri":"test://s3cr3t"}"#),
        ("prompts/get", r#"{"name":"s3cr3t"}"#),
        ("tools/list", r#"{"cursor":"s3cr3t"}"#),
        ("s3cr3t", "{}"),
    ];
    for version in ["2025-06-18", "2025-11-25", MODERN] {
        for (method, params) in wrong {
            // Of an unknown resource this revision wants the URI back.
            if version == MODERN && method == "resources/read" {
                continue;
            }
            let answer = ask(&server, version, method, params).await;
            assert!(!answer.body.contains(secret), "{}", answer.body);
            assert!(!answer.body.contains("passwd"), "{}", answer.body);
            assert!(
                answer.body.contains("\"error\"") || answer.body.contains("\"isError\":true"),
                "{}",
                answer.body
            );
        }
    }
}
