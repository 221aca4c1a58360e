//! A server with one of everything.

use std::{sync::Arc, time::Duration};

use futures_util::{FutureExt as _, future::BoxFuture};
use indexmap::IndexMap;
use toolmesh_json::Value;
use toolmesh_mcp::{McpServer, ServerInfo, ServerLimits};
use toolmesh_tool::{
    CallContext, CallError, CompletionValues, ContentBlock, Dispatcher, EmbeddedResource, Entries,
    HandlerError, Icon, InputDeclaration, InputKind, InputRequest, InputRequired, LogLevel, MediaContent,
    Mount, Outcome, Prefix, Prompt, PromptArgument, PromptHandler, PromptMessage, PromptOutput,
    RequestStateMode, Resource, ResourceBody, ResourceContents, ResourceInfo, ResourceLink, ResourceReader,
    ResourceTemplate, Role, TaskMode, TextContent, Tool, ToolAnnotations, ToolName, ToolResult, Toolbox,
    UriTemplate, schema::Profile,
};

/// A server with one of everything, and the mount that its tools are in.
pub(crate) fn server() -> McpServer {
    server_with(ServerLimits::default()).0
}

/// As [`server`], with limits of one's own.
pub(crate) fn server_with(limits: ServerLimits) -> (McpServer, Mount) {
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("fixture", Prefix::None).expect("the first mount");
    let entries = Entries {
        tools: tools(),
        resources: vec![resource()],
        templates: vec![template()],
        prompts: vec![prompt()],
    };
    mount.replace(entries).expect("no collisions");
    let info = ServerInfo {
        icons: vec![icon()],
        ..ServerInfo::new("fixture", "1.2.3")
    }
    .with_title("Fixture")
    .with_description("A server with one of everything")
    .with_instructions("Call echo first.");
    (
        McpServer::with_limits(Dispatcher::builder(toolbox).build(), info, limits),
        mount,
    )
}

/// A server without any prompt, resource, or tool.
pub(crate) fn empty_server() -> McpServer {
    McpServer::new(
        Dispatcher::builder(Toolbox::new()).build(),
        ServerInfo::new("empty", "0.0.1"),
    )
}

/// A tool that does nothing, to be added while the server runs.
pub(crate) fn another_tool(name: &str) -> Tool {
    simple(name, "Does nothing.", |_| ToolResult::text("done").into())
}

/// A tool whose argument `tenant` is repeated in a header; not every revision knows such tools.
pub(crate) fn mirrored_tool() -> Tool {
    let schema = r#"{"type":"object","properties":{"tenant":{"type":"string","x-mcp-header":"Tenant"}}}"#;
    Tool::with_name("mirrored")
        .input_schema(json(schema), Profile::Profile1)
        .handler(|_: CallContext, _| async { ToolResult::text("done") })
        .build()
        .expect("a sound tool")
}

fn json(text: &str) -> Value {
    toolmesh_json::parse(text.as_bytes()).expect("the fixtures are JSON")
}

fn simple(name: &str, description: &str, run: impl Fn(Value) -> Outcome + Send + Sync + 'static) -> Tool {
    let built = Tool::with_name(name)
        .json_object_arguments()
        .handler(move |_: CallContext, arguments| std::future::ready(run(arguments)))
        .description(description)
        .build();
    built.expect("the fixtures are sound")
}

fn asking() -> Tool {
    let built = Tool::with_name("ask")
        .json_object_arguments()
        .handler(|context: CallContext, _| {
            let said = context
                .input_responses()
                .and_then(|said| Some(said.get("name")?.to_text()));
            std::future::ready(match said {
                Some(said) => {
                    let state = context.state().unwrap_or("no state");
                    Outcome::from(ToolResult::text(format!("{said} {state}")))
                }
                None => InputRequired::one("name", name_form()).with_state("s1").into(),
            })
        })
        .description("Asks.")
        .input_request(InputDeclaration::conditional(InputKind::ElicitationForm))
        .request_state(RequestStateMode::ApplicationProtected)
        .build();
    built.expect("the fixtures are sound")
}

