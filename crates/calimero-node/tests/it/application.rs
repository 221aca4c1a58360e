//! Whatever is called on the node answers as it does in one process with its caller.

use toolmesh_calimero::{NodeOptions, NodeSettings, NodeSource, modules, read};
use toolmesh_calimero_node::modules::{NOTES_MANIFEST, notes};
use toolmesh_calimero_node::{App, LoopbackNode, Options};
use toolmesh_calimero_sandbox::{LocalOptions, LocalSource};
use toolmesh_json::{Value, parse};
use toolmesh_tool::{CallRequest, Caller, Dispatcher, Outcome, Prefix, Source, Toolbox, Transport};

const INIT: &str = r#"{"text":"first"}"#;

fn json(text: &str) -> Value {
    parse(text.as_bytes()).unwrap()
}

/// The tools of a source.
async fn tools(source: &dyn Source) -> Dispatcher {
    let toolbox = Toolbox::new();
    source
        .start(toolbox.mount("source", Prefix::None).unwrap())
        .await
        .unwrap();
    Dispatcher::builder(toolbox).build()
}

/// `notes` in this process.
async fn here() -> LocalSource {
    let module = notes();
    let options = LocalOptions {
        init: Some(json(INIT)),
        ..LocalOptions::default()
    };
    let application = read(&module, "notes").unwrap();
    LocalSource::open("notes", application, modules(&module).unwrap(), options)
        .await
        .unwrap()
}

/// `notes` on a node.
async fn there() -> (LoopbackNode, NodeSource) {
    let node = LoopbackNode::start(Options::default()).await;
    node.install(App::running("com.x.notes", NOTES_MANIFEST.as_bytes(), notes()));
    let settings = NodeSettings {
        url: Some(node.url().to_owned()),
        ..NodeSettings::default()
    };
    let source = NodeSource::new("node", NodeOptions::new(settings));
    (node, source)
}

async fn call(dispatcher: &Dispatcher, tool: &str, arguments: &Value) -> (bool, String) {
    let caller = Caller::anonymous(Transport::InProcess);
    let request = CallRequest::new(tool, arguments.clone(), caller);
    match dispatcher.call(request).await {
        Outcome::Completed(result) => {
            let structured = result.structured.clone().unwrap_or_default();
            let told = structured.get("result").map(|value| value.to_text());
            (result.is_error, told.unwrap_or_else(|| result.joined_text()))
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_application_answers_on_the_node_as_it_does_in_this_process() {
    let (_node, there) = there().await;
    let (there, local) = (tools(&there).await, here().await);
    let here = tools(&local).await;
    let group = "a".repeat(64);
    let made = format!(r#"{{"application":"notes","namespace":"{group}","args":{INIT}}}"#);
    for (tool, arguments) in [
        ("create_context", made.as_str()),
        ("select_app", r#"{"app":"notes"}"#),
    ] {
        let (failed, told) = call(&there, tool, &json(arguments)).await;
        assert!(!failed, "{told}");
    }
    for (method, arguments) in [
        ("note", "{}"),
        ("keep", r#"{"text":"second","number":18446744073709551615}"#),
        ("note", "{}"),
        ("refuse", r#"{"text":"lost"}"#),
        ("refuse_in_full", "{}"),
        ("panic", "{}"),
        ("trap", "{}"),
        ("note", "{}"),
    ] {
        let tool = format!("notes_{method}");
        assert_eq!(
            call(&there, &tool, &json(arguments)).await,
            call(&here, &tool, &json(arguments)).await,
            "{method}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_application_that_refuses_its_arguments_makes_no_context() {
    let (_node, there) = there().await;
    let there = tools(&there).await;
    let group = "a".repeat(64);
    let none = format!(r#"{{"application":"notes","namespace":"{group}"}}"#);
    let (failed, told) = call(&there, "create_context", &json(&none)).await;
    assert!(failed, "{told}");
}
