//! Two faults at once: the earlier step answers.

use std::{sync::Arc, time::Duration};

use toolmesh_tool::{
    AdmissionRefusal, BoxFuture, CallContext, CallError, Caller, CatalogueTool, ClientCapability,
    FrontRefusal, Outcome, Tool, ToolAnnotations, ToolResult,
    dispatcher::{
        Admission, CallLimits, Confirmation, DispatcherBuilder, Interceptor, Limiter, Next, Operation,
        OutputLimits, Visibility,
    },
    schema::Profile,
};

use crate::support::{builder, code, json, request};

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
    if from_step <= 8 {
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
        "input_unavailable",
        "invalid_arguments",
    ];
    for (step, expected) in expected.into_iter().enumerate() {
        let (builder, front) = faulty(step);
        let mut call = request("t", "{}");
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
        if let Outcome::Failed(CallError::RateLimited { retry_after }) = outcome {
            assert_eq!(
                retry_after,
                Duration::from_secs(step as u64),
                "request limiter before tool limiter"
            );
        }
    }
}

#[tokio::test]
async fn the_output_schema_answers_before_the_output_limits() {
    let (builder, _) = faulty(10);
    match builder.build().call(request("t", r#"{"a":1}"#)).await {
        Outcome::Failed(CallError::InvalidOutput(reason)) => assert!(reason.contains("schema"), "{reason}"),
        other => panic!("{other:?}"),
    }
}
