use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use toolmesh_tool::{
    Accept, ArgumentCheck, ArgumentError, ArgumentErrors, CallRequest, CancellationToken, HandlerError,
    Outcome, RequestStateMode, Tool, ToolResult,
    dispatcher::{ARGUMENTS_MISMATCH, CallLimits},
    json::{Value, View},
    schema::Profile,
    semver::VersionReq,
};

use crate::support::{argument_error, builder, caller, code, echo, hello, json, request, text};

#[tokio::test]
async fn a_call_with_fitting_arguments_reaches_the_handler() {
    assert_eq!(text(builder(vec![echo()]).build().call(hello()).await), "hello");
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_refused_by_one_fixed_sentence() {
    let dispatcher = builder(vec![echo()]).build();
    for arguments in ["{}", r#"{"message":1}"#, r#"{"message":"a","more":"secret"}"#] {
        let outcome = dispatcher.call(request("echo", arguments)).await;
        assert_eq!(argument_error(outcome), ARGUMENTS_MISMATCH, "{arguments}");
    }
}

#[tokio::test]
async fn a_tool_may_explain_which_argument_does_not_fit_but_never_repeats_it() {
    let tool = Tool::with_name("age")
        .input_schema(
            json(r#"{"type":"object","properties":{"years":{"type":"integer","maximum":150}},"required":["years"]}"#),
            Profile::Profile1,
        )
        .handler(|_, _| async { ToolResult::text("ok") })
        .argument_errors(ArgumentErrors::Explained)
        .build()
        .unwrap();
    let outcome = builder(vec![tool])
        .build()
        .call(request("age", r#"{"years":987654}"#))
        .await;
    let explanation = argument_error(outcome);
    assert!(
        explanation.contains("/years") && explanation.contains("150"),
        "{explanation}"
    );
    assert!(!explanation.contains("987654"), "{explanation}");
}

struct TextForNumber;

impl Accept for TextForNumber {
    fn accept(&self, arguments: View<'_>) -> Result<Value, ArgumentError> {
        match arguments.get("message").map(|message| message.to_text()) {
            Some(text) if text == "0" => Err(ArgumentError::new(
                "/message".parse().unwrap(),
                "zero",
                "anything but zero",
            )),
            Some(text) => Ok(Value::object().put("message", text).build()),
            None => Ok(arguments.to_value()),
        }
    }
}

#[tokio::test]
async fn other_spellings_become_the_published_form_before_the_schema_and_the_raw_form_is_kept() {
    let tool = Tool::with_name("echo")
        .input_schema(
            json(r#"{"type":"object","properties":{"message":{"type":"string"}}}"#),
            Profile::Profile1,
        )
        .handler(|context, arguments| async move {
            ToolResult::text(format!(
                "{} from {}",
                arguments.to_text(),
                context.raw_arguments().to_text()
            ))
        })
        .accept(Arc::new(TextForNumber))
        .argument_errors(ArgumentErrors::Explained)
        .build()
        .unwrap();
    let dispatcher = builder(vec![tool]).build();
    assert_eq!(
        text(dispatcher.call(request("echo", r#"{"message":5}"#)).await),
        r#"{"message":"5"} from {"message":5}"#
    );
    let refused = argument_error(dispatcher.call(request("echo", r#"{"message":0}"#)).await);
    assert!(
        refused.ends_with("/message: expected anything but zero (zero)"),
        "{refused}"
    );
}

#[tokio::test]
async fn arguments_that_are_checked_elsewhere_come_to_the_handler_as_they_are() {
    let tool = |check| {
        Tool::with_name("echo")
            .input_schema(
                json(r#"{"type":"object","properties":{"message":{"type":"string"}}}"#),
                Profile::Profile1,
            )
            .handler(|_, arguments| async move { ToolResult::text(arguments.to_text()) })
            .argument_check(check)
            .build()
            .unwrap()
    };
    let number = r#"{"message":5}"#;
    let elsewhere = builder(vec![tool(ArgumentCheck::Elsewhere)]).build();
    assert_eq!(text(elsewhere.call(request("echo", number)).await), number);
    let here = builder(vec![tool(ArgumentCheck::Dispatcher)]).build();
    assert_eq!(
        argument_error(here.call(request("echo", number)).await),
        ARGUMENTS_MISMATCH
    );
}

#[tokio::test]
async fn a_panic_is_the_error_of_that_call_alone() {
    let panics = Tool::with_name("panics")
        .json_object_arguments()
        .handler(|_, _| async {
            if true {
                panic!("secret")
            } else {
                ToolResult::text("never")
            }
        })
        .build()
        .unwrap();
    let dispatcher = builder(vec![panics, echo()]).build();
    let outcome = dispatcher.call(request("panics", "{}")).await;
    assert_eq!(code(&outcome), "internal");
    let Outcome::Failed(error) = outcome else {
        unreachable!()
    };
    assert!(!error.public_text().contains("secret"));
    assert_eq!(text(dispatcher.call(hello()).await), "hello");
}

#[tokio::test]
async fn a_handlers_own_failure_is_told_without_its_text() {
    let fails = Tool::with_name("fails")
        .json_object_arguments()
        .handler(|_, _| async { Err::<ToolResult, _>(HandlerError::new("password in the log only")) })
        .build()
        .unwrap();
    let outcome = builder(vec![fails]).build().call(request("fails", "{}")).await;
    assert_eq!(code(&outcome), "handler_error");
    let Outcome::Failed(error) = outcome else {
        unreachable!()
    };
    assert!(!error.public_text().contains("password"));
}

fn waits(cancelled: Arc<AtomicBool>) -> Tool {
    Tool::with_name("waits")
        .json_object_arguments()
        .handler(move |context, _| {
            let cancelled = Arc::clone(&cancelled);
            let token = context.cancellation().clone();
            tokio::spawn(async move {
                token.cancelled().await;
                cancelled.store(true, Ordering::SeqCst);
            });
            std::future::pending::<Outcome>()
        })
        .build()
        .unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_call_ends_at_its_deadline_and_what_it_started_is_told() {
    let cancelled = Arc::new(AtomicBool::new(false));
    let limits = CallLimits {
        deadline: Duration::from_secs(5),
        ..CallLimits::default()
    };
    let dispatcher = builder(vec![waits(Arc::clone(&cancelled))])
        .limits(limits)
        .build();
    assert_eq!(
        code(&dispatcher.call(request("waits", "{}")).await),
        "deadline_exceeded"
    );
    tokio::task::yield_now().await;
    assert!(cancelled.load(Ordering::SeqCst));
}

#[tokio::test]
async fn a_cancelled_call_ends_and_its_handler_sees_it() {
    for hand_in in [CallRequest::cancellation, CallRequest::own_cancellation] {
        let cancelled = Arc::new(AtomicBool::new(false));
        let dispatcher = builder(vec![waits(Arc::clone(&cancelled))]).build();
        let token = CancellationToken::new();
        let call = dispatcher.call(hand_in(request("waits", "{}"), token.clone()));
        let (outcome, ()) = tokio::join!(call, async { token.cancel() });
        assert_eq!(code(&outcome), "cancelled");
        tokio::task::yield_now().await;
        assert!(cancelled.load(Ordering::SeqCst));
    }
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_calls_time_fires_its_own_token_and_none_that_others_share() {
    let dispatcher = builder(vec![waits(Arc::default())]).build();
    let (shared, own) = (CancellationToken::new(), CancellationToken::new());
    let late = || request("waits", "{}").timeout(Duration::from_secs(5));
    for late in [
        late().cancellation(shared.clone()),
        late().own_cancellation(own.clone()),
    ] {
        assert_eq!(code(&dispatcher.call(late).await), "deadline_exceeded");
    }
    assert!(own.is_cancelled() && !shared.is_cancelled());
}

#[tokio::test]
async fn a_call_may_ask_for_a_version_and_gets_the_highest_that_fits() {
    let versioned = |version: &str| {
        let text = version.to_owned();
        Tool::with_name("v")
            .json_object_arguments()
            .handler(move |_, _| {
                let text = text.clone();
                async move { ToolResult::text(text) }
            })
            .version(version.parse().unwrap())
            .build()
            .unwrap()
    };
    let dispatcher = builder(vec![versioned("1.2.0"), versioned("2.0.0"), versioned("1.10.0")]).build();
    assert_eq!(text(dispatcher.call(request("v", "{}")).await), "2.0.0");
    let one = request("v", "{}").version(VersionReq::parse("^1").unwrap());
    assert_eq!(text(dispatcher.call(one).await), "1.10.0");
    let three = request("v", "{}").version(VersionReq::parse("^3").unwrap());
    assert_eq!(code(&dispatcher.call(three).await), "unknown_tool");
}

#[tokio::test]
async fn an_alias_is_called_but_neither_listed_nor_stronger_than_a_name() {
    let aliased = |name: &str, alias: &str| {
        let text = name.to_owned();
        Tool::with_name(name)
            .json_object_arguments()
            .handler(move |_, _| {
                let text = text.clone();
                async move { ToolResult::text(text) }
            })
            .alias(alias)
            .alias("both")
            .build()
            .unwrap()
    };
    let dispatcher = builder(vec![aliased("one", "f(uint256)"), aliased("two", "one")]).build();
    assert_eq!(text(dispatcher.call(request("f(uint256)", "{}")).await), "one");
    assert_eq!(text(dispatcher.call(request("one", "{}")).await), "one");
    assert_eq!(
        code(&dispatcher.call(request("both", "{}")).await),
        "unknown_tool"
    );
    let listed: Vec<_> = dispatcher
        .visible_catalogue(&caller())
        .tools()
        .map(|tool| tool.name().to_string())
        .collect();
    assert_eq!(listed, ["one", "two"]);
}

#[tokio::test]
async fn what_came_with_the_request_reaches_the_handler() {
    let tool = Tool::with_name("shows")
        .json_object_arguments()
        .handler(|context, _| async move {
            ToolResult::text(format!(
                "{} {:?} {:?}",
                context.idempotency_key(),
                context.headers(),
                context.state()
            ))
        })
        .request_state(RequestStateMode::ApplicationProtected)
        .build()
        .unwrap();
    let call = CallRequest::new("shows", json("{}"), caller())
        .idempotency_key("k")
        .headers(vec![("traceparent".into(), "t".into())])
        .state("s");
    assert_eq!(
        text(builder(vec![tool]).build().call(call).await),
        r#"k [("traceparent", "t")] Some("s")"#
    );
}
