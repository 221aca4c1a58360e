use toolmesh_tool::{
    CallRequest, ClientCapabilities, Dispatcher, FrontInfo, InputRequest, Outcome, Tool, ToolAnnotations,
    ToolResult,
    dispatcher::{CONFIRMATION_KEY, Confirmation},
    json::Value,
};

use crate::support::{builder, code, json, request, text};

fn tool(name: &str, annotations: ToolAnnotations) -> Tool {
    Tool::with_name(name)
        .json_object_arguments()
        .handler(|_, _| async { ToolResult::text("done") })
        .annotations(annotations)
        .build()
        .unwrap()
}

fn asks(call: CallRequest) -> CallRequest {
    let capabilities = ClientCapabilities {
        elicitation_form: true,
        ..Default::default()
    };
    call.front(FrontInfo {
        capabilities,
        ..Default::default()
    })
}

fn answer(text: &str) -> Value {
    Value::object().put(CONFIRMATION_KEY, json(text)).build()
}

#[tokio::test]
async fn only_the_calls_of_the_policy_are_asked_about() {
    let tools = || {
        vec![
            tool("read", ToolAnnotations::read_only()),
            tool("write", ToolAnnotations::default()),
        ]
    };
    for (policy, asked) in [
        (Confirmation::Never, [false, false]),
        (Confirmation::Destructive, [false, true]),
        (Confirmation::All, [true, true]),
    ] {
        let dispatcher = builder(tools()).confirmation(policy).build();
        for (name, asked) in ["read", "write"].into_iter().zip(asked) {
            let outcome = dispatcher.call(asks(request(name, "{}"))).await;
            assert_eq!(
                matches!(outcome, Outcome::InputRequired(_)),
                asked,
                "{policy:?} {name}"
            );
        }
    }
}

const YES: &str = r#"{"action":"accept","content":{"confirm":true}}"#;

/// A call of `write` with a request id of its own.
fn write(id: i64, arguments: &str) -> CallRequest {
    let capabilities = ClientCapabilities {
        elicitation_form: true,
        ..Default::default()
    };
    request("write", arguments).front(FrontInfo {
        capabilities,
        request_id: Some(id.into()),
        ..Default::default()
    })
}

fn confirming() -> Dispatcher {
    builder(vec![tool("write", ToolAnnotations::default())])
        .confirmation(Confirmation::All)
        .build()
}

/// What a call is asked first: the question and the state.
async fn asked(dispatcher: &Dispatcher, arguments: &str) -> (String, String) {
    match dispatcher.call(write(1, arguments)).await {
        Outcome::InputRequired(input) => match &input.requests[CONFIRMATION_KEY] {
            InputRequest::Elicitation { message, .. } => (message.clone(), input.state.unwrap()),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_confirmed_call_runs_and_any_other_answer_refuses_it() {
    let dispatcher = confirming();
    let (_, state) = asked(&dispatcher, "{}").await;
    let again = |text: &str| write(2, "{}").state(state.clone()).input_responses(answer(text));
    assert_eq!(text(dispatcher.call(again(YES)).await), "done");
    for no in [
        r#"{"action":"accept","content":{"confirm":false}}"#,
        r#"{"action":"accept"}"#,
        r#"{"action":"decline"}"#,
        r#"{"action":"cancel"}"#,
        "7",
    ] {
        assert_eq!(code(&dispatcher.call(again(no)).await), "policy_refused", "{no}");
    }
}

#[tokio::test]
async fn an_answer_that_nobody_asked_for_is_no_confirmation() {
    let outcome = confirming()
        .call(write(1, "{}").input_responses(answer(YES)))
        .await;
    assert!(matches!(outcome, Outcome::InputRequired(_)), "{outcome:?}");
}

#[tokio::test]
async fn a_confirmation_is_bound_to_the_arguments_that_the_person_saw() {
    let dispatcher = confirming();
    let (question, state) = asked(&dispatcher, r#"{"value":5}"#).await;
    assert!(question.contains(r#"{"value":5}"#), "{question}");
    let other = write(2, r#"{"value":999}"#)
        .state(state)
        .input_responses(answer(YES));
    assert_eq!(code(&dispatcher.call(other).await), "refused_state");
}

#[tokio::test]
async fn a_question_shows_the_beginning_of_long_arguments() {
    let long = format!(r#"{{"text":"{}"}}"#, "x".repeat(5_000));
    let (question, _) = asked(&confirming(), &long).await;
    assert!(
        question.len() < 2_200 && question.contains("5011 bytes in all"),
        "{question}"
    );
}

#[tokio::test]
async fn a_client_that_cannot_ask_is_refused() {
    let dispatcher = builder(vec![tool("write", ToolAnnotations::default())])
        .confirmation(Confirmation::Destructive)
        .build();
    assert_eq!(
        code(&dispatcher.call(request("write", "{}")).await),
        "input_unavailable"
    );
}
