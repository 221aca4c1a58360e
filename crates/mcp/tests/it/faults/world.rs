//! The tools and the policies of a server that a call can fail at.

use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::{sync::mpsc, task::JoinSet};
use toolmesh_json::Value;
use toolmesh_mcp::McpServer;
use toolmesh_tool::{
    AdmissionRefusal, CallContext, CallError, CallRequest, Caller, CatalogueTool, ClientCapability,
    HandlerError, Outcome, Tool, ToolBuilder, ToolResult, Transport,
    dispatcher::{Admission, Interceptor, Limiter, Next, Operation},
    schema::Profile,
};

use super::case::Work;

/// Refuses; strangers, who might be let in if they said who they are, or everybody.
pub(super) struct Refuses {
    pub(super) strangers: bool,
}

impl Admission for Refuses {
    fn admit<'a>(&'a self, _: &'a Caller, _: Operation<'a>) -> BoxFuture<'a, Result<(), AdmissionRefusal>> {
        Box::pin(async {
            Err(AdmissionRefusal {
                unauthenticated: self.strangers,
                reason: "secret".to_owned(),
            })
        })
    }
}

/// Refuses for so many seconds.
pub(super) struct Never(pub(super) u64);

impl Limiter for Never {
    fn acquire(&self, _: &Caller, _: &str) -> Result<(), Duration> {
        Err(Duration::from_secs(self.0))
    }
}

pub(super) struct Stops;

impl Interceptor for Stops {
    fn intercept<'a>(
        &'a self,
        _: &'a CallContext,
        tool: &'a CatalogueTool,
        next: Next<'a>,
    ) -> BoxFuture<'a, Outcome> {
        if tool.name().as_str() == HOLD {
            return Box::pin(next.run());
        }
        Box::pin(async { CallError::PolicyRefused("secret".to_owned()).into() })
    }
}

/// A tool with everything that a call of the revision can be checked for.
pub(super) fn tool(work: Work, modern: bool) -> Tool {
    let mirrored = if modern { r#","x-mcp-header":"Tenant""# } else { "" };
    let schema = format!(
        r#"{{"type":"object","properties":{{"tenant":{{"type":"string"{mirrored}}},"count":{{"type":"integer"}}}}}}"#
    );
    let schema = toolmesh_json::parse(schema.as_bytes()).expect("JSON");
    let tool = Tool::with_name("work")
        .input_schema(schema, Profile::Profile1)
        .handler(move |_: CallContext, _| async move { outcome(work).await });
    let needed = modern.then_some(ClientCapability::Sampling);
    let tool = needed.into_iter().fold(tool, ToolBuilder::require_capability);
    tool.build().expect("a sound tool")
}

async fn outcome(work: Work) -> Outcome {
    match work {
        Work::Done => ToolResult::text("done").into(),
        Work::Fails => Outcome::Failed(CallError::Handler(HandlerError::new("secret"))),
        Work::Panics => panic!("secret"),
        Work::LastsTooLong => std::future::pending().await,
        Work::GivesTooMuch => ToolResult::text("x".repeat(5 * 1024 * 1024)).into(),
        Work::GivesAnArray => {
            let array = toolmesh_json::parse(b"[1]").expect("JSON");
            ToolResult::structured(array).into()
        }
        Work::SaysNo => ToolResult::error_text("Not today.").into(),
        Work::IsCancelled => CallError::Cancelled.into(),
        Work::LacksItsState => CallError::StateUnavailable.into(),
        Work::AsksNobody => CallError::InputUnavailable.into(),
    }
}

/// The name of the tool that runs and never ends.
const HOLD: &str = "hold";

/// A tool that says when it runs, and never ends.
pub(super) fn hold(runs: mpsc::UnboundedSender<()>) -> Tool {
    let built = Tool::with_name(HOLD)
        .json_object_arguments()
        .handler(move |_: CallContext, _| {
            let _ = runs.send(());
            std::future::pending::<Outcome>()
        })
        .build();
    built.expect("a sound tool")
}

/// Has a call of [`hold`] run until this is dropped, or end at once where policies forbid it.
pub(super) async fn occupy(
    server: &McpServer,
    running: &mut mpsc::UnboundedReceiver<()>,
) -> JoinSet<Outcome> {
    let (dispatcher, caller) = (
        server.dispatcher().clone(),
        Caller::anonymous(Transport::InProcess),
    );
    let request = CallRequest::new(HOLD, Value::object().build(), caller);
    let mut calls = JoinSet::new();
    calls.spawn(async move { dispatcher.call(request).await });
    tokio::select! {
        _ = running.recv() => {}
        _ = calls.join_next() => {}
    }
    calls
}
