//! Servers that nobody here wrote, on stdio: those of the Python and of the TypeScript SDK.

use std::time::Duration;

use futures_util::StreamExt as _;
use toolmesh_json::Value;
use toolmesh_mcp::{Upstream, UpstreamOptions, UpstreamSource};
use toolmesh_testkit::paths::{client_script, node, node_dir, python};
use toolmesh_tool::{
    CallError, CallItem, CompletionReference, CompletionRequest, Dispatcher, IndexMap, InputRequest, Outcome,
    Prefix, ResourceBody, Source as _, ToolEvent, Toolbox,
    dispatcher::{PromptRequest, ReadRequest},
};

use super::support::{Gateway, caller, form_front, json};
use crate::stdio_client::PATIENCE;

async fn started(
    program: std::path::PathBuf,
    script: std::path::PathBuf,
    options: UpstreamOptions,
) -> Gateway {
    let upstream = Upstream::Command {
        program,
        arguments: vec![script.to_string_lossy().into_owned()],
    };
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("up", Prefix::None).expect("the first mount");
    let source = UpstreamSource::new("up", upstream, options);
    source.start(mount).await.expect("a sound server");
    Gateway {
        source,
        dispatcher: Dispatcher::builder(toolbox).build(),
    }
}

async fn of_python(revision: &str) -> Gateway {
    let options = UpstreamOptions::default().revision(revision);
    started(python(), client_script("python", "upstream_server.py"), options).await
}

async fn of_typescript() -> Gateway {
    let options = UpstreamOptions::default().variable("TOOLMESH_NODE_DIR", node_dir().to_string_lossy());
    started(
        node(),
        client_script("typescript", "upstream_server.mjs"),
        options,
    )
    .await
}

