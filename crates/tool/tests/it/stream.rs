use futures_util::StreamExt;
use toolmesh_tool::{CallContext, CallItem, HandlerError, Outcome, Tool, ToolEvent, ToolResult, json::Value};

use crate::support::{builder, echo, json, request};

fn tool(
    name: &str,
    run: impl Fn(CallContext) -> futures_util::future::BoxFuture<'static, Outcome> + Send + Sync + 'static,
) -> Tool {
    Tool::with_name(name)
        .json_object_arguments()
        .handler(move |context, _| run(context))
        .build()
        .unwrap()
}

async fn events(tool: Tool) -> Vec<String> {
    let name = tool.name().to_string();
    let stream = builder(vec![tool]).build().stream(request(&name, "{}"));
    stream
        .into_events()
        .map(|event| event.to_value().to_text())
        .collect()
        .await
}

#[tokio::test]
async fn a_stream_tells_start_progress_and_deltas_and_ends_once() {
    let speaks = tool("speaks", |context| {
        Box::pin(async move {
            context.progress(50.0, Some("half".into())).await;
            context.delta("a").await;
            ToolResult::structured(json(r#"{"all":"a"}"#)).into()
        })
    });
    assert_eq!(
        events(speaks).await,
        [
            r#"{"type":"start","tool_id":"speaks"}"#,
            r#"{"type":"progress","pct":50.0,"message":"half"}"#,
            r#"{"type":"delta","data":"a"}"#,
            r#"{"type":"result","data":{"all":"a"}}"#,
        ]
    );
}

#[tokio::test]
async fn a_tool_that_says_no_and_one_that_fails_both_end_in_an_error_event() {
    let says_no = tool("no", |_| {
        Box::pin(async { ToolResult::error_text("not today").into() })
    });
    assert_eq!(
        events(says_no).await[1],
        r#"{"type":"error","code":"tool_error","message":"not today"}"#
    );
    let fails = tool("fails", |_| {
        Box::pin(async { Outcome::Failed(HandlerError::new("secret").into()) })
    });
    assert_eq!(
        events(fails).await[1],
        r#"{"type":"error","code":"handler_error","message":"The tool failed."}"#
    );
}

#[tokio::test]
async fn a_call_that_cannot_start_is_one_error_event() {
    let stream = builder(vec![echo()]).build().stream(request("other", "{}"));
    let events: Vec<ToolEvent> = stream.into_events().collect().await;
    assert!(matches!(&events[..], [ToolEvent::Error { code, .. }] if code == "unknown_tool"));
}

#[tokio::test]
async fn more_events_than_the_queue_holds_are_all_read_in_order() {
    let counts = tool("counts", |context| {
        Box::pin(async move {
            for n in 0..2_000 {
                context.delta(n).await;
            }
            ToolResult::text("done").into()
        })
    });
    let mut stream = builder(vec![counts]).build().stream(request("counts", "{}"));
    let mut seen = Vec::new();
    while let Some(CallItem::Event(event)) = stream.next().await {
        if let ToolEvent::Delta { data } = event {
            seen.push(data);
        }
    }
    assert_eq!(seen, (0..2_000).map(Value::from).collect::<Vec<_>>());
    assert!(stream.next().await.is_none(), "the end is read once");
}

#[tokio::test]
async fn dropping_a_stream_cancels_its_call() {
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
    let waits = tool("waits", move |context| {
        sender.send(context.cancellation().clone()).unwrap();
        Box::pin(std::future::pending())
    });
    let mut stream = builder(vec![waits]).build().stream(request("waits", "{}"));
    assert!(matches!(
        stream.next().await,
        Some(CallItem::Event(ToolEvent::Start { .. }))
    ));
    let token = receiver.recv().await.unwrap();
    assert!(!token.is_cancelled());
    drop(stream);
    assert!(token.is_cancelled());
}
