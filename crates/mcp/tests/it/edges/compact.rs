//! A catalogue behind three tools.

use toolmesh_json::View;
use toolmesh_mcp::McpServer;

use crate::{
    http_client::{Answer, MODERN, ask},
    toolbox::server,
};

fn compact() -> McpServer {
    server().compact()
}

async fn call(version: &str, tool: &str, arguments: &str) -> Answer {
    ask(
        &compact(),
        version,
        "tools/call",
        &format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#),
    )
    .await
}

const ALL: [&str; 3] = ["2025-06-18", "2025-11-25", MODERN];

#[tokio::test]
async fn three_tools_are_listed_in_place_of_the_catalogue() {
    for version in ALL {
        let listed = ask(&compact(), version, "tools/list", "{}").await.json();
        let tools = listed
            .pointer("/result/tools")
            .and_then(View::as_array)
            .expect("a list");
        let names: Vec<&str> = tools
            .iter()
            .filter_map(|tool| tool.get("name")?.as_str())
            .collect();
        assert_eq!(names, ["search_tools", "describe_tool", "call_tool"], "{version}");
    }
}

#[tokio::test]
async fn a_tool_is_found_described_and_called() {
    for version in ALL {
        let found = call(version, "search_tools", r#"{"query":"says what it is told"}"#)
            .await
            .json();
        let first = found
            .pointer("/result/structuredContent/tools/0/name")
            .and_then(View::as_str);
        assert_eq!(first, Some("echo"), "{version}");
        let described = call(version, "describe_tool", r#"{"name":"echo"}"#).await.json();
        let listed = ask(&server(), version, "tools/list", "{}").await.json();
        let echo = listed
            .pointer("/result/tools")
            .and_then(View::as_array)
            .and_then(|tools| {
                tools
                    .iter()
                    .find(|tool| tool.get("name").and_then(View::as_str) == Some("echo"))
            });
        assert_eq!(
            described
                .pointer("/result/structuredContent/tool")
                .map(View::to_text),
            echo.map(View::to_text),
            "described as it would be listed"
        );
        let through = call(
            version,
            "call_tool",
            r#"{"name":"echo","arguments":{"message":"hi"}}"#,
        )
        .await;
        let direct = call(version, "echo", r#"{"message":"hi"}"#).await;
        assert_eq!(through.body, direct.body, "{version}");
    }
}

#[tokio::test]
async fn the_called_tool_judges_its_own_arguments_and_asks_its_own_questions() {
    let wrong = call(
        MODERN,
        "call_tool",
        r#"{"name":"echo","arguments":{"message":7}}"#,
    )
    .await;
    let direct = call(MODERN, "echo", r#"{"message":7}"#).await;
    assert_eq!((wrong.status, &wrong.body), (direct.status, &direct.body));
    let unknown = call(MODERN, "call_tool", r#"{"name":"nothing"}"#).await;
    let direct = call(MODERN, "nothing", "{}").await;
    assert_eq!((unknown.status, &unknown.body), (direct.status, &direct.body));
    let described = call(MODERN, "describe_tool", r#"{"name":"nothing"}"#).await;
    assert_eq!((described.status, &described.body), (direct.status, &direct.body));
}

#[tokio::test]
async fn arguments_of_the_three_tools_are_judged_too() {
    for arguments in [
        "{}",
        r#"{"query":7}"#,
        r#"{"query":"x","limit":0}"#,
        r#"{"query":"x","other":1}"#,
    ] {
        let answer = call(MODERN, "search_tools", arguments).await.json();
        assert_eq!(
            answer.pointer("/result/isError").and_then(View::as_bool),
            Some(true),
            "{arguments}"
        );
        let answer = call("2025-06-18", "search_tools", arguments).await;
        assert_eq!(answer.code(), -32602, "{arguments}");
    }
}