/// What every one of these servers has: tools, progress, a resource, a prompt.
async fn serves_the_usual(gateway: &Gateway) {
    let survey = gateway.source.survey();
    assert!(
        survey.entries.iter().all(|entry| entry.reason.is_none()),
        "{survey:?}"
    );
    let sum = gateway
        .call("add", r#"{"a":2,"b":40}"#)
        .await
        .completed()
        .expect("a result");
    assert_eq!(sum.joined_text(), "42");
    assert!(sum.structured.is_some());
    let wrong = gateway.call("add", r#"{"a":"x","b":40}"#).await;
    assert!(
        matches!(wrong, Outcome::Failed(CallError::InvalidArguments(_))),
        "{wrong:?}"
    );
    let mut stream = gateway.dispatcher.stream(gateway.request("steps", "{}"));
    let mut told = Vec::new();
    while let Some(item) = stream.next().await {
        if let CallItem::Event(ToolEvent::Progress {
            pct: Some(pct),
            message,
        }) = item
        {
            told.push((pct, message.unwrap_or_default()));
        }
    }
    let at = |percent: f64, step: u32| (percent, format!("step {step}"));
    assert_eq!(told, [at(0.0, 0), at(50.0, 1), at(100.0, 2)]);
    let read = gateway
        .dispatcher
        .read_resource(ReadRequest::new("note://rust", caller()))
        .await;
    assert_eq!(
        read.expect("it is there")[0].body,
        ResourceBody::Text("On rust.".to_owned())
    );
    let arguments = IndexMap::from([("code".to_owned(), "x".to_owned())]);
    let got = gateway
        .dispatcher
        .get_prompt(PromptRequest::new("review", arguments, caller()))
        .await;
    assert_eq!(got.expect("it is there").messages.len(), 1);
}

/// A question of the server is asked of the caller, and the same call goes on with the answer.
async fn asks_and_goes_on(gateway: &Gateway) {
    let greet = || gateway.request("greet", "{}").front(form_front());
    let input = match gateway.dispatcher.call(greet()).await {
        Outcome::InputRequired(input) => input,
        other => panic!("the server asks, but {other:?}"),
    };
    let (key, question) = input.requests.first().expect("one question");
    assert!(matches!(question, InputRequest::Elicitation { message, .. } if message == "Your name?"));
    let answers = Value::object().put(
        key.as_str(),
        json(r#"{"action":"accept","content":{"name":"Ada"}}"#),
    );
    let again = greet()
        .input_responses(answers.build())
        .state(input.state.expect("sealed"));
    let greeted = gateway
        .dispatcher
        .call(again)
        .await
        .completed()
        .expect("a result");
    assert_eq!(greeted.joined_text(), "Hello, Ada!");
    // A caller who cannot be asked is answered for.
    let alone = gateway.call("greet", "{}").await.completed().expect("a result");
    assert_eq!(alone.joined_text(), "No name: cancel");
}

/// A question for the client's model and one for its roots are asked of the caller, and refused for one who has neither.
async fn asks_for_more(gateway: &Gateway) {
    let mut able = form_front();
    (able.capabilities.sampling, able.capabilities.roots) = (true, true);
    let said = r#"{"role":"assistant","content":{"type":"text","text":"ho"},"model":"m"}"#;
    for (tool, answer, told) in [
        ("think", said, "It says: ho"),
        ("where", r#"{"roots":[{"uri":"file:///x"}]}"#, "Roots: file:///x"),
    ] {
        let ask = || gateway.request(tool, "{}").front(able.clone());
        let input = match gateway.dispatcher.call(ask()).await {
            Outcome::InputRequired(input) => input,
            other => panic!("the server asks, but {other:?}"),
        };
        let (key, _) = input.requests.first().expect("one question");
        let answers = Value::object().put(key.as_str(), json(answer)).build();
        let again = ask().input_responses(answers).state(input.state.expect("sealed"));
        let done = gateway.dispatcher.call(again).await.completed();
        assert_eq!(done.expect("a result").joined_text(), told);
        // What its own tool makes of the refusal is each server's affair.
        let alone = match gateway.call(tool, "{}").await {
            Outcome::Completed(result) if result.is_error => result.joined_text(),
            Outcome::Failed(CallError::Handler(error)) => error.to_string(),
            other => panic!("it is refused, but {other:?}"),
        };
        assert!(alone.contains("The caller cannot be asked this"), "{alone}");
    }
}

/// Arguments are completed by the server, and what is watched is watched there.
async fn completes_and_tells(gateway: &Gateway) {
    let complete = |reference, argument: &str, typed: &str| {
        let request = CompletionRequest::new(reference, argument, typed, caller());
        gateway.dispatcher.complete(request)
    };
    let topics = complete(
        CompletionReference::Template("note://{topic}".into()),
        "topic",
        "ru",
    )
    .await;
    assert_eq!(topics.expect("an answer").values(), ["rust", "ruby"]);
    let code = complete(CompletionReference::Prompt("review".into()), "code", "fn t").await;
    assert_eq!(code.expect("an answer").values(), ["fn test"]);
    let mut updates = gateway.dispatcher.toolbox().resource_updates();
    let catalogue = gateway.dispatcher.visible_catalogue(&caller());
    let following = catalogue.follow("note://rust").await.expect("it is there");
    let touch = async || {
        gateway
            .call("touch", "{}")
            .await
            .completed()
            .expect("a result")
            .joined_text()
    };
    assert_eq!(touch().await, "Watched: note://rust");
    let updated = tokio::time::timeout(PATIENCE, updates.recv())
        .await
        .expect("in time");
    assert_eq!(updated.expect("the toolbox is there"), "note://rust");
    drop(following);
    let forgotten = async {
        while touch().await != "Watched: " {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, forgotten)
        .await
        .expect("it is unsubscribed from");
}

async fn follows_changes(gateway: &Gateway) {
    let mut watch = gateway.dispatcher.toolbox().watch();
    assert!(gateway.call("grow", "{}").await.completed().is_some());
    let changed = tokio::time::timeout(PATIENCE, watch.changed())
        .await
        .expect("in time");
    assert!(changed.expect("the toolbox is there").tools());
    let grown = gateway.call("grown", "{}").await.completed().expect("a result");
    assert_eq!(grown.joined_text(), "here");
}

#[tokio::test]
async fn a_python_server_is_spoken_with_in_every_revision() {
    for revision in ["2025-06-18", "2025-11-25", "2026-07-28"] {
        let gateway = of_python(revision).await;
        assert_eq!(gateway.source.survey().revision, revision);
        serves_the_usual(&gateway).await;
        if revision != "2026-07-28" {
            asks_and_goes_on(&gateway).await;
            asks_for_more(&gateway).await;
        } else {
            // After a handshake this SDK does not tell of changes, nor says that it does.
            follows_changes(&gateway).await;
        }
    }
}

#[tokio::test]
async fn a_python_server_is_spoken_with_in_its_newest_revision() {
    let gateway = of_python("").await;
    assert_eq!(gateway.source.survey().revision, "2026-07-28");
}

#[tokio::test]
async fn a_typescript_server_serves_asks_changes_and_comes_back() {
    let gateway = of_typescript().await;
    // This SDK knows revisions up to 2025-11-25 and refuses what it does not know.
    assert_eq!(gateway.source.survey().revision, "2025-11-25");
    serves_the_usual(&gateway).await;
    asks_and_goes_on(&gateway).await;
    asks_for_more(&gateway).await;
    completes_and_tells(&gateway).await;
    follows_changes(&gateway).await;
    // The call that ends the server fails with it and is not made again; the next ones pass when it is back.
    let stopped = gateway.call("stop", "{}").await;
    assert!(
        matches!(stopped, Outcome::Failed(CallError::Handler(_))),
        "{stopped:?}"
    );
    let back = tokio::time::timeout(PATIENCE, async {
        while gateway
            .call("add", r#"{"a":1,"b":1}"#)
            .await
            .completed()
            .is_none()
        {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    back.await.expect("the server is started again");
}

#[tokio::test]
async fn a_program_that_is_not_there_or_speaks_no_protocol_stops_the_start() {
    for (program, arguments, said) in [
        ("./no-such-program", vec![], "could not be started"),
        ("cat", vec!["/dev/null".to_owned()], "ended"),
    ] {
        let upstream = Upstream::Command {
            program: program.into(),
            arguments,
        };
        let mount = Toolbox::new().mount("up", Prefix::None).expect("the first mount");
        let source = UpstreamSource::new("up", upstream, UpstreamOptions::default());
        let text = source
            .start(mount)
            .await
            .expect_err("it cannot start")
            .to_string();
        assert!(text.contains(said), "{text}");
    }
}
