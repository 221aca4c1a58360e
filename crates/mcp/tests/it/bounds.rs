//! The bounds of what goes in and out, and what a handler gets, on every revision.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use toolmesh_json::{Value, View};
use toolmesh_mcp::{McpServer, ServerInfo, ServerLimits};
use toolmesh_tool::{
    CallContext, ContentBlock, Dispatcher, Icon, MediaContent, Prefix, ResourceLink, TextContent, Tool,
    ToolBuilder, ToolResult, Toolbox, schema::Profile,
};

use crate::{
    http_client::{Answer, MODERN, ask, post, request},
    session_client::SessionClient,
    toolbox::{server, server_with},
};

pub(crate) const VERSIONS: [&str; 3] = ["2025-06-18", "2025-11-25", MODERN];
pub(crate) const GIVE: &str = r#"{"name":"give"}"#;

pub(crate) fn json(text: &str) -> Value {
    toolmesh_json::parse(text.as_bytes()).expect("JSON")
}

pub(crate) fn serving(tool: ToolBuilder) -> McpServer {
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("one", Prefix::None).expect("the first mount");
    mount
        .replace(vec![tool.build().expect("a sound tool")])
        .expect("no collision");
    McpServer::new(Dispatcher::builder(toolbox).build(), ServerInfo::new("one", "1"))
}

/// A tool that gives this without a mirror, and how often it ran.
pub(crate) fn gives(result: ToolResult) -> (ToolBuilder, Arc<AtomicUsize>) {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let tool = Tool::with_name("give")
        .json_object_arguments()
        .handler(move |_: CallContext, _| {
            counted.fetch_add(1, Ordering::SeqCst);
            std::future::ready(result.clone())
        })
        .mirror_structured_content(false);
    (tool, runs)
}

pub(crate) fn cannot_be_sent(answer: &Answer) -> bool {
    let error = r#""error":{"code":-32603,"message":"The operation's output cannot be sent"}"#;
    answer.status == 200 && answer.body.contains(error)
}