fn tools() -> Vec<Tool> {
    let mut tools = vec![
        echo(),
        simple("refuse", "Says no.", |_| {
            ToolResult::error_text("Not today.").into()
        }),
        simple("break", "Fails.", |_| {
            Outcome::Failed(CallError::Handler(HandlerError::new("secret /etc/passwd")))
        }),
        simple("list", "Gives an array.", |_| {
            ToolResult::structured(json("[1,1.50]")).into()
        }),
        asking(),
        simple("link", "Gives a link with icons.", |_| {
            let link = ResourceLink {
                uri: "test://static".into(),
                name: "static".into(),
                icons: vec![icon()],
                ..ResourceLink::default()
            };
            Outcome::Completed(ToolResult::default().with_content(ContentBlock::ResourceLink(link)))
        }),
        simple("panic", "Panics.", |_| panic!("secret")),
        simple("huge", "Gives too much.", |_| {
            ToolResult::text("x".repeat(5 * 1024 * 1024)).into()
        }),
        media(),
    ];
    tools.extend(patient());
    tools.extend(telling());
    tools
}

/// Tools that tell of themselves while they run, or go on in a task.
fn telling() -> Vec<Tool> {
    let tool = |name: &str| Tool::with_name(name).json_object_arguments();
    let logging = tool("log").handler(|context: CallContext, _| async move {
        for level in LogLevel::ALL {
            context
                .log(level, format!("a message of level {}", level.name()))
                .await;
        }
        ToolResult::text("logged")
    });
    let deltas = tool("deltas")
        .handler(|context: CallContext, _| async move {
            for piece in ["one ", "two "] {
                context.delta(piece).await;
            }
            ToolResult::text("three")
        })
        .streaming(true);
    let away = tool("away").handler(|context: CallContext, _| async move {
        context.release_connection();
        tokio::time::sleep(Duration::from_millis(50)).await;
        ToolResult::text("back")
    });
    let task = tool("task")
        .handler(|context: CallContext, _| async move {
            let confirmed = context
                .input_responses()
                .and_then(|said| Some(said.get("name")?.to_text()));
            match confirmed {
                Some(said) => Outcome::from(ToolResult::text(said)),
                None => InputRequired::one("name", name_form()).into(),
            }
        })
        .input_request(InputDeclaration::conditional(InputKind::ElicitationForm))
        .tasks(TaskMode::Required);
    let broken = tool("broken_task")
        .handler(|_: CallContext, _| async {
            Err::<ToolResult, _>(CallError::from(HandlerError::new("secret")))
        })
        .tasks(TaskMode::Required);
    [
        logging.description("Logs on every level."),
        deltas.description("Gives its output in pieces."),
        away.description("Lets its connection go."),
        task.description("Goes on in a task, and asks."),
        broken.description("Goes on in a task, and fails."),
    ]
    .map(|builder| builder.build().expect("the fixtures are sound"))
    .into()
}

