//! The tasks extension of the stateless revision.

use std::time::Duration;

use toolmesh_json::{Value, View};
use toolmesh_mcp::{HttpOptions, HttpService};

use crate::{
    http_client::{MODERN, ask, post, request},
    session_client::Stream,
    toolbox::server,
};

const ABLE: &str = r#"{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}"#;

pub(crate) async fn able(service: &HttpService, method: &str, params: &str) -> Value {
    // The id of a task is repeated in a header.
    let params = params.to_owned();
    let (mut head, body) = request(MODERN, method, &params);
    let id = toolmesh_json::parse(params.as_bytes()).expect("JSON");
    let id = id.get("taskId").and_then(View::as_str).map(str::to_owned);
    head.extend(id.map(|id| ("mcp-name", id)));
    let head: Vec<_> = head.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let body = body.replace(
        r#"clientCapabilities":{}"#,
        &format!(r#"clientCapabilities":{ABLE}"#),
    );
    Stream::open(service, http::Method::POST, &head, &body)
        .await
        .json()
        .await
}

pub(crate) fn text<'a>(message: &'a Value, pointer: &str) -> &'a str {
    message
        .pointer(pointer)
        .and_then(View::as_str)
        .unwrap_or_default()
}

/// Reads the task until it has this status.
async fn until(service: &HttpService, id: &str, status: &str) -> Value {
    for _ in 0..400 {
        let task = able(service, "tasks/get", &format!(r#"{{"taskId":"{id}"}}"#)).await;
        if text(&task, "/result/status") == status {
            return task;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("the task is never {status}");
}

#[tokio::test]
async fn a_call_becomes_a_task_that_asks_and_ends() {
    let service = server().http_service(HttpOptions::default());
    let created = able(&service, "tools/call", r#"{"name":"task"}"#).await;
    assert_eq!(text(&created, "/result/resultType"), "task");
    assert_eq!(
        created.pointer("/result/pollIntervalMs").and_then(View::as_u64),
        Some(1_000)
    );
    assert_eq!(
        created.pointer("/result/ttlMs").and_then(View::as_u64),
        Some(3_600_000)
    );
    assert!(created.pointer("/result/inputRequests").is_none());
    let id = text(&created, "/result/taskId").to_owned();
    let asking = until(&service, &id, "input_required").await;
    assert_eq!(
        text(&asking, "/result/inputRequests/name/method"),
        "elicitation/create"
    );
    let answer = format!(
        r#"{{"taskId":"{id}","inputResponses":{{"name":{{"action":"accept","content":{{"name":"Ada"}}}}}}}}"#
    );
    let taken = able(&service, "tasks/update", &answer).await;
    assert_eq!(text(&taken, "/result/resultType"), "complete");
    let ended = until(&service, &id, "completed").await;
    assert!(text(&ended, "/result/result/content/0/text").contains("Ada"));
    let cancelled = able(&service, "tasks/cancel", &format!(r#"{{"taskId":"{id}"}}"#)).await;
    assert_eq!(text(&cancelled, "/result/resultType"), "complete");
}

#[tokio::test]
async fn a_failed_task_tells_a_code_and_a_fixed_sentence() {
    let service = server().http_service(HttpOptions::default());
    let created = able(&service, "tools/call", r#"{"name":"broken_task"}"#).await;
    let id = text(&created, "/result/taskId").to_owned();
    let failed = until(&service, &id, "failed").await;
    let error = failed.pointer("/result/error").expect("an error").to_text();
    assert_eq!(error, r#"{"code":-32603,"message":"The tool failed."}"#);
}

#[tokio::test]
async fn changes_of_a_task_are_told_to_its_subscribers() {
    let service = server().http_service(HttpOptions::default());
    let created = able(&service, "tools/call", r#"{"name":"task"}"#).await;
    let id = text(&created, "/result/taskId").to_owned();
    until(&service, &id, "input_required").await;
    let listen = format!(r#"{{"notifications":{{"taskIds":["{id}","other"]}}}}"#);
    let mut stream = Stream::modern(&service, ABLE, "subscriptions/listen", &listen).await;
    let acknowledged = stream.message().await;
    let honoured = acknowledged
        .pointer("/params/notifications/taskIds")
        .expect("ids");
    assert_eq!(honoured.to_text(), format!(r#"["{id}"]"#));
    able(&service, "tasks/cancel", &format!(r#"{{"taskId":"{id}"}}"#)).await;
    let told = stream.message().await;
    assert_eq!(text(&told, "/method"), "notifications/tasks");
    assert_eq!(
        (text(&told, "/params/taskId"), text(&told, "/params/status")),
        (id.as_str(), "cancelled")
    );
}

#[tokio::test]
async fn a_client_that_does_not_know_tasks_is_told_what_it_lacks() {
    for (method, params) in [
        ("tools/call", r#"{"name":"task"}"#),
        ("tasks/get", r#"{"taskId":"x","name":"x"}"#),
        ("tasks/cancel", r#"{"taskId":"x","name":"x"}"#),
        ("tasks/update", r#"{"taskId":"x","name":"x","inputResponses":{}}"#),
    ] {
        let refused = ask(&server(), MODERN, method, params).await;
        assert_eq!((refused.status, refused.code()), (400, -32021), "{method}");
        let needed = refused.json();
        let needed = needed
            .pointer("/error/data/requiredCapabilities/extensions")
            .expect("told");
        assert_eq!(needed.to_text(), r#"{"io.modelcontextprotocol/tasks":{}}"#);
    }
}

#[tokio::test]
async fn an_unknown_task_and_a_mirrored_id_that_differs_are_refused() {
    let service = server().http_service(HttpOptions::default());
    let unknown = able(&service, "tasks/get", r#"{"taskId":"nothing"}"#).await;
    assert_eq!(
        unknown.pointer("/error/code").and_then(View::as_i64),
        Some(-32602)
    );
    let (mut head, body) = request(MODERN, "tasks/get", r#"{"taskId":"a"}"#);
    head.push(("mcp-name", "b".to_owned()));
    let head: Vec<_> = head.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let refused = post(&server(), &head, &body).await;
    assert_eq!((refused.status, refused.code()), (400, -32020));
    for method in ["tasks/list", "tasks/result"] {
        let removed = ask(&server(), MODERN, method, "{}").await;
        assert_eq!((removed.status, removed.code()), (404, -32601), "{method}");
    }
}
