//! Every policy at once: which one answers, for whom.

use std::sync::Arc;

use toolmesh_tool::{
    AdmissionRefusal, BoxFuture, CallContext, CallError, CallRequest, Caller, CatalogueTool,
    ClientCapabilities, ContentBlock, Dispatcher, FrontInfo, Outcome, TextContent, Tool, ToolAnnotations,
    ToolResult, Transport,
    dispatcher::{
        Admission, Confirmation, Interceptor, LimitBy, Next, Operation, Rate, RateLimiter, Sanitizer,
        Visibility,
    },
};

use crate::support::{builder, code, json};

/// Admits everybody but `stranger`, and `reader` only to lists and reading tools.
struct Guests;

impl Admission for Guests {
    fn admit<'a>(
        &'a self,
        caller: &'a Caller,
        operation: Operation<'a>,
    ) -> BoxFuture<'a, Result<(), AdmissionRefusal>> {
        let refused = match (caller.identity.as_deref(), operation) {
            (Some("stranger") | None, _) => true,
            (Some("reader"), Operation::CallTool(name)) => !name.starts_with("read"),
            _ => false,
        };
        Box::pin(async move {
            match refused {
                false => Ok(()),
                true => Err(AdmissionRefusal {
                    unauthenticated: false,
                    reason: "not on the list".into(),
                }),
            }
        })
    }
}

/// Shows `admin_` tools to `admin` alone.
struct Doors;

impl Visibility for Doors {
    fn tool(&self, caller: &Caller, tool: &CatalogueTool) -> bool {
        !tool.name().as_str().starts_with("admin_") || caller.identity.as_deref() == Some("admin")
    }
}

/// Refuses what is called with `{"evil":..}`.
struct Watchman;

impl Interceptor for Watchman {
    fn intercept<'a>(
        &'a self,
        context: &'a CallContext,
        _: &'a CatalogueTool,
        next: Next<'a>,
    ) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            if context.raw_arguments().get("evil").is_some() {
                return CallError::PolicyRefused("evil".into()).into();
            }
            next.run().await
        })
    }
}

/// Strikes out secrets.
struct Censor;

impl Sanitizer for Censor {
    fn sanitize(&self, _: &CallContext, _: &CatalogueTool, result: ToolResult) -> ToolResult {
        let text = result.joined_text().replace("secret", "***");
        ToolResult {
            content: vec![ContentBlock::Text(TextContent::new(text))],
            ..result
        }
    }
}

fn tool(name: &str, annotations: ToolAnnotations) -> Tool {
    Tool::with_name(name)
        .json_object_arguments()
        .handler(|_, _| async { ToolResult::text("a secret") })
        .annotations(annotations)
        .build()
        .unwrap()
}

fn everything() -> Dispatcher {
    let tools = vec![
        tool("read", ToolAnnotations::read_only()),
        tool("write", ToolAnnotations::default()),
        tool("admin_reset", ToolAnnotations::default()),
    ];
    builder(tools)
        .admission(Arc::new(Guests))
        .visibility(Arc::new(Doors))
        .request_limiter(Arc::new(RateLimiter::new(Rate::per_minute(5), LimitBy::Caller)))
        .tool_limiter(Arc::new(RateLimiter::new(
            Rate::per_minute(3),
            LimitBy::CallerAndTool,
        )))
        .interceptor(Arc::new(Watchman))
        .confirmation(Confirmation::Destructive)
        .sanitizer(Arc::new(Censor))
        .build()
}

fn call(who: &str, tool: &str, arguments: &str) -> CallRequest {
    let caller = match who {
        "" => Caller::anonymous(Transport::Http),
        who => Caller::authenticated(who, Transport::Http),
    };
    let capabilities = ClientCapabilities {
        elicitation_form: who != "user without forms",
        ..ClientCapabilities::default()
    };
    CallRequest::new(tool, json(arguments), caller).front(FrontInfo {
        capabilities,
        ..FrontInfo::default()
    })
}

