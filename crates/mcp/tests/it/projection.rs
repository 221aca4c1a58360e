//! What a revision cannot express, where the transcripts have no case of it.

use std::sync::Arc;

use indexmap::IndexMap;
use toolmesh_json::View;
use toolmesh_mcp::{McpServer, ServerInfo};
use toolmesh_tool::{
    BoxFuture, CallContext, CallError, ContentBlock, Dispatcher, Entries, Icon, Prefix, Prompt,
    PromptHandler, PromptMessage, PromptOutput, ResourceLink, Role, Tool, ToolName, ToolResult, Toolbox,
    schema::Profile,
};

use crate::http_client::{MODERN, ask};

const VERSIONS: [&str; 3] = ["2025-06-18", "2025-11-25", MODERN];

/// Links to a resource, with an icon.
struct Linking;

impl PromptHandler for Linking {
    fn get<'a>(
        &'a self,
        _: CallContext,
        _: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<PromptOutput, CallError>> {
        let icon = Icon {
            source: "https://example.com/icon.png".into(),
            mime_type: None,
            sizes: Vec::new(),
            theme: None,
        };
        let content = ContentBlock::ResourceLink(ResourceLink {
            uri: "test://static".into(),
            name: "static".into(),
            icons: vec![icon],
            ..ResourceLink::default()
        });
        let role = Role::User;
        Box::pin(async move {
            Ok(PromptOutput {
                description: None,
                messages: vec![PromptMessage { role, content }],
            })
        })
    }
}

fn server(entries: Entries) -> McpServer {
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("one", Prefix::None).expect("the first mount");
    mount.replace(entries).expect("no collision");
    McpServer::new(Dispatcher::builder(toolbox).build(), ServerInfo::new("one", "1"))
}

#[tokio::test]
async fn a_prompts_link_with_icons_fails_where_links_have_none() {
    let name = ToolName::new("link").expect("a sound name");
    let server = server(Entries {
        prompts: vec![Prompt::new(name, Arc::new(Linking))],
        ..Entries::default()
    });
    for version in VERSIONS {
        let answer = ask(&server, version, "prompts/get", r#"{"name":"link"}"#).await;
        assert_eq!(answer.status, 200);
        if version == "2025-06-18" {
            assert_eq!(answer.code(), -32603);
        } else {
            let message = answer.json();
            let icons = message.pointer("/result/messages/0/content/icons");
            assert!(icons.is_some(), "{}", answer.body);
        }
    }
}

#[tokio::test]
async fn an_output_schema_of_another_shape_is_published_where_it_can_be() {
    let array = toolmesh_json::parse(br#"{"type":"array","items":{"type":"integer"}}"#).expect("JSON");
    let tool = Tool::with_name("list")
        .json_object_arguments()
        .output_schema(array, Profile::Profile1)
        .handler(|_: CallContext, _| async {
            ToolResult::structured(toolmesh_json::parse(b"[1]").unwrap_or_default())
        })
        .build();
    let server = server(vec![tool.expect("a sound tool")].into());
    for version in VERSIONS {
        let list = ask(&server, version, "tools/list", "{}").await.json();
        let published = list.pointer("/result/tools/0/outputSchema");
        assert_eq!(published.is_some(), version == MODERN, "{version}");
        let answer = ask(&server, version, "tools/call", r#"{"name":"list"}"#).await;
        let given = answer.json();
        let given = given.pointer("/result/structuredContent").map(View::to_text);
        assert_eq!(
            given.as_deref(),
            (version == MODERN).then_some("[1]"),
            "{version}"
        );
    }
}

#[tokio::test]
async fn a_value_that_is_no_object_is_told_as_its_text_where_the_tool_says_that_this_is_enough() {
    for (value, is_object) in [
        ("7", false),
        ("[1]", false),
        ("null", false),
        (r#"{"a":1}"#, true),
    ] {
        for suffices in [true, false] {
            let structured = toolmesh_json::parse(value.as_bytes()).expect("JSON");
            let tool = Tool::with_name("number")
                .json_object_arguments()
                .handler(move |_: CallContext, _| {
                    let result = ToolResult::structured(structured.clone());
                    async { result }
                })
                .text_suffices(suffices)
                .build();
            let server = server(vec![tool.expect("a sound tool")].into());
            for version in VERSIONS {
                let answer = ask(&server, version, "tools/call", r#"{"name":"number"}"#).await;
                let told = answer.json();
                let at = |pointer| told.pointer(pointer).map(View::to_text);
                let (structured, text) = (at("/result/structuredContent"), at("/result/content/0/text"));
                let can_carry = is_object || version == MODERN;
                assert_eq!(structured.as_deref(), can_carry.then_some(value), "{version}");
                assert_eq!(text.is_some(), can_carry || suffices, "{version}: {value}");
                let code = at("/error/code");
                assert_eq!(code.is_some(), text.is_none(), "{version}: {value}");
            }
        }
    }
}
