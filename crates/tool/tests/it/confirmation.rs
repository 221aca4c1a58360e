use toolmesh_tool::{
    CallRequest, ClientCapabilities, FrontInfo, Outcome, Tool, ToolAnnotations, ToolResult,
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

#[tokio::test]
async fn a_confirmed_call_runs_and_any_other_answer_refuses_it() {
    let dispatcher = builder(vec![tool("write", ToolAnnotations::default())])
        .confirmation(Confirmation::All)
        .build();
    let yes = answer(r#"{"action":"accept","content":{"confirm":true}}"#);
    assert_eq!(
        text(
            dispatcher
                .call(asks(request("write", "{}")).input_responses(yes))
                .await
        ),
        "done"
    );
    for no in [
        r#"{"action":"accept","content":{"confirm":false}}"#,
        r#"{"action":"accept"}"#,
        r#"{"action":"decline"}"#,
        r#"{"action":"cancel"}"#,
        "7",
    ] {
        let outcome = dispatcher
            .call(asks(request("write", "{}")).input_responses(answer(no)))
            .await;
        assert_eq!(code(&outcome), "policy_refused", "{no}");
    }
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
