//! Two faults at once: the earlier step answers.

use std::{sync::Arc, time::Duration};

use toolmesh_tool::{
    Accept, AdmissionRefusal, ArgumentError, ArgumentErrors, BoxFuture, CallContext, CallError, Caller,
    CatalogueTool, ClientCapability, FrontRefusal, Outcome, Tool, ToolAnnotations, ToolResult,
    dispatcher::{
        Admission, CallLimits, Confirmation, DispatcherBuilder, Interceptor, Limiter, Next, Operation,
        OutputLimits, Sanitizer, Visibility,
    },
    json::{Value, View},
    schema::Profile,
};

use crate::support::{builder, code, json, request, text};

struct Refuses;

impl Admission for Refuses {
    fn admit<'a>(&'a self, _: &'a Caller, _: Operation<'a>) -> BoxFuture<'a, Result<(), AdmissionRefusal>> {
        Box::pin(async {
            Err(AdmissionRefusal {
                unauthenticated: true,
                reason: "no".into(),
            })
        })
    }
}

impl Visibility for Refuses {
    fn tool(&self, _: &Caller, _: &CatalogueTool) -> bool {
        false
    }
}

impl Interceptor for Refuses {
    fn intercept<'a>(
        &'a self,
        _: &'a CallContext,
        _: &'a CatalogueTool,
        _: Next<'a>,
    ) -> BoxFuture<'a, Outcome> {
        Box::pin(async { CallError::PolicyRefused("intercepted".into()).into() })
    }
}

/// Tells the request limiter and the tool limiter apart by how long they make a caller wait.
struct Waits(u64);

impl Limiter for Waits {
    fn acquire(&self, _: &Caller, _: &str) -> Result<(), Duration> {
        Err(Duration::from_secs(self.0))
    }
}

/// Refuses by a rule that only it knows.
struct NoSpelling;

impl Accept for NoSpelling {
    fn accept(&self, _: View<'_>) -> Result<Value, ArgumentError> {
        Err(ArgumentError::new(
            "/spelling".parse().unwrap(),
            "accept",
            "another",
        ))
    }
}

/// One fault a step, in the order of the steps; the tool's own result is wrong too.
fn faulty(from_step: usize) -> (DispatcherBuilder, bool) {
    let mut tool = Tool::with_name("t")
        .input_schema(json(r#"{"type":"object","required":["a"]}"#), Profile::Profile1)
        .output_schema(json(r#"{"type":"string"}"#), Profile::Profile1)
        .handler(|_, _| async { ToolResult::structured(json("7")).with_content(large()) })
        .annotations(ToolAnnotations {
            destructive: Some(true),
            ..Default::default()
        });
    if from_step <= 10 {
        tool = tool
            .accept(Arc::new(NoSpelling))
            .argument_errors(ArgumentErrors::Explained);
    }
    if from_step <= 3 {
        tool = tool.require_capability(ClientCapability::Sampling);
    }
    let mut builder = builder(vec![tool.build().unwrap()]);
    builder = builder.output_limits(OutputLimits {
        bytes: 1,
        ..Default::default()
    });
    if from_step == 0 {
        builder = builder.admission(Arc::new(Refuses));
    }
    if from_step <= 1 {
        builder = builder.visibility(Arc::new(Refuses));
    }
    if from_step <= 4 {
        builder = builder.request_limiter(Arc::new(Waits(4)));
    }
    if from_step <= 5 {
        builder = builder.tool_limiter(Arc::new(Waits(5)));
    }
    if from_step <= 6 {
        builder = builder.limits(CallLimits {
            deadline: Duration::ZERO,
            ..Default::default()
        });
    }
    if from_step <= 7 {
        builder = builder.interceptor(Arc::new(Refuses));
    }
    if from_step <= 9 {
        builder = builder.confirmation(Confirmation::Destructive);
    }
    (builder, from_step <= 2)
}

fn large() -> toolmesh_tool::ContentBlock {
    toolmesh_tool::ContentBlock::Text(toolmesh_tool::TextContent::new("too large"))
}

#[tokio::test]
async fn of_two_faults_the_earlier_step_answers() {
    let expected = [
        "admission_refused",
        "unknown_tool",
        "front_refused",
        "missing_capability",
        "rate_limited",
        "rate_limited",
        "deadline_exceeded",
        "policy_refused",
        "refused_state",
        "input_unavailable",
        "invalid_arguments",
        "invalid_arguments",
        "invalid_output",
    ];
    for (step, expected) in expected.into_iter().enumerate() {
        let (builder, front) = faulty(step);
        let mut call = request("t", if step <= 11 { "{}" } else { r#"{"a":1}"# });
        if step <= 8 {
            call = call.state("never given");
        }
        if front {
            call = call.front_check(Box::new(|_| {
                Err(FrontRefusal {
                    key: "k",
                    reason: "r".into(),
                })
            }));
        }
        let outcome = builder.build().call(call).await;
        assert_eq!(code(&outcome), expected, "step {step}");
        if let Outcome::Failed(CallError::InvalidArguments(result)) = &outcome {
            let by_accept = result.joined_text().contains("/spelling");
            assert_eq!(by_accept, step == 10, "other spellings before the schema");
        }
        if let Outcome::Failed(CallError::RateLimited { retry_after }) = outcome {
            assert_eq!(
                retry_after,
                Duration::from_secs(step as u64),
                "request limiter before tool limiter"
            );
        }
    }
}

struct Replaces(ToolResult);

impl Sanitizer for Replaces {
    fn sanitize(&self, _: &CallContext, _: &CatalogueTool, _: ToolResult) -> ToolResult {
        self.0.clone()
    }
}

fn reason(outcome: Outcome) -> String {
    match outcome {
        Outcome::Failed(CallError::InvalidOutput(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_sanitizer_comes_before_the_output_schema_which_comes_before_the_limits() {
    let call = async |replacement: Option<&str>| {
        let (mut builder, _) = faulty(12);
        if let Some(text) = replacement {
            builder = builder.sanitizer(Arc::new(Replaces(ToolResult::structured(json(text)))));
        }
        builder.build().call(request("t", r#"{"a":1}"#)).await
    };
    assert!(
        reason(call(None).await).contains("schema"),
        "schema and limits broken"
    );
    assert!(
        reason(call(Some("7")).await).contains("schema"),
        "broken by the sanitizer"
    );
    assert!(
        reason(call(Some(r#""long""#)).await).contains("too large"),
        "the schema is met"
    );
}

#[tokio::test]
async fn a_mirror_makes_no_result_too_large() {
    let call = async |structured: &'static str, mirror: bool| {
        let tool = Tool::with_name("t")
            .json_object_arguments()
            .handler(move |_, _| async move { ToolResult::structured(json(structured)) })
            .mirror_structured_content(mirror)
            .build()
            .unwrap();
        let limits = OutputLimits {
            bytes: 10,
            ..OutputLimits::default()
        };
        builder(vec![tool])
            .output_limits(limits)
            .build()
            .call(request("t", "{}"))
            .await
    };
    assert_eq!(text(call("12345", true).await), "12345");
    assert_eq!(text(call("12345", false).await), "");
    assert_eq!(
        text(call("123456", true).await),
        "",
        "there is no room for it twice"
    );
    assert_eq!(text(call("1234567890", true).await), "");
    assert!(reason(call("12345678901", true).await).contains("too large"));
}