fn answer(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Completed(result) => result.joined_text(),
        Outcome::InputRequired(_) => "asked".into(),
        failed => code(failed).into(),
    }
}

#[tokio::test(start_paused = true)]
async fn policies_compose_and_each_answers_in_its_turn() {
    let dispatcher = everything();
    for (who, tool, arguments, expected) in [
        ("", "read", "{}", "admission_refused"),
        ("stranger", "read", "{}", "admission_refused"),
        ("stranger", "none", "{}", "admission_refused"),
        ("reader", "read", "{}", "a ***"),
        ("reader", "write", "{}", "admission_refused"),
        ("reader", "admin_reset", "{}", "admission_refused"),
        ("user", "none", "{}", "unknown_tool"),
        ("user", "admin_reset", "{}", "unknown_tool"),
        ("admin", "admin_reset", "{}", "asked"),
        ("user", "write", "{}", "asked"),
        ("user without forms", "write", "{}", "input_unavailable"),
        ("user", "write", r#"{"evil":1}"#, "policy_refused"),
        ("user", "read", "{}", "a ***"),
        ("user", "read", r#"{"evil":1}"#, "policy_refused"),
        ("user", "read", "{}", "a ***"),
        // The sixth question of this caller that reached a limiter within a minute: unknown tools took no token.
        ("user", "read", "{}", "rate_limited"),
        ("admin", "read", "{}", "a ***"),
        ("admin", "read", "{}", "a ***"),
        ("admin", "read", "{}", "a ***"),
        // Its fourth of this tool; and that took the fifth and last token of the caller.
        ("admin", "read", "{}", "rate_limited"),
        ("admin", "write", "{}", "rate_limited"),
    ] {
        let outcome = dispatcher.call(call(who, tool, arguments)).await;
        assert_eq!(answer(&outcome), expected, "{who} {tool} {arguments}");
    }
}

#[tokio::test(start_paused = true)]
async fn lists_pass_admission_limiter_and_visibility() {
    let dispatcher = everything();
    let list = async |who: &str| {
        let caller = Caller::authenticated(who, Transport::Http);
        let listed = dispatcher.list(&caller, Operation::ListTools, None).await;
        match listed {
            Ok(listed) => listed
                .tools()
                .map(|tool| tool.name().to_string())
                .collect::<Vec<_>>()
                .join(" "),
            Err(error) => error.code().to_owned(),
        }
    };
    assert_eq!(list("stranger").await, "admission_refused");
    assert_eq!(list("user").await, "read write");
    assert_eq!(list("admin").await, "read write admin_reset");
    for _ in 0..4 {
        list("user").await;
    }
    assert_eq!(list("user").await, "rate_limited");
}

#[tokio::test]
async fn a_tool_that_names_a_limiter_is_counted_by_that_one_alone() {
    let tool = |name: &str, limiter: Option<&str>| {
        let built = Tool::with_name(name)
            .json_object_arguments()
            .handler(|_, _| async { ToolResult::text("ok") });
        match limiter {
            None => built,
            Some(limiter) => built.limiter(limiter),
        }
        .build()
        .unwrap()
    };
    let tools = vec![
        tool("own", Some("slow")),
        tool("common", None),
        tool("lost", Some("none")),
    ];
    let once = || Arc::new(RateLimiter::new(Rate::per_minute(1), LimitBy::Server));
    let dispatcher = builder(tools)
        .tool_limiter(once())
        .named_limiter("slow", once())
        .build();
    for (name, expected) in [
        ("own", "ok"),
        ("common", "ok"),
        ("own", "rate_limited"),
        ("common", "rate_limited"),
        ("lost", "internal"),
    ] {
        assert_eq!(
            answer(&dispatcher.call(call("user", name, "{}")).await),
            expected,
            "{name}"
        );
    }
}
