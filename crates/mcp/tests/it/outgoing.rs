//! What leaves the server beside the results of tools, and what is left out of it so that it can.

use std::sync::Arc;

use futures_util::{FutureExt as _, future::BoxFuture};
use indexmap::IndexMap;
use toolmesh_json::{Number, Value};
use toolmesh_mcp::{HttpOptions, McpServer, ServerInfo, ServerLimits};
use toolmesh_tool::{
    CallContext, CallError, ContentBlock, Dispatcher, Entries, InputDeclaration, InputKind, InputRequest,
    InputRequired, Outcome, Prefix, Prompt, PromptHandler, PromptMessage, PromptOutput, Resource,
    ResourceBody, ResourceContents, ResourceInfo, ResourceReader, Role, TaskMode, TextContent, Tool,
    ToolBuilder, ToolName, ToolResult, Toolbox,
};

use crate::{
    bounds::{GIVE, VERSIONS, cannot_be_sent, gives, json, serving},
    http_client::{MODERN, ask, with_meta},
    session_client::{SessionClient, Stream},
    stdio_client::StdioClient,
    tasks::{able, text},
    toolbox::{server, server_with},
};

/// The longest text that is sent.
const LONGEST: usize = 1_048_576;

/// An object of so many values, itself not counted, and the text of another.
fn many(values: usize) -> Value {
    json(&format!(r#"{{"a":[{}1]}}"#, "1,".repeat(values - 2)))
}

#[tokio::test]
async fn a_text_that_repeats_is_left_out_where_both_are_more_than_an_answer_may_have() {
    let call = r#"{"name":"echo","arguments":{"message":"hi"}}"#;
    for version in VERSIONS {
        let whole = ask(&server(), version, "tools/call", call).await.body;
        let less = ServerLimits::default().with_answer_bytes(whole.len() - 1);
        let answer = ask(&server_with(less).0, version, "tools/call", call).await;
        let told = r#""content":[],"structuredContent":{"message":"hi"}"#;
        assert!(answer.body.contains(told), "{version}: {}", answer.body);
    }
}

#[tokio::test]
async fn a_text_that_repeats_takes_no_structured_content_with_it() {
    let escaped = json(&format!(r#"{{"a":"{}"}}"#, "\\\\".repeat(300_000)));
    for version in VERSIONS {
        let sent = async |structured: &Value, mirror: bool| {
            let (tool, runs) = gives(ToolResult::structured(structured.clone()));
            let server = serving(tool.mirror_structured_content(mirror));
            let answer = ask(&server, version, "tools/call", GIVE).await;
            assert_eq!(runs.load(std::sync::atomic::Ordering::SeqCst), 1);
            (!cannot_be_sent(&answer)).then_some(answer.body)
        };
        // The text would have 600,000 characters and twice as many when it is written.
        let alone = sent(&escaped, false).await;
        assert!(
            alone.is_some() && sent(&escaped, true).await == alone,
            "{version}"
        );
        // The most values that can be sent leave no room for those of a text.
        let mut values = 99_999;
        while sent(&many(values), false).await.is_none() {
            values -= 1;
        }
        let alone = sent(&many(values), false).await;
        assert!(sent(&many(values), true).await == alone, "{version}, {values}");
        assert!(sent(&many(values - 10), true).await != sent(&many(values - 10), false).await);
    }
}

#[tokio::test]
async fn numbers_that_no_reader_takes_are_one_fixed_error() {
    for (number, fits) in [
        ("1e10000".to_owned(), true),
        ("1e10001".to_owned(), false),
        ("7".repeat(1_024), true),
        ("7".repeat(1_025), false),
    ] {
        let number = Number::parse(&number).expect("a number");
        let structured = Value::object().put("n", number).build();
        let server = serving(gives(ToolResult::structured(structured)).0);
        for version in VERSIONS {
            let answer = ask(&server, version, "tools/call", GIVE).await;
            assert_eq!(cannot_be_sent(&answer), !fits, "{version}");
        }
    }
}

/// Gives a text of so many characters, as a resource and in a prompt.
struct Long(usize);

impl ResourceReader for Long {
    fn read<'a>(
        &'a self,
        _: CallContext,
        uri: &'a str,
        _: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<Vec<ResourceContents>, CallError>> {
        let contents = ResourceContents {
            uri: uri.to_owned(),
            mime_type: None,
            body: ResourceBody::Text("x".repeat(self.0)),
            meta: None,
        };
        std::future::ready(Ok(vec![contents])).boxed()
    }
}

impl PromptHandler for Long {
    fn get<'a>(
        &'a self,
        _: CallContext,
        _: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<PromptOutput, CallError>> {
        let content = ContentBlock::Text(TextContent::new("x".repeat(self.0)));
        let role = Role::User;
        let output = PromptOutput {
            description: None,
            messages: vec![PromptMessage { role, content }],
        };
        std::future::ready(Ok(output)).boxed()
    }
}

#[tokio::test]
async fn resources_and_prompts_have_the_limits_of_json_too() {
    for (length, fits) in [(LONGEST, true), (LONGEST + 1, false)] {
        let toolbox = Toolbox::new();
        let mount = toolbox.mount("one", Prefix::None).expect("the first mount");
        let resource = Resource {
            uri: "test://long".into(),
            info: ResourceInfo {
                name: "long".into(),
                ..ResourceInfo::default()
            },
            size: None,
            reader: Arc::new(Long(length)),
        };
        let name = ToolName::new("long").expect("a sound name");
        let entries = Entries {
            resources: vec![resource],
            prompts: vec![Prompt::new(name, Arc::new(Long(length)))],
            ..Entries::default()
        };
        mount.replace(entries).expect("no collision");
        let server = McpServer::new(Dispatcher::builder(toolbox).build(), ServerInfo::new("one", "1"));
        for version in VERSIONS {
            for (method, params) in [
                ("resources/read", r#"{"uri":"test://long"}"#),
                ("prompts/get", r#"{"name":"long"}"#),
            ] {
                let answer = ask(&server, version, method, params).await;
                assert_eq!(answer.status, 200, "{version}, {method}");
                assert_eq!(cannot_be_sent(&answer), !fits, "{version}, {method}");
            }
        }
    }
}

fn asking(length: usize) -> ToolBuilder {
    Tool::with_name("asks")
        .json_object_arguments()
        .handler(move |_: CallContext, _| {
            let question = InputRequest::Elicitation {
                message: "x".repeat(length),
                schema: json(r#"{"type":"object","properties":{"name":{"type":"string"}}}"#),
            };
            std::future::ready(Outcome::from(InputRequired::one("name", question)))
        })
        .input_request(InputDeclaration::conditional(InputKind::ElicitationForm))
}

#[tokio::test]
async fn a_question_that_cannot_be_sent_ends_its_call() {
    for (length, fits) in [(LONGEST, true), (LONGEST + 1, false)] {
        let server = serving(asking(length));
        for version in ["2025-06-18", "2025-11-25"] {
            let client = SessionClient::open(&server, version, r#"{"elicitation":{}}"#).await;
            let mut stream = client.ask(1, "tools/call", r#"{"name":"asks"}"#).await;
            if !fits {
                // Else it was asked, and waits.
                assert_eq!(stream.headers["content-type"], "application/json", "{version}");
                let code = stream
                    .json()
                    .await
                    .pointer("/error/code")
                    .and_then(|code| code.as_i64());
                assert_eq!(code, Some(-32603), "{version}");
                continue;
            }
            let mut event = stream.event().await.expect("a question");
            if event.data.is_empty() {
                event = stream.event().await.expect("a question");
            }
            assert_eq!(
                text(&event.message(), "/method"),
                "elicitation/create",
                "{version}"
            );
        }
        let service = server.http_service(HttpOptions::default());
        let params = r#"{"name":"asks"}"#;
        let answer = Stream::modern(&service, r#"{"elicitation":{}}"#, "tools/call", params).await;
        let answer = answer.json().await;
        assert_eq!(text(&answer, "/result/resultType") == "input_required", fits);
    }
}

#[tokio::test]
async fn the_result_of_a_task_has_the_limits_of_json_and_leaves_its_repetition_out() {
    let ended = async |result: ToolResult| {
        let (tool, _) = gives(result);
        let server = serving(tool.mirror_structured_content(true).tasks(TaskMode::Required));
        let service = server.http_service(HttpOptions::default());
        let created = able(&service, "tools/call", GIVE).await;
        let params = format!(r#"{{"taskId":"{}"}}"#, text(&created, "/result/taskId"));
        loop {
            let task = able(&service, "tasks/get", &params).await;
            if text(&task, "/result/status") != "working" {
                return task;
            }
            tokio::task::yield_now().await;
        }
    };
    let code = |task: &Value| task.pointer("/error/code").and_then(|code| code.as_i64());
    // The most values that can be told leave no room for those of a text.
    let mut values = 99_999;
    let most = loop {
        let task = ended(ToolResult::structured(many(values))).await;
        if code(&task).is_none() {
            break task;
        }
        values -= 1;
    };
    let content = |task: &Value| task.pointer("/result/result/content/0").is_some();
    assert!(!content(&most));
    assert!(content(&ended(ToolResult::structured(many(values - 10))).await));
    let too_long = ended(ToolResult::text("x".repeat(LONGEST + 1))).await;
    assert_eq!(code(&too_long), Some(-32603));
}

#[tokio::test]
async fn a_stream_carries_no_progress_and_no_result_that_no_reader_takes() {
    for (length, told) in [(LONGEST, false), (LONGEST + 1, true)] {
        let server = serving(Tool::with_name("give").json_object_arguments().handler(
            move |context: CallContext, _| async move {
                context.progress(1.0, Some("x".repeat(length))).await;
                ToolResult::text("x".repeat(length))
            },
        ));
        for version in ["2025-11-25", MODERN] {
            let call = r#"{"name":"give","_meta":{"progressToken":7}}"#;
            let answer = ask(&server, version, "tools/call", call).await;
            assert_eq!(answer.header("content-type"), Some("text/event-stream"));
            let left_out = answer
                .body
                .contains(r#""message":"A message of 1048577 bytes was left out.""#);
            assert_eq!((left_out, cannot_be_sent(&answer)), (told, told), "{version}");
        }
    }
}

#[tokio::test]
async fn an_error_says_back_no_more_than_the_beginning_of_what_was_asked_for() {
    const MOST: usize = 8_192;
    for (length, said) in [(MOST, MOST), (MOST + 1, MOST), (LONGEST, MOST)] {
        let uri = format!("test://{}", "x".repeat(length - "test://".len()));
        let params = format!(r#"{{"uri":"{uri}"}}"#);
        let mut client = StdioClient::connect(&server());
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{}}}"#,
            with_meta(&params)
        );
        client.send(&line).await;
        let told = client.message().await;
        assert_eq!(text(&told, "/error/data/uri"), &uri[..said]);
        let version = "v".repeat(length);
        client.send(&line.replace(MODERN, &version)).await;
        let told = client.message().await;
        assert_eq!(text(&told, "/error/data/requested"), &version[..said]);
    }
}