/// Asks for a name.
pub(crate) fn name_form() -> InputRequest {
    InputRequest::Elicitation {
        message: "Your name?".into(),
        schema: json(r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#),
    }
}

fn echo() -> Tool {
    let input = r#"{"type":"object","properties":{"message":{"type":"string","maxLength":64}},"required":["message"],"additionalProperties":false}"#;
    let output = r#"{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}"#;
    let built = Tool::with_name("echo")
        .input_schema(json(input), Profile::Draft2020_12)
        .output_schema(json(output), Profile::Draft2020_12)
        .handler(|_: CallContext, arguments: Value| async move {
            let message = arguments
                .get("message")
                .map(|found| found.to_value())
                .unwrap_or_default();
            ToolResult::structured(Value::object().put("message", message).build())
        })
        .title("Echo")
        .description("Says what it is told.")
        .icon(icon())
        .annotations(ToolAnnotations::read_only())
        .meta(json(r#"{"example.com/kind":"echo"}"#))
        .build();
    built.expect("the fixtures are sound")
}

fn media() -> Tool {
    simple("media", "Gives every kind of content.", |_| {
        let bytes = |kind: &str| MediaContent {
            data: vec![0, 255, 16],
            mime_type: kind.into(),
            annotations: None,
            meta: None,
        };
        let resource = ResourceContents {
            uri: "test://embedded".into(),
            mime_type: Some("text/plain".into()),
            body: ResourceBody::Text("inside".into()),
            meta: None,
        };
        let result = ToolResult::text("first")
            .with_content(ContentBlock::Image(bytes("image/png")))
            .with_content(ContentBlock::Audio(bytes("audio/wav")))
            .with_content(ContentBlock::Resource(EmbeddedResource {
                resource,
                annotations: None,
                meta: None,
            }));
        Outcome::Completed(result)
    })
}

/// Tools that take their time.
fn patient() -> Vec<Tool> {
    let progress = Tool::with_name("progress")
        .json_object_arguments()
        .handler(|context: CallContext, _| async move {
            for percent in [0.0, 50.0, 100.0] {
                context.progress(percent, Some(format!("at {percent}"))).await;
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            ToolResult::text("done")
        })
        .description("Tells of its progress.")
        .build();
    let wait = Tool::with_name("wait")
        .json_object_arguments()
        .handler(|_: CallContext, arguments: Value| async move {
            let millis = arguments
                .get("ms")
                .and_then(|found| found.as_u64())
                .unwrap_or(60_000);
            tokio::time::sleep(Duration::from_millis(millis)).await;
            ToolResult::text(format!("waited {millis}"))
        })
        .description("Waits.")
        .build();
    [progress, wait]
        .map(|built| built.expect("the fixtures are sound"))
        .into()
}

fn icon() -> Icon {
    Icon {
        source: "https://example.com/icon.png".into(),
        mime_type: Some("image/png".into()),
        sizes: vec!["48x48".into()],
        theme: None,
    }
}

struct Reader;

impl ResourceReader for Reader {
    fn read<'a>(
        &'a self,
        _: CallContext,
        uri: &'a str,
        variables: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<Vec<ResourceContents>, CallError>> {
        let text = variables
            .get("id")
            .map_or("static text".to_owned(), |id| format!("item {id}"));
        let contents = ResourceContents {
            uri: uri.to_owned(),
            mime_type: Some("text/plain".into()),
            body: ResourceBody::Text(text),
            meta: None,
        };
        let blob = ResourceContents {
            body: ResourceBody::Blob(vec![1, 2, 3]),
            ..contents.clone()
        };
        std::future::ready(Ok(vec![contents, blob])).boxed()
    }

    fn complete(&self, _: &str, typed: &str, _: &IndexMap<String, String>) -> CompletionValues {
        CompletionValues::new(
            (1..=200)
                .map(|id| id.to_string())
                .filter(|id| id.starts_with(typed)),
        )
    }
}

/// A resource of which nothing is told.
pub(crate) fn resource_at(uri: &str) -> Resource {
    Resource {
        uri: uri.to_owned(),
        info: ResourceInfo::default(),
        size: None,
        reader: Arc::new(Reader),
    }
}

fn resource() -> Resource {
    let info = ResourceInfo {
        name: "static".into(),
        title: Some("Static text".into()),
        mime_type: Some("text/plain".into()),
        icons: vec![icon()],
        ..ResourceInfo::default()
    };
    Resource {
        uri: "test://static".into(),
        info,
        size: Some(11),
        reader: Arc::new(Reader),
    }
}

fn template() -> ResourceTemplate {
    template_at("test://item/{id}")
}

/// Resources that say their `id`.
pub(crate) fn template_at(template: &str) -> ResourceTemplate {
    let template = UriTemplate::parse(template).expect("a sound template");
    let info = ResourceInfo {
        name: "item".into(),
        ..ResourceInfo::default()
    };
    ResourceTemplate {
        template,
        info,
        reader: Arc::new(Reader),
    }
}

struct Greeting;

impl PromptHandler for Greeting {
    fn get<'a>(
        &'a self,
        _: CallContext,
        arguments: IndexMap<String, String>,
    ) -> BoxFuture<'a, Result<PromptOutput, CallError>> {
        let name = arguments.get("name").cloned().unwrap_or_default();
        let content = ContentBlock::Text(TextContent::new(format!("Greet {name}.")));
        let messages = vec![PromptMessage {
            role: Role::User,
            content,
        }];
        std::future::ready(Ok(PromptOutput {
            description: Some("A greeting".into()),
            messages,
        }))
        .boxed()
    }

    fn complete(&self, _: &str, typed: &str, _: &IndexMap<String, String>) -> CompletionValues {
        CompletionValues::new(
            ["Ada", "Alan"]
                .map(str::to_owned)
                .into_iter()
                .filter(|name| name.starts_with(typed)),
        )
    }
}

fn prompt() -> Prompt {
    prompt_called("greet")
}

/// A prompt that greets.
pub(crate) fn prompt_called(name: &str) -> Prompt {
    let name = ToolName::new(name).expect("a sound name");
    let argument = PromptArgument {
        name: "name".into(),
        required: true,
        ..PromptArgument::default()
    };
    Prompt {
        arguments: vec![argument],
        ..Prompt::new(name, Arc::new(Greeting))
    }
}
