//! Asking for input: what a tool may ask for, and what becomes of the state between the rounds.

use std::sync::Arc;

use toolmesh_tool::{
    CallContext, CallRequest, ClientCapabilities, FrontInfo, IndexMap, InputDeclaration, InputKind,
    InputRequest, InputRequired, MAX_INPUT_KEY_BYTES, MAX_INPUT_REQUESTS, MAX_STATE_BYTES, Outcome,
    RequestStateMode, StateProtector, Tool, ToolBuildError, ToolBuilder, ToolResult,
    dispatcher::{CONFIRMATION_KEY, Confirmation},
    json::Value,
    state::{KeyRing, MAX_ROUNDS, MasterKey},
};

use crate::support::{builder, caller, code, json, text};

fn form() -> InputRequest {
    InputRequest::Elicitation {
        message: "Your name?".into(),
        schema: json(r#"{"type":"object","properties":{"name":{"type":"string"}}}"#),
    }
}

/// A tool that may ask with forms and ends as `run` says.
fn tool(run: impl Fn(CallContext) -> Outcome + Send + Sync + 'static) -> ToolBuilder {
    Tool::with_name("ask")
        .json_object_arguments()
        .handler(move |context, _| std::future::ready(run(context)))
        .input_request(InputDeclaration::conditional(InputKind::ElicitationForm))
}

/// A tool that counts its rounds in its state and asks for a name until it has one.
fn counting(mode: RequestStateMode) -> Tool {
    tool(|context| {
        let rounds = context.state().map_or(0, |state| state.parse::<u32>().unwrap());
        let name = context.input_responses().and_then(|answers| {
            let name = answers.view().get("name")?.get("content")?.get("name")?;
            name.as_str().map(str::to_owned)
        });
        match name {
            Some(name) => ToolResult::text(format!("{name} after {rounds}")).into(),
            None => InputRequired::one("name", form())
                .with_state((rounds + 1).to_string())
                .into(),
        }
    })
    .request_state(mode)
    .build()
    .unwrap()
}

fn front(id: i32) -> FrontInfo {
    FrontInfo {
        method: "tools/call".into(),
        request_id: Some(Value::from(id)),
        revision: Some("2026-07-28".into()),
        capabilities: ClientCapabilities {
            elicitation_form: true,
            ..ClientCapabilities::default()
        },
        ..FrontInfo::default()
    }
}

fn call(id: i32) -> CallRequest {
    CallRequest::new("ask", json("{}"), caller()).front(front(id))
}

fn name() -> Value {
    json(r#"{"name":{"action":"accept","content":{"name":"Ada"}}}"#)
}

fn asked(outcome: Outcome) -> InputRequired {
    match outcome {
        Outcome::InputRequired(input) => input,
        other => panic!("nothing was asked: {other:?}"),
    }
}

#[tokio::test]
async fn an_application_protected_state_goes_and_comes_as_it_is() {
    let dispatcher = builder(vec![counting(RequestStateMode::ApplicationProtected)]).build();
    let input = asked(dispatcher.call(call(1)).await);
    assert_eq!(input.state.as_deref(), Some("1"));
    let outcome = dispatcher.call(call(1).state("1").input_responses(name())).await;
    assert_eq!(text(outcome), "Ada after 1");
}

#[tokio::test]
async fn an_application_protected_state_has_a_bound_both_ways() {
    for (bytes, fits) in [(MAX_STATE_BYTES, true), (MAX_STATE_BYTES + 1, false)] {
        let state = "x".repeat(bytes);
        let gives = state.clone();
        let tool = tool(move |context| match context.state() {
            Some(_) => ToolResult::text("ok").into(),
            None => InputRequired::one("name", form())
                .with_state(gives.clone())
                .into(),
        })
        .request_state(RequestStateMode::ApplicationProtected)
        .build()
        .unwrap();
        let dispatcher = builder(vec![tool]).build();
        let outcome = dispatcher.call(call(1)).await;
        assert_eq!(matches!(outcome, Outcome::InputRequired(_)), fits);
        let outcome = dispatcher.call(call(2).state(state)).await;
        assert_eq!(matches!(outcome, Outcome::Completed(_)), fits);
    }
}

#[tokio::test]
async fn a_sealed_state_comes_back_verified_round_after_round() {
    let dispatcher = builder(vec![counting(RequestStateMode::FrameworkProtected)]).build();
    let mut request = call(0);
    for round in 1..=3 {
        let state = asked(dispatcher.call(request).await).state.unwrap();
        assert!(state.starts_with("soklet-mcp-request-state-v1."));
        request = call(round).state(state);
    }
    let outcome = dispatcher.call(request.input_responses(name())).await;
    assert_eq!(text(outcome), "Ada after 3");
}

#[tokio::test]
async fn whatever_is_wrong_with_a_sealed_state_is_told_in_one_way() {
    let dispatcher = builder(vec![counting(RequestStateMode::FrameworkProtected)]).build();
    let state = asked(dispatcher.call(call(1)).await).state.unwrap();
    let elsewhere = toolmesh_tool::Caller::authenticated("eve", toolmesh_tool::Transport::InProcess);
    let other_arguments = CallRequest::new("ask", json(r#"{"a":1}"#), caller()).front(front(2));
    let other_revision = FrontInfo {
        revision: Some("2025-11-25".into()),
        ..front(2)
    };
    for (what, request) in [
        ("the same id", call(1).state(state.clone())),
        ("another text", call(2).state("soklet-mcp-request-state-v1.AAAA")),
        ("an empty text", call(2).state("")),
        ("a cut text", call(2).state(&state[..state.len() - 1])),
        ("other arguments", other_arguments.state(state.clone())),
        (
            "another caller",
            CallRequest::new("ask", json("{}"), elsewhere)
                .front(front(2))
                .state(state.clone()),
        ),
        (
            "another revision",
            call(2).front(other_revision).state(state.clone()),
        ),
    ] {
        let outcome = dispatcher.call(request).await;
        assert_eq!(code(&outcome), "refused_state", "{what}");
    }
    let restarted = builder(vec![counting(RequestStateMode::FrameworkProtected)]).build();
    let outcome = restarted.call(call(2).state(state.clone())).await;
    assert_eq!(code(&outcome), "refused_state");
    assert!(matches!(
        dispatcher.call(call(2).state(state)).await,
        Outcome::InputRequired(_)
    ));
}

#[tokio::test]
async fn servers_that_share_a_key_and_an_endpoint_go_on_with_each_others_calls() {
    let server = |endpoint| {
        let key = MasterKey::new("k", &[7; 32]).unwrap();
        builder(vec![counting(RequestStateMode::FrameworkProtected)])
            .endpoint(endpoint)
            .state_protector(Arc::new(StateProtector::new(KeyRing::new(key))))
            .build()
    };
    let state = asked(server("a").call(call(1)).await).state.unwrap();
    let outcome = server("a")
        .call(call(2).state(state.clone()).input_responses(name()))
        .await;
    assert_eq!(text(outcome), "Ada after 1");
    let outcome = server("b")
        .call(call(2).state(state).input_responses(name()))
        .await;
    assert_eq!(code(&outcome), "refused_state");
}

#[tokio::test]
async fn a_call_asks_in_ten_rounds_at_most() {
    let dispatcher = builder(vec![counting(RequestStateMode::FrameworkProtected)]).build();
    let mut request = call(0);
    for round in 1..=MAX_ROUNDS {
        let state = asked(dispatcher.call(request).await).state.unwrap();
        request = call(i32::try_from(round).unwrap()).state(state);
    }
    let outcome = dispatcher.call(request).await;
    assert_eq!(code(&outcome), "invalid_output");
}

#[tokio::test]
async fn a_tool_without_state_gives_none_and_takes_none() {
    let gives = tool(|_| InputRequired::one("name", form()).with_state("s").into())
        .build()
        .unwrap();
    let outcome = builder(vec![gives]).build().call(call(1)).await;
    assert_eq!(code(&outcome), "invalid_output");
    let takes = tool(|_| ToolResult::text("ok").into()).build().unwrap();
    let outcome = builder(vec![takes]).build().call(call(1).state("s")).await;
    assert_eq!(code(&outcome), "refused_state");
}

#[tokio::test]
async fn a_tool_asks_for_nothing_that_it_did_not_declare() {
    let silent = Tool::with_name("ask")
        .json_object_arguments()
        .handler(|_, _| async { InputRequired::one("name", form()) })
        .build()
        .unwrap();
    assert_eq!(
        code(&builder(vec![silent]).build().call(call(1)).await),
        "invalid_output"
    );
    let other = tool(|_| InputRequired::one("roots", InputRequest::Roots).into())
        .build()
        .unwrap();
    assert_eq!(
        code(&builder(vec![other]).build().call(call(1)).await),
        "invalid_output"
    );
}

#[tokio::test]
async fn a_required_input_request_needs_the_client_ability_before_the_call() {
    let tool = Tool::with_name("ask")
        .json_object_arguments()
        .handler(|_, _| async { ToolResult::text("ok") })
        .input_request(InputDeclaration::required(InputKind::ElicitationForm))
        .build()
        .unwrap();
    let dispatcher = builder(vec![tool]).build();
    assert_eq!(text(dispatcher.call(call(1)).await), "ok");
    let unable = CallRequest::new("ask", json("{}"), caller());
    assert_eq!(code(&dispatcher.call(unable).await), "missing_capability");
}

#[test]
fn a_kind_of_input_is_declared_once() {
    let twice = tool(|_| ToolResult::text("ok").into())
        .input_request(InputDeclaration::required(InputKind::ElicitationForm))
        .build();
    assert!(matches!(twice, Err(ToolBuildError::InputDeclaredTwice { .. })));
}

#[tokio::test]
async fn what_is_asked_has_bounds() {
    let many = |count: usize, key_bytes: usize| async move {
        let tool = tool(move |_| {
            let requests = (0..count).map(|n| (format!("{n:0>key_bytes$}"), form()));
            InputRequired {
                requests: requests.collect::<IndexMap<_, _>>(),
                state: None,
            }
            .into()
        })
        .build()
        .unwrap();
        matches!(
            builder(vec![tool]).build().call(call(1)).await,
            Outcome::InputRequired(_)
        )
    };
    assert!(many(MAX_INPUT_REQUESTS, 2).await);
    assert!(!many(MAX_INPUT_REQUESTS + 1, 2).await);
    assert!(many(1, MAX_INPUT_KEY_BYTES).await);
    assert!(!many(1, MAX_INPUT_KEY_BYTES + 1).await);
    assert!(!many(0, 1).await);
}

#[tokio::test]
async fn a_form_that_no_client_could_show_is_refused() {
    let tool = tool(|_| {
        let schema = json(r#"{"type":"object","properties":{"a":{"type":"object"}}}"#);
        let message = "?".into();
        InputRequired::one("a", InputRequest::Elicitation { message, schema }).into()
    })
    .build()
    .unwrap();
    assert_eq!(
        code(&builder(vec![tool]).build().call(call(1)).await),
        "invalid_output"
    );
}

#[tokio::test]
async fn a_confirmation_is_asked_once_and_remembered_over_the_rounds_that_follow() {
    for mode in [
        RequestStateMode::ApplicationProtected,
        RequestStateMode::FrameworkProtected,
    ] {
        let dispatcher = builder(vec![counting(mode)])
            .confirmation(Confirmation::All)
            .build();
        let first = asked(dispatcher.call(call(1)).await);
        assert!(first.requests.contains_key(CONFIRMATION_KEY));
        let yes = Value::object()
            .put(
                CONFIRMATION_KEY,
                json(r#"{"action":"accept","content":{"confirm":true}}"#),
            )
            .build();
        let request = call(2).state(first.state.unwrap()).input_responses(yes);
        let second = asked(dispatcher.call(request).await);
        assert!(second.requests.contains_key("name"));
        let request = call(3).state(second.state.unwrap()).input_responses(name());
        assert_eq!(text(dispatcher.call(request).await), "Ada after 1");
    }
}

#[tokio::test]
async fn the_interceptor_sees_no_state_that_was_not_verified() {
    struct Look(Arc<std::sync::Mutex<Option<String>>>);
    impl toolmesh_tool::dispatcher::Interceptor for Look {
        fn intercept<'a>(
            &'a self,
            context: &'a CallContext,
            _: &'a toolmesh_tool::CatalogueTool,
            next: toolmesh_tool::dispatcher::Next<'a>,
        ) -> toolmesh_tool::BoxFuture<'a, Outcome> {
            *self.0.lock().unwrap() = context.state().map(str::to_owned);
            Box::pin(next.run())
        }
    }
    let seen = Arc::new(std::sync::Mutex::new(None));
    let dispatcher = builder(vec![counting(RequestStateMode::FrameworkProtected)])
        .interceptor(Arc::new(Look(Arc::clone(&seen))))
        .build();
    let outcome = dispatcher.call(call(1).state("forged")).await;
    assert_eq!(code(&outcome), "refused_state");
    assert_eq!(*seen.lock().unwrap(), None);
}
