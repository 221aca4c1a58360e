//! What an upstream server asks for while it works: passed on to whoever called, or refused, and never left open.

use std::time::Duration;

use toolmesh_json::{Value, View};
use toolmesh_mcp::{McpServer, ServerInfo};
use toolmesh_tool::{
    CallError, Dispatcher, Entries, FrontInfo, InputDeclaration, InputKind, InputRequest, InputRequired,
    Outcome, Prefix, Tool, ToolResult, Toolbox, dispatcher::PromptRequest,
};

use super::{
    script::{ONE_TOOL, Script, events, result, usual},
    support::{Gateway, Running, caller, json},
};
use crate::session_client::SessionClient;

const SAMPLING: &str =
    r#"{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":9}"#;
const SAMPLED: &str = r#"{"role":"assistant","content":{"type":"text","text":"ho"},"model":"m"}"#;
const ROOTS: &str = r#"{"roots":[{"uri":"file:///x"}]}"#;

/// A server of 2025 whose calls and prompts ask this before they answer, on a stream that is taken up again.
async fn asking(method: &'static str, params: &'static str) -> Script {
    Script::start(move |seen| match (seen.http_method.as_str(), seen.method.as_str()) {
        ("POST", "tools/call" | "prompts/get") => events(format!(
            "id: 1\nretry: 10\ndata:\n\nid: 2\ndata: {{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"{method}\",\"params\":{params}}}\n\n"
        )),
        ("GET", _) if seen.headers.contains_key("last-event-id") => {
            // The first requests of the client are initialize and the lists; then comes what asks.
            let done = |id: u32| {
                format!(
                    r#"data: {{"jsonrpc":"2.0","id":{id},"result":{{"content":[],"messages":[],"structuredContent":{{"done":true}}}}}}"#
                )
            };
            events(format!("{}\n\n{}\n\n{}\n\n", done(3), done(4), done(5)))
        }
        (_, "prompts/list") => result(seen, r#"{"prompts":[{"name":"p"}]}"#),
        (_, "initialize") => {
            let (status, headers, body) = usual(seen, ONE_TOOL);
            (status, headers, body.replace(r#""tools":{}"#, r#""tools":{},"prompts":{}"#))
        }
        _ => usual(seen, ONE_TOOL),
    })
    .await
}

fn able() -> FrontInfo {
    let mut front = FrontInfo::default();
    (front.capabilities.sampling, front.capabilities.roots) = (true, true);
    front
}

#[tokio::test]
async fn sampling_and_roots_of_a_2025_server_are_asked_of_the_caller_and_the_call_goes_on() {
    for (method, params, request, answer) in [
        (
            "sampling/createMessage",
            SAMPLING,
            InputRequest::Sampling(json(SAMPLING)),
            SAMPLED,
        ),
        ("roots/list", "{}", InputRequest::Roots, ROOTS),
    ] {
        let script = asking(method, params).await;
        let gateway = script.gateway("2025-11-25").await.expect("sound");
        let ask = || gateway.request("one", "{}").front(able());
        let Outcome::InputRequired(input) = gateway.dispatcher.call(ask()).await else {
            panic!("the server asks");
        };
        let (key, asked) = input.requests.first().expect("one question");
        assert_eq!(*asked, request);
        let answers = Value::object().put(key.as_str(), json(answer)).build();
        let again = ask()
            .input_responses(answers)
            .state(input.state.expect("a sealed ticket"));
        let done = gateway.dispatcher.call(again).await.completed();
        assert!(done.expect("a result").structured.is_some(), "{method}");
        let posted = script.answer_to("q").await;
        assert_eq!(posted.get("result").map(View::to_text).as_deref(), Some(answer));
    }
}

#[tokio::test]
async fn a_caller_who_cannot_be_asked_is_refused_for_and_the_call_goes_on() {
    for (method, params) in [("sampling/createMessage", SAMPLING), ("roots/list", "{}")] {
        let script = asking(method, params).await;
        let gateway = script.gateway("2025-11-25").await.expect("sound");
        assert!(gateway.call("one", "{}").await.completed().is_some(), "{method}");
        assert_eq!(
            script.answer_to("q").await.to_text(),
            r#"{"jsonrpc":"2.0","id":"q","error":{"code":-32601,"message":"The caller cannot be asked this"}}"#
        );
    }
}

#[tokio::test]
async fn a_prompt_of_a_2025_server_may_ask_too() {
    let script = asking("roots/list", "{}").await;
    let gateway = script.gateway("2025-11-25").await.expect("sound");
    let get = |id: i64| {
        let mut request = PromptRequest::new("p", Default::default(), caller());
        request.front = able();
        request.front.request_id = Some(id.into());
        request
    };
    let round = gateway.dispatcher.prompt_round(get(1)).await.expect("a round");
    let toolmesh_tool::Round::InputRequired(input) = round else {
        panic!("the server asks");
    };
    let (key, asked) = input.requests.first().expect("one question");
    assert_eq!(*asked, InputRequest::Roots);
    let mut again = get(2);
    again.input_responses = Some(Value::object().put(key.as_str(), json(ROOTS)).build());
    again.state = input.state;
    assert!(gateway.dispatcher.get_prompt(again).await.is_ok());
    let posted = script.answer_to("q").await;
    assert_eq!(posted.get("result").map(View::to_text).as_deref(), Some(ROOTS));
}

#[tokio::test]
async fn a_client_that_answers_a_question_with_an_error_ends_the_servers_waiting() {
    let script = asking("sampling/createMessage", SAMPLING).await;
    let gateway = script.gateway("2025-11-25").await.expect("sound");
    let server = McpServer::new(gateway.dispatcher.clone(), ServerInfo::new("gateway", "1"));
    let client = SessionClient::open(&server, "2025-11-25", r#"{"sampling":{}}"#).await;
    let mut call = client.ask(1, "tools/call", r#"{"name":"one"}"#).await;
    let asked = loop {
        let event = call.event().await.expect("a question");
        if !event.data.is_empty() {
            break event.message();
        }
    };
    assert_eq!(
        asked.get("method").and_then(View::as_str),
        Some("sampling/createMessage")
    );
    let id = asked.get("id").expect("an id").to_text();
    let refusal = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-1,"message":"no"}}}}"#);
    assert_eq!(client.post(&refusal).await.status, 202);
    assert!(call.rest().await.contains("-32603"));
    // Not after the minutes that a person has, but now.
    let refused = script.answer_to("q").await;
    assert_eq!(
        refused.pointer("/error/code").and_then(View::as_i64),
        Some(-32601)
    );
}

#[tokio::test]
async fn every_kind_of_question_of_a_2026_server_is_passed_on_and_an_unknown_kind_fails() {
    let kinds = [
        (InputKind::Sampling, InputRequest::Sampling(json(SAMPLING))),
        (InputKind::Roots, InputRequest::Roots),
    ];
    for (kind, request) in kinds {
        let asked = request.clone();
        let tool = Tool::with_name("ask")
            .json_object_arguments()
            .handler(move |context: toolmesh_tool::CallContext, _| {
                let answer = context.input_responses().map(|answers| answers.to_text());
                let asked = asked.clone();
                async move {
                    match answer {
                        Some(answer) => Outcome::from(ToolResult::text(answer)),
                        None => InputRequired::one("k", asked).into(),
                    }
                }
            })
            .input_request(InputDeclaration::conditional(kind))
            .build()
            .expect("a sound tool");
        let toolbox = Toolbox::new();
        let mount = toolbox.mount("origin", Prefix::None).expect("the first mount");
        mount.replace(Entries::from(vec![tool])).expect("no collisions");
        let origin = McpServer::new(
            Dispatcher::builder(toolbox).build(),
            ServerInfo::new("origin", "1"),
        );
        let running = Running::start(&origin).await;
        let options = toolmesh_mcp::UpstreamOptions::default().revision("2026-07-28");
        let gateway = Gateway::to(&running.url(), options, Prefix::None)
            .await
            .expect("sound");
        let ask = || gateway.request("ask", "{}").front(able());
        let Outcome::InputRequired(input) = gateway.dispatcher.call(ask()).await else {
            panic!("the server asks");
        };
        assert_eq!(input.requests.first(), Some((&"k".to_owned(), &request)));
        let answers = json(r#"{"k":{"roots":[]}}"#);
        let mut again = ask().input_responses(answers.clone());
        if let Some(state) = input.state {
            again = again.state(state);
        }
        let done = gateway
            .dispatcher
            .call(again)
            .await
            .completed()
            .expect("a result");
        assert_eq!(done.joined_text(), answers.to_text());
        running.stop().await;
    }
    let script = Script::start(|seen| match seen.method.as_str() {
        "tools/call" => result(
            seen,
            r#"{"resultType":"input_required","inputRequests":{"k":{"method":"other/thing"}}}"#,
        ),
        _ => usual(seen, ONE_TOOL),
    })
    .await;
    let gateway = script.gateway("2026-07-28").await.expect("sound");
    let call = gateway
        .dispatcher
        .call(gateway.request("one", "{}").front(able()));
    let ended = tokio::time::timeout(Duration::from_secs(10), call)
        .await
        .expect("an end");
    assert!(
        matches!(ended, Outcome::Failed(CallError::Handler(_))),
        "{ended:?}"
    );
}
