//! What is told of tools that are too large to be told of whole.

use toolmesh_json::Value;
use toolmesh_mcp::{McpServer, ServerInfo, ServerLimits};
use toolmesh_tool::{CallContext, Dispatcher, Prefix, Tool, ToolResult, Toolbox, schema::Profile};

use crate::{
    bounds::{VERSIONS, json, serving},
    http_client::ask,
    tasks::text,
    toolbox::another_tool,
};

/// The longest text that is sent.
const LONGEST: usize = 1_048_576;

#[tokio::test]
async fn what_can_never_be_listed_hides_no_other_tool() {
    let schema = |example: Value| {
        let examples = Value::array().push(example).build();
        Value::object()
            .put("type", "object")
            .put("examples", examples)
            .build()
    };
    let described = |name: &str, length: usize| {
        Tool::with_name(name)
            .input_schema(schema("x".repeat(length).into()), Profile::Profile1)
            .handler(|_: CallContext, _| async { ToolResult::text("done") })
            .build()
            .expect("a sound tool")
    };
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("one", Prefix::None).expect("the first mount");
    let mut tools = vec![described("longest", LONGEST), described("too_long", LONGEST + 1)];
    // Four of the longest are more than one page can have.
    tools.extend(["second", "third", "fourth"].map(|name| described(name, LONGEST)));
    tools.push(another_tool("last"));
    mount.replace(tools).expect("no collision");
    // Pages as large as they can be.
    let limits = ServerLimits::default().with_page_bytes(usize::MAX);
    let info = ServerInfo::new("one", "1");
    let server = McpServer::with_limits(Dispatcher::builder(toolbox).build(), info, limits);
    for version in VERSIONS {
        let (mut names, mut params, mut pages) = (Vec::new(), "{}".to_owned(), 0);
        loop {
            let page = ask(&server, version, "tools/list", &params).await.json();
            let tools = page.pointer("/result/tools").and_then(|tools| tools.as_array());
            let listed = tools.expect("a page").iter();
            names.extend(listed.map(|tool| tool.get("name").expect("a name").to_text()));
            pages += 1;
            match text(&page, "/result/nextCursor") {
                "" => break,
                cursor => params = format!(r#"{{"cursor":"{cursor}"}}"#),
            }
        }
        let expected = ["longest", "second", "third", "fourth", "last"];
        assert_eq!(names, expected.map(|name| format!("{name:?}")), "{version}");
        assert_eq!(pages, 2, "{version}");
    }
}

#[tokio::test]
async fn a_tool_is_described_in_the_compact_form_as_far_as_it_can_be() {
    let schema = format!(r#"{{"type":"object","examples":["{}"]}}"#, "\\\\".repeat(300_000));
    let tool = Tool::with_name("escaped")
        .input_schema(json(&schema), Profile::Profile1)
        .handler(|_: CallContext, _| async { ToolResult::text("done") });
    let server = serving(tool).compact();
    for version in VERSIONS {
        let call = r#"{"name":"describe_tool","arguments":{"name":"escaped"}}"#;
        let answer = ask(&server, version, "tools/call", call).await.json();
        let told = answer.pointer("/result/structuredContent/tool/name");
        assert_eq!(told.and_then(|name| name.as_str()), Some("escaped"), "{version}");
        assert_eq!(
            answer.pointer("/result/content").map(|content| content.to_text()),
            Some("[]".into())
        );
    }
}