#[tokio::test]
async fn output_beyond_the_limits_of_json_is_one_fixed_error_on_every_revision() {
    let nested = |depth: usize| {
        let arrays = depth - 1;
        let text = format!(r#"{{"a":{}{}}}"#, "[".repeat(arrays), "]".repeat(arrays));
        ToolResult::structured(json(&text))
    };
    let many = format!(r#"{{"a":[{}1]}}"#, "1,".repeat(99_997));
    for (name, result, fits) in [
        (
            "a text at the bound",
            ToolResult::text("x".repeat(1_048_576)),
            true,
        ),
        ("a text beyond it", ToolResult::text("x".repeat(1_048_577)), false),
        (
            "newlines at the bound",
            ToolResult::text("\n".repeat(524_288)),
            true,
        ),
        (
            "newlines beyond it",
            ToolResult::text("\n".repeat(524_289)),
            false,
        ),
        ("deep", nested(125), true),
        ("too deep with what is around it", nested(127), false),
        (
            "too many values with what is around them",
            ToolResult::structured(json(&many)),
            false,
        ),
    ] {
        let server = serving(gives(result).0);
        for version in VERSIONS {
            let answer = ask(&server, version, "tools/call", GIVE).await;
            assert_eq!(answer.status, 200, "{name}, {version}");
            assert_eq!(cannot_be_sent(&answer), !fits, "{name}, {version}");
        }
    }
}

#[tokio::test]
async fn input_beyond_the_limits_of_json_is_a_parse_error_on_every_revision() {
    let text = |units: usize| format!(r#""{}""#, "x".repeat(units));
    let spelled = |letters: usize| format!(r#""{}""#, "\\u0061".repeat(letters));
    let nested = |arrays: usize| format!("{}{}", "[".repeat(arrays), "]".repeat(arrays));
    let server = server();
    for (name, message, fits) in [
        ("a text at the bound", text(1_048_576), true),
        ("a text beyond it", text(1_048_577), false),
        ("a spelling at the bound", spelled(174_762), true),
        ("a spelling beyond it", spelled(174_763), false),
        ("deep", nested(124), true),
        ("too deep", nested(126), false),
    ] {
        for version in VERSIONS {
            let usual = r#"{"name":"echo","arguments":{"message":"MARK"}}"#;
            let (head, body) = request(version, "tools/call", usual);
            let head: Vec<_> = head.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let answer = post(&server, &head, &body.replace(r#""MARK""#, &message)).await;
            let refused = answer.body.contains(r#""code":-32700,"message":"Parse error""#);
            assert_eq!(refused, !fits, "{name}, {version}");
            assert_eq!(answer.status, if fits { 200 } else { 400 }, "{name}, {version}");
        }
    }
}

/// A schema whose evaluation takes more than its budget for a long list.
fn costly() -> Value {
    json(
        r##"{"type":"object","properties":{"list":{"type":"array","items":{"$ref":"#/$defs/a"}}},"$defs":{
        "a":{"allOf":[{"$ref":"#/$defs/b"},{"$ref":"#/$defs/b"},{"$ref":"#/$defs/b"},{"$ref":"#/$defs/b"}]},
        "b":{"allOf":[{"$ref":"#/$defs/c"},{"$ref":"#/$defs/c"},{"$ref":"#/$defs/c"},{"$ref":"#/$defs/c"}]},
        "c":{"type":"integer"}}}"##,
    )
}

#[tokio::test]
async fn a_used_up_budget_is_told_in_each_revisions_way() {
    let list = format!(r#"{{"list":[{}1]}}"#, "1,".repeat(80_000));
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let takes = serving(
        Tool::with_name("take")
            .input_schema(costly(), Profile::Profile1)
            .handler(move |_: CallContext, _| {
                counted.fetch_add(1, Ordering::SeqCst);
                std::future::ready(ToolResult::text("never"))
            }),
    );
    let given = json(&list);
    let gives = serving(
        Tool::with_name("give")
            .json_object_arguments()
            .output_schema(costly(), Profile::Profile1)
            .handler(move |_: CallContext, _| std::future::ready(ToolResult::structured(given.clone()))),
    );
    let call = format!(r#"{{"name":"take","arguments":{list}}}"#);
    for version in VERSIONS {
        let answer = ask(&takes, version, "tools/call", &call).await;
        assert_eq!(answer.status, 200, "{version}");
        if version == "2025-06-18" {
            assert_eq!(answer.code(), -32602);
        } else {
            let sentence = "Arguments do not match the tool's inputSchema.";
            assert!(answer.body.contains(sentence), "{}", answer.body);
            assert!(answer.body.contains(r#""isError":true"#), "{}", answer.body);
        }
        let answer = ask(&gives, version, "tools/call", GIVE).await;
        assert!(cannot_be_sent(&answer), "{version}");
    }
    assert_eq!(runs.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_handler_whose_output_cannot_be_told_ran_once() {
    for version in ["2025-06-18", "2025-11-25"] {
        let (tool, runs) = gives(ToolResult::structured(json("[1]")));
        let answer = ask(&serving(tool), version, "tools/call", GIVE).await;
        assert!(cannot_be_sent(&answer), "{}", answer.body);
        assert_eq!(runs.load(Ordering::SeqCst), 1, "{version}");
    }
}

#[tokio::test]
async fn all_of_a_link_but_its_icons_is_told_on_every_revision() {
    let icon = Icon {
        source: "https://example.com/icon.png".into(),
        mime_type: None,
        sizes: Vec::new(),
        theme: None,
    };
    let link = ContentBlock::ResourceLink(ResourceLink {
        uri: "test://static".into(),
        name: "static".into(),
        title: Some("Static".into()),
        description: Some("What it is.".into()),
        mime_type: Some("text/plain".into()),
        size: Some(7),
        icons: vec![icon],
        meta: Some(json(r#"{"example.com/of":"link"}"#)),
        ..ResourceLink::default()
    });
    let result = ToolResult::text("before")
        .with_content(link)
        .with_content(ContentBlock::Text(TextContent::new("after")));
    let result = ToolResult {
        meta: Some(json(r#"{"example.com/of":"result"}"#)),
        ..result
    };
    let server = serving(gives(result).0);
    let mut told = Vec::new();
    for version in VERSIONS {
        told.push(ask(&server, version, "tools/call", GIVE).await);
    }
    let icons = r#","icons":[{"src":"https://example.com/icon.png"}]"#;
    assert!(told[1].body.contains(icons), "{}", told[1].body);
    assert_eq!(told[0].body, told[1].body.replace(icons, ""));
    for member in ["title", "description", "mimeType", "size", "_meta"] {
        let june = told[0].json();
        assert!(
            june.pointer(&format!("/result/content/1/{member}")).is_some(),
            "{member}"
        );
    }
    assert!(told[0].body.contains(r#""_meta":{"example.com/of":"result"}"#));
    let content = |answer: &Answer| answer.json().pointer("/result/content").map(View::to_text);
    assert_eq!(content(&told[2]), content(&told[1]));
    assert!(told[2].body.contains(r#""example.com/of":"result""#));
}

#[tokio::test]
async fn a_binary_item_at_the_bound_is_sent_and_one_byte_more_is_told_by_an_error() {
    for (bytes, fits) in [(786_432, true), (786_433, false)] {
        let image = MediaContent {
            data: vec![0; bytes],
            mime_type: "image/png".into(),
            annotations: None,
            meta: None,
        };
        let result = ToolResult::default().with_content(ContentBlock::Image(image));
        let server = serving(gives(result).0);
        for version in VERSIONS {
            let answer = ask(&server, version, "tools/call", GIVE).await;
            assert_eq!(answer.status, 200, "{version}");
            assert_eq!(cannot_be_sent(&answer), !fits, "{bytes}, {version}");
        }
    }
}

#[tokio::test]
async fn an_answer_at_the_bound_is_sent_and_one_byte_more_is_told_by_an_error() {
    let call = r#"{"name":"refuse"}"#;
    for version in VERSIONS {
        let whole = ask(&server(), version, "tools/call", call).await.body;
        for (bytes, fits) in [(whole.len(), true), (whole.len() - 1, false)] {
            let (server, _mount) = server_with(ServerLimits::default().with_answer_bytes(bytes));
            let answer = ask(&server, version, "tools/call", call).await;
            assert_eq!(answer.body == whole, fits, "{version}");
            assert_eq!(cannot_be_sent(&answer), !fits, "{version}");
        }
    }
}

#[tokio::test]
async fn a_handler_sees_the_request_as_it_came_and_no_name_makes_a_caller_known() {
    let server = serving(Tool::with_name("facts").json_object_arguments().handler(
        |context: CallContext, _| {
            let front = context.front();
            let id = front.request_id.as_ref().map(Value::to_text).unwrap_or_default();
            let meta = front.meta.as_ref().and_then(|meta| meta.get("example.com/own"));
            let meta = meta.map(View::to_text).unwrap_or_default();
            std::future::ready(ToolResult::text(format!(
                "{} {id} {:?} {:?} {:?} {meta} {:?}",
                front.method,
                front.revision,
                front.client_name,
                front.client_version,
                context.caller().identity
            )))
        },
    ));
    let text = |message: Value| {
        let text = message.pointer("/result/content/0/text").and_then(View::as_str);
        text.map(str::to_owned).unwrap_or_default()
    };
    let modern = r#"{"name":"facts","_meta":{"io.modelcontextprotocol/clientInfo":{"name":"admin","version":"9"},"example.com/own":1}}"#;
    let answer = ask(&server, MODERN, "tools/call", modern).await;
    assert_eq!(
        text(answer.json()),
        r#"tools/call "r" Some("2026-07-28") Some("admin") Some("9") 1 None"#
    );
    for version in ["2025-06-18", "2025-11-25"] {
        let client = SessionClient::open(&server, version, "{}").await;
        let params = r#"{"name":"facts","_meta":{"example.com/own":1}}"#;
        let answer = client.ask(7, "tools/call", params).await.json().await;
        assert_eq!(
            text(answer),
            format!(r#"tools/call 7 Some("{version}") Some("t") Some("1") 1 None"#)
        );
    }
}
