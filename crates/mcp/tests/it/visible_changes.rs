//! A client is told that a list changed only when what it may see of it did.

use std::sync::Arc;

use toolmesh_json::Value;
use toolmesh_mcp::{HttpOptions, McpServer, ServerInfo};
use toolmesh_tool::{
    Caller, CatalogueTool, Dispatcher, Entries, Mount, Prefix, Prompt, Resource, ResourceTemplate, Toolbox,
    dispatcher::Visibility,
};

use crate::{
    http_client::META,
    session_client::{SessionClient, Stream},
    stdio_client::{StdioClient, initialize},
    toolbox::{another_tool, prompt_called, resource_at},
};

/// Hides whatever has `hidden` in its name.
struct Curtain;

fn is_hidden(name: &str) -> bool {
    name.contains("hidden")
}

impl Visibility for Curtain {
    fn tool(&self, _: &Caller, tool: &CatalogueTool) -> bool {
        !is_hidden(tool.name().as_str())
    }

    fn resource(&self, _: &Caller, resource: &Resource) -> bool {
        !is_hidden(&resource.uri)
    }

    fn template(&self, _: &Caller, template: &ResourceTemplate) -> bool {
        !is_hidden(template.template.as_str())
    }

    fn prompt(&self, _: &Caller, prompt: &Prompt) -> bool {
        !is_hidden(prompt.name.as_str())
    }
}

const MARK: &str = "test://mark";

/// A server behind the curtain, with one resource to mark the time by.
fn server() -> (McpServer, Mount) {
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("fixture", Prefix::None).expect("the first mount");
    let marks = Entries {
        resources: vec![resource_at(MARK)],
        ..Entries::default()
    };
    mount.replace(marks).expect("no collisions");
    let dispatcher = Dispatcher::builder(toolbox).visibility(Arc::new(Curtain)).build();
    (McpServer::new(dispatcher, ServerInfo::new("fixture", "1")), mount)
}

fn entries(name: &str) -> [(&'static str, Entries); 3] {
    let none = Entries::default;
    [
        (
            "tools",
            Entries {
                tools: vec![another_tool(name)],
                ..none()
            },
        ),
        (
            "resources",
            Entries {
                resources: vec![resource_at(&format!("test://{name}"))],
                ..none()
            },
        ),
        (
            "prompts",
            Entries {
                prompts: vec![prompt_called(name)],
                ..none()
            },
        ),
    ]
}

fn method(message: &Value) -> String {
    let method = message.get("method").and_then(|method| method.as_str());
    method.unwrap_or_default().to_owned()
}

/// What a client is told, however it is connected.
enum Told {
    Stream(Box<Stream>),
    Stdio(Box<StdioClient>),
}

impl Told {
    async fn next(&mut self) -> String {
        match self {
            Self::Stdio(client) => method(&client.message().await),
            Self::Stream(stream) => loop {
                let event = stream.event().await.expect("an event before the end");
                if !event.data.is_empty() {
                    return method(&event.message());
                }
            },
        }
    }

    /// Everything until the mark that is set now.
    async fn until_mark(&mut self, mount: &Mount) -> Vec<String> {
        mount.resource_updated(MARK);
        let mut told = Vec::new();
        loop {
            match self.next().await {
                mark if mark == "notifications/resources/updated" => return told,
                other => told.push(other),
            }
        }
    }
}

async fn tells_of_what_is_seen(mount: &Mount, mut told: Told) {
    for (list, entries) in entries("hidden") {
        mount.add(entries).expect("no collision");
        // Whatever was told of it would be told before the second mark, whichever of the two is looked at first.
        for _ in 0..3 {
            assert_eq!(told.until_mark(mount).await, Vec::<String>::new(), "{list}");
        }
    }
    for (list, entries) in entries("shown") {
        mount.add(entries).expect("no collision");
        let mut heard = told.until_mark(mount).await;
        if heard.is_empty() {
            heard = told.until_mark(mount).await;
        }
        assert_eq!(heard, [format!("notifications/{list}/list_changed")]);
    }
}

#[tokio::test]
async fn a_session_is_not_told_of_what_its_caller_cannot_see() {
    for version in ["2025-06-18", "2025-11-25"] {
        let (server, mount) = server();
        let client = SessionClient::open(&server, version, "{}").await;
        let watched = format!(r#"{{"uri":"{MARK}"}}"#);
        client.ask(1, "resources/subscribe", &watched).await.rest().await;
        let stream = client.listen(None).await;
        tells_of_what_is_seen(&mount, Told::Stream(Box::new(stream))).await;
    }
}

#[tokio::test]
async fn a_subscription_does_not_tell_of_what_its_caller_cannot_see() {
    let (server, mount) = server();
    let service = server.http_service(HttpOptions::default());
    let wanted = format!(
        r#"{{"notifications":{{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["{MARK}"]}}}}"#
    );
    let mut stream = Stream::modern(&service, "{}", "subscriptions/listen", &wanted).await;
    stream.message().await;
    tells_of_what_is_seen(&mount, Told::Stream(Box::new(stream))).await;
}

#[tokio::test]
async fn a_stdio_client_is_not_told_of_what_it_cannot_see() {
    let (server, mount) = server();
    let mut client = StdioClient::connect(&server);
    client.ask(&initialize("2025-11-25")).await;
    let subscribe =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{{"uri":"{MARK}"}}}}"#);
    client.ask(&subscribe).await;
    tells_of_what_is_seen(&mount, Told::Stdio(Box::new(client))).await;
}

