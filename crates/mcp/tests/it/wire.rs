//! What each revision says on the wire, to be read as a whole.

use crate::{
    http_client::{Answer, MODERN, ask, post},
    stdio_client::initialize,
    toolbox::server,
};

/// Requests that every revision answers, each in its way.
const SHARED: &[(&str, &str)] = &[
    ("tools/list", "{}"),
    ("tools/call", r#"{"name":"echo","arguments":{"message":"hi"}}"#),
    ("tools/call", r#"{"name":"echo","arguments":{"message":7}}"#),
    ("tools/call", r#"{"name":"echo"}"#),
    ("tools/call", r#"{"name":"refuse"}"#),
    ("tools/call", r#"{"name":"break"}"#),
    ("tools/call", r#"{"name":"panic"}"#),
    ("tools/call", r#"{"name":"huge"}"#),
    ("tools/call", r#"{"name":"list"}"#),
    ("tools/call", r#"{"name":"link"}"#),
    ("tools/call", r#"{"name":"media"}"#),
    ("tools/call", r#"{"name":"nothing"}"#),
    ("tools/call", r#"{"name":"echo","arguments":[]}"#),
    ("tools/call", r#"{"arguments":{}}"#),
    ("tools/list", r#"{"cursor":"x"}"#),
    ("tools/list", r#"{"cursor":1}"#),
    ("resources/list", "{}"),
    ("resources/templates/list", "{}"),
    ("resources/read", r#"{"uri":"test://static"}"#),
    ("resources/read", r#"{"uri":"test://item/7"}"#),
    ("resources/read", r#"{"uri":"test://nothing"}"#),
    ("prompts/list", "{}"),
    ("prompts/get", r#"{"name":"greet","arguments":{"name":"Ada"}}"#),
    ("prompts/get", r#"{"name":"greet"}"#),
    ("prompts/get", r#"{"name":"nothing"}"#),
    (
        "completion/complete",
        r#"{"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"name","value":"A"}}"#,
    ),
    (
        "completion/complete",
        r#"{"ref":{"type":"ref/resource","uri":"test://item/{id}"},"argument":{"name":"id","value":"19"}}"#,
    ),
    (
        "completion/complete",
        r#"{"ref":{"type":"ref/prompt","name":"nothing"},"argument":{"name":"a","value":""}}"#,
    ),
    ("ping", "{}"),
    ("server/discover", "{}"),
    ("tasks/list", "{}"),
];

/// Every request with its answer, one pair after the other.
async fn conversation(version: &str) -> Vec<(String, Answer)> {
    let server = server();
    let mut pairs = Vec::new();
    for (method, params) in SHARED {
        pairs.push((
            format!("{method} {params}"),
            ask(&server, version, method, params).await,
        ));
    }
    if version != MODERN {
        pairs.push((
            "initialize".to_owned(),
            post(&server, &[], &initialize(version)).await,
        ));
    }
    pairs.push((
        "not JSON".to_owned(),
        post(&server, &[("mcp-protocol-version", version)], "{").await,
    ));
    pairs.push((
        "a batch".to_owned(),
        post(&server, &[("mcp-protocol-version", version)], "[]").await,
    ));
    pairs
}

async fn transcript(version: &str) -> String {
    let pairs = conversation(version).await;
    let lines = pairs
        .iter()
        .map(|(asked, answer)| format!("> {asked}\n< {} {}\n", answer.status, answer.body));
    lines.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn revision_2025_06_18_on_the_wire() {
    insta::assert_snapshot!(transcript("2025-06-18").await);
}

#[tokio::test]
async fn revision_2025_11_25_on_the_wire() {
    insta::assert_snapshot!(transcript("2025-11-25").await);
}

#[tokio::test]
async fn revision_2026_07_28_on_the_wire() {
    insta::assert_snapshot!(transcript(MODERN).await);
}

#[tokio::test]
async fn every_answer_of_the_transcripts_is_checked() {
    // The client of these conversations judges what it receives by the wire schema; here is counted that they say enough.
    for version in ["2025-06-18", "2025-11-25", MODERN] {
        assert!(conversation(version).await.len() >= 30);
    }
}
