//! Servers that say what a right one never does, or what few do.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use toolmesh_json::{Value, View};
use toolmesh_tool::{CallError, InputRequest, Outcome, SourceError};

use super::{
    script::{BREAKS, ONE_TOOL, Script, events, result, usual},
    support::{form_front, json},
};

#[tokio::test]
async fn what_cannot_be_offered_is_told_with_its_reason_and_the_rest_is_offered() {
    let tools = r#"[
        {"name":"good","inputSchema":{"type":"object","properties":{"a":{"type":"integer","maximum":1.50}}}},
        {"name":"bad","inputSchema":{"type":"object","properties":{"a":{"type":"integr"}}}},
        {"name":"bad output","inputSchema":{"type":"object"}},
        {"name":"good","inputSchema":{"type":"object"}},
        {"name":"none"},
        {"inputSchema":{"type":"object"}}]"#;
    let script = Script::start(move |seen| usual(seen, tools)).await;
    let gateway = script.gateway("2026-07-28").await.expect("one tool is good");
    let survey = gateway.source.survey();
    let lines: Vec<String> = survey
        .entries
        .iter()
        .map(|entry| {
            format!(
                "{} `{}`: {}",
                entry.kind,
                entry.name,
                entry.reason.as_deref().unwrap_or("offered")
            )
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"));
    let offered = gateway.dispatcher.toolbox().snapshot();
    assert_eq!(offered.listed_tools().len(), 1);
    let schema = offered
        .tool("good", None)
        .expect("offered")
        .tool()
        .input_schema()
        .document()
        .to_text();
    assert_eq!(
        schema,
        r#"{"type":"object","properties":{"a":{"type":"integer","maximum":1.50}}}"#
    );
}

#[tokio::test]
async fn a_stateless_request_says_everything_twice_and_arguments_are_repeated_in_headers() {
    let tools = r#"[{"name":"é","inputSchema":{"type":"object"}},{"name":"one","inputSchema":{"type":"object","properties":{
        "tenant":{"type":"string","x-mcp-header":"Tenant"},
        "deep":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}},
        "off":{"type":"boolean","x-mcp-header":"Off"}}}}]"#;
    let script = Script::start(move |seen| match seen.method.as_str() {
        "tools/call" => result(seen, r#"{"content":[]}"#),
        _ => usual(seen, tools),
    })
    .await;
    let gateway = script.gateway("2026-07-28").await.expect("sound");
    let outcome = gateway.call("one", r#"{"tenant":"acmé","deep":{"n":1.0}}"#).await;
    assert!(outcome.completed().is_some());
    let call = &script.seen("tools/call")[0];
    let header = |name: &str| call.headers.get(name).map(|value| value.to_str().expect("ASCII"));
    assert_eq!(header("mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!(header("mcp-method"), Some("tools/call"));
    assert_eq!(header("mcp-name"), Some("one"));
    assert_eq!(header("mcp-param-tenant"), Some("=?base64?YWNtw6k=?="));
    assert_eq!(header("mcp-param-n"), Some("1"));
    assert_eq!(header("mcp-param-off"), None);
    assert_eq!(header("authorization"), Some("Bearer t"));
    assert_eq!(header("mcp-session-id"), None);
    let meta = call.body.pointer("/params/_meta").expect("there").to_text();
    insta::assert_snapshot!(meta, @r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"toolmesh","version":"0.1.0"},"io.modelcontextprotocol/clientCapabilities":{}}"#);
}

#[tokio::test]
async fn a_session_is_kept_and_ended() {
    let script = Script::start(|seen| match seen.method.as_str() {
        "tools/call" => result(seen, r#"{"content":[]}"#),
        _ => usual(seen, ONE_TOOL),
    })
    .await;
    let gateway = script.gateway("2025-11-25").await.expect("sound");
    assert_eq!(gateway.source.survey().revision, "2025-06-18");
    assert!(gateway.call("one", "{}").await.completed().is_some());
    let call = &script.seen("tools/call")[0];
    assert_eq!(call.headers["mcp-session-id"], "the-session");
    assert_eq!(call.headers["mcp-protocol-version"], "2025-06-18");
    assert!(call.headers.get("mcp-method").is_none());
    drop(gateway);
    let ended = async {
        while !script
            .seen("none")
            .iter()
            .any(|seen| seen.http_method == "DELETE")
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(crate::stdio_client::PATIENCE, ended)
        .await
        .expect("the session is ended");
}

#[tokio::test]
async fn a_question_on_the_stream_of_a_call_is_asked_of_its_caller_and_the_call_goes_on() {
    let script = Script::start(|seen| match (seen.http_method.as_str(), seen.method.as_str()) {
        // The stream breaks off after the question, and is taken up again when that was answered.
        ("POST", "tools/call") => events(
            "id: 1\nretry: 10\ndata:\n\nid: 2\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"elicitation/create\",\"params\":{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}}}\n\n"
                .to_owned(),
        ),
        ("GET", _) if seen.headers.contains_key("last-event-id") => {
            assert_eq!(seen.headers["last-event-id"], "2");
            events("id: 3\ndata: {\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"done\"}]}}\n\n".to_owned())
        }
        _ => usual(seen, ONE_TOOL),
    })
    .await;
    let gateway = script.gateway("2025-11-25").await.expect("sound");
    let ask = || gateway.request("one", "{}").front(form_front());
    // The third request of the client is the call: initialize, tools/list, tools/call.
    let Outcome::InputRequired(input) = gateway.dispatcher.call(ask()).await else {
        panic!("the server asks");
    };
    let (key, request) = input.requests.first().expect("one question");
    assert!(matches!(request, InputRequest::Elicitation { message, .. } if message == "m"));
    let answers = Value::object().put(key.as_str(), json(r#"{"action":"accept","content":{"a":"x"}}"#));
    let again = ask()
        .input_responses(answers.build())
        .state(input.state.expect("a sealed ticket"));
    let outcome = gateway.dispatcher.call(again).await;
    assert_eq!(
        script.answer_to("q").await.to_text(),
        r#"{"jsonrpc":"2.0","id":"q","result":{"action":"accept","content":{"a":"x"}}}"#
    );
    assert_eq!(outcome.completed().expect("a result").joined_text(), "done");
}

#[tokio::test]
async fn each_refusal_of_a_server_is_its_own_failure() {
    let script = Script::start(|seen| {
        let tool = seen
            .body
            .pointer("/params/arguments/case")
            .and_then(View::as_str)
            .unwrap_or_default();
        let json = vec![("content-type", "application/json".to_owned())];
        let error = |code: &str, rest: &str| {
            let id = seen.body.get("id").map_or("null".to_owned(), View::to_text);
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"told"{rest}}}}}"#)
        };
        match (seen.method.as_str(), tool) {
            ("tools/call", "params") => (400, json, error("-32602", "")),
            ("tools/call", "capability") => (
                400,
                json,
                error("-32021", r#","data":{"requiredCapabilities":{"sampling":{}}}"#),
            ),
            ("tools/call", "limit") => (429, vec![("retry-after", "7".to_owned())], String::new()),
            ("tools/call", "login") => (401, json, error("-1", "")),
            ("tools/call", "redirect") => (
                302,
                vec![("location", "http://127.0.0.1:1/".to_owned())],
                String::new(),
            ),
            ("tools/call", "html") => (
                502,
                vec![("content-type", "text/html".to_owned())],
                "<p>".to_owned(),
            ),
            ("tools/call", "nonsense") => (200, json, "nonsense".to_owned()),
            ("tools/call", "empty") => events(": nothing\n\n".to_owned()),
            _ => usual(seen, ONE_TOOL),
        }
    })
    .await;
    let gateway = script.gateway("2026-07-28").await.expect("sound");
    let mut lines = Vec::new();
    for case in [
        "params",
        "capability",
        "limit",
        "login",
        "redirect",
        "html",
        "nonsense",
        "empty",
    ] {
        let outcome = gateway.call("one", &format!(r#"{{"case":"{case}"}}"#)).await;
        lines.push(match outcome {
            Outcome::Completed(result) => {
                format!("{case}: tool error {}: {}", result.is_error, result.joined_text())
            }
            Outcome::Failed(CallError::Handler(error)) => format!("{case}: log: {error}"),
            other => format!("{case}: {other:?}"),
        });
    }
    let port = script
        .url
        .split(':')
        .nth(2)
        .and_then(|rest| rest.split('/').next())
        .expect("a port");
    insta::assert_snapshot!(lines.join("\n").replace(port, "PORT"));
}

#[tokio::test]
async fn a_list_that_goes_round_in_a_circle_is_left() {
    let script = Script::start(|seen| match seen.method.as_str() {
        "tools/list" => result(seen, r#"{"tools":[],"nextCursor":"again"}"#),
        _ => usual(seen, ONE_TOOL),
    })
    .await;
    let Err(error) = script.gateway("2026-07-28").await.map(|_| ()) else {
        panic!("it is left");
    };
    assert!(
        matches!(&error, SourceError::Invalid(text) if text.ends_with("a list does not end")),
        "{error}"
    );
    assert_eq!(script.seen("tools/list").len(), 1_000);
}

#[tokio::test]
async fn a_session_that_is_lost_with_the_server_is_begun_anew_before_anybody_calls() {
    let listened = AtomicUsize::new(0);
    let script = Script::start(move |seen| match seen.http_method.as_str() {
        // The connection breaks in the middle of the stream; whoever is there then knows no session.
        "GET" if listened.fetch_add(1, Ordering::Relaxed) == 0 => {
            let (status, mut headers, body) = events(": there\n\n".to_owned());
            headers.push((BREAKS, "yes".to_owned()));
            (status, headers, body)
        }
        "GET" => (404, vec![], String::new()),
        _ => usual(seen, ONE_TOOL),
    })
    .await;
    let _gateway = script.gateway("2025-11-25").await.expect("sound");
    script.has_seen("initialize", 2).await;
}