#[tokio::test]
async fn the_compact_form_never_tells_that_the_tools_changed_because_its_list_does_not() {
    let (server, mount) = server();
    let mut client = StdioClient::connect(&server.compact());
    let listen = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{{"_meta":{{{META}}},"notifications":{{"toolsListChanged":true,"resourceSubscriptions":["{MARK}"]}}}}}}"#
    );
    client.ask(&listen).await;
    let mut told = Told::Stdio(Box::new(client));
    mount.add(vec![another_tool("more")]).expect("no collision");
    for _ in 0..3 {
        assert_eq!(told.until_mark(&mount).await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn an_older_revision_is_not_told_of_tools_that_it_does_not_know() {
    let (server, mount) = server();
    let client = SessionClient::open(&server, "2025-11-25", "{}").await;
    let watched = format!(r#"{{"uri":"{MARK}"}}"#);
    client.ask(1, "resources/subscribe", &watched).await.rest().await;
    let mut told = Told::Stream(Box::new(client.listen(None).await));
    let later = toolmesh_tool::Tool::with_name("later")
        .json_object_arguments()
        .handler(|_: toolmesh_tool::CallContext, _| async { toolmesh_tool::ToolResult::text("done") })
        .tasks(toolmesh_tool::TaskMode::Required)
        .build();
    mount
        .add(vec![later.expect("a sound tool")])
        .expect("no collision");
    for _ in 0..3 {
        assert_eq!(told.until_mark(&mount).await, Vec::<String>::new());
    }
}

#[tokio::test]
async fn traces_in_headers_reach_reads_prompts_and_completions() {
    use toolmesh_tool::{CallEnd, CallInfo, Observer};
    #[derive(Default)]
    struct Traces(std::sync::Mutex<Vec<(String, String)>>);
    impl Observer for Traces {
        fn ended(&self, call: &CallInfo, _: &CallEnd) {
            let trace = call.trace.map(|trace| trace.to_string()).unwrap_or_default();
            self.0
                .lock()
                .expect("not poisoned")
                .push((call.operation.to_owned(), trace));
        }
    }
    let traces = Arc::new(Traces::default());
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("fixture", Prefix::None).expect("the first mount");
    let all = Entries {
        resources: vec![resource_at("test://r")],
        prompts: vec![prompt_called("p")],
        ..Entries::default()
    };
    mount.replace(all).expect("no collisions");
    let dispatcher = Dispatcher::builder(toolbox)
        .observer(Arc::clone(&traces) as Arc<dyn Observer>)
        .build();
    let server = McpServer::new(dispatcher, ServerInfo::new("fixture", "1"));
    let trace = |digit: &str| format!("00-{}-{}-01", digit.repeat(32), digit.repeat(16));
    for (digit, version, method, params) in [
        ("1", "2026-07-28", "resources/read", r#"{"uri":"test://r"}"#),
        (
            "2",
            "2026-07-28",
            "prompts/get",
            r#"{"name":"p","arguments":{"name":"n"}}"#,
        ),
        ("3", "2025-11-25", "resources/read", r#"{"uri":"test://r"}"#),
        (
            "4",
            "2025-06-18",
            "completion/complete",
            r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"name","value":"A"}}"#,
        ),
    ] {
        let (head, body) = crate::http_client::request(version, method, params);
        let traced = trace(digit);
        let mut head: Vec<_> = head.iter().map(|(name, value)| (*name, value.as_str())).collect();
        head.push(("traceparent", &traced));
        assert_eq!(
            crate::http_client::post(&server, &head, &body).await.status,
            200,
            "{method}"
        );
        let seen = traces.0.lock().expect("not poisoned").pop();
        assert_eq!(seen, Some((method.to_owned(), traced)));
    }
}
