//! Tools and a prompt that ask by their results, as the stateless revision knows it.

use toolmesh_tool::{
    CallContext, ClientCapability, InputDeclaration, InputKind, InputRequest, InputRequired, Outcome,
    RequestStateMode, ToolBuilder, ToolResult, json::View,
};

use super::{
    Tools,
    asking::{answer, form, sampling},
    running::plain,
};

pub(crate) const NAME_FORM: &str =
    r#"{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}"#;
const COLOR_FORM: &str = r#"{"type":"object","properties":{"color":{"type":"string"}},"required":["color"]}"#;
const OK_FORM: &str = r#"{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}"#;

pub(crate) fn tools() -> Tools {
    let stateful = |name, run: fn(&CallContext) -> Outcome| {
        asks(name, run).request_state(RequestStateMode::FrameworkProtected)
    };
    [
        asks("test_input_required_result_elicitation", |context| {
            match field(context, "user_name", "name") {
                Some(name) => done(format!("Hello, {name}!")),
                None => ask("user_name", form("What is your name?", NAME_FORM)).into(),
            }
        }),
        asks("test_input_required_result_sampling", |context| {
            match answer(context, "capital_question") {
                Some(said) => done(
                    said.pointer("/content/text")
                        .map_or_else(String::new, View::to_text),
                ),
                None => ask(
                    "capital_question",
                    sampling("What is the capital of France?", 100),
                )
                .into(),
            }
        }),
        asks("test_input_required_result_list_roots", |context| {
            match answer(context, "client_roots").and_then(|said| said.get("roots")) {
                Some(roots) => done(format!("Roots: {}", roots.to_text())),
                None => ask("client_roots", InputRequest::Roots).into(),
            }
        }),
        stateful("test_input_required_result_request_state", confirmed),
        stateful("test_input_required_result_tampered_state", confirmed),
        stateful("test_input_required_result_multiple_inputs", |context| {
            let name = field(context, "user_name", "name");
            let others = answer(context, "greeting").is_some() && answer(context, "client_roots").is_some();
            match name.filter(|_| others && context.state() == Some("asked three")) {
                Some(name) => done(format!("Hello, {name}!")),
                None => ask("user_name", form("What is your name?", NAME_FORM))
                    .and("greeting", sampling("Generate a greeting", 50))
                    .and("client_roots", InputRequest::Roots)
                    .with_state("asked three")
                    .into(),
            }
        }),
        stateful("test_input_required_result_multi_round", |context| {
            match (
                context.state(),
                field(context, "step1", "name"),
                field(context, "step2", "color"),
            ) {
                (Some("first"), Some(name), _) => {
                    ask("step2", form("Step 2: What is your favorite color?", COLOR_FORM))
                        .with_state(name)
                        .into()
                }
                (Some(name), _, Some(color)) => done(format!("{name} likes {color}")),
                _ => ask("step1", form("Step 1: What is your name?", NAME_FORM))
                    .with_state("first")
                    .into(),
            }
        }),
        asks("test_input_required_result_capabilities", |context| {
            let able = &context.front().capabilities;
            let mut asked = InputRequired::default();
            if able.has(&ClientCapability::ElicitationForm) {
                asked = asked.and("user_name", form("What is your name?", NAME_FORM));
            }
            if able.has(&ClientCapability::Sampling) {
                asked = asked.and("greeting", sampling("Generate a greeting", 50));
            }
            match context.input_responses().is_some() || asked.requests.is_empty() {
                true => done("Asked for what the client can do".to_owned()),
                false => asked.into(),
            }
        }),
    ]
    .into_iter()
    .map(ToolBuilder::build)
    .collect()
}

/// A tool that asks when nothing came back yet.
fn asks(name: &str, run: fn(&CallContext) -> Outcome) -> ToolBuilder {
    let kinds = [InputKind::ElicitationForm, InputKind::Sampling, InputKind::Roots];
    let tool = plain(name, "Asks before it answers", move |context| {
        std::future::ready(run(&context))
    });
    kinds.into_iter().fold(tool, |tool, kind| {
        tool.input_request(InputDeclaration::conditional(kind))
    })
}

fn confirmed(context: &CallContext) -> Outcome {
    let said = answer(context, "confirm").and_then(|said| said.pointer("/content/ok"));
    match (context.state(), said.and_then(View::as_bool)) {
        (Some("confirming"), Some(true)) => done("state-ok: the state came back whole".to_owned()),
        _ => ask("confirm", form("Please confirm", OK_FORM))
            .with_state("confirming")
            .into(),
    }
}

fn ask(key: &str, request: InputRequest) -> InputRequired {
    InputRequired::one(key, request)
}

fn done(text: String) -> Outcome {
    ToolResult::text(text).into()
}

/// A text that the client's user filled into a form.
pub(crate) fn field<'a>(context: &'a CallContext, key: &str, name: &str) -> Option<&'a str> {
    answer(context, key)?.get("content")?.get(name)?.as_str()
}
