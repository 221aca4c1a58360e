//! Calls whose events are read while they run.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use futures_util::{StreamExt, stream};
use tokio::sync::mpsc;
use toolmesh_mesh::{
    CREDIT_BYTES, CallOptions, DEFAULT_STREAM_DEADLINE, DEFAULT_STREAM_WINDOW, MISSING_TERMINAL,
    MISSING_TERMINAL_MESSAGE, Mesh, RpcError, RpcStreamTyped, ToolDescriptor, ToolEvent, ToolServeHandle,
};
use toolmesh_tool::{CancellationToken, json::Value};

use crate::support::{Net, Text, described, echo, over_engines, pair, sees, text, until};

fn delta(number: u32) -> ToolEvent {
    ToolEvent::Delta {
        data: Value::from(number),
    }
}

fn result() -> ToolEvent {
    ToolEvent::Result {
        data: Value::object().put("results", Value::array().push("hit")).build(),
    }
}

fn error(code: &str, message: &str) -> ToolEvent {
    ToolEvent::Error {
        code: code.into(),
        message: message.into(),
        details: None,
    }
}

fn start(tool_id: &str, call_id: Option<u64>) -> ToolEvent {
    ToolEvent::Start {
        tool_id: tool_id.into(),
        call_id,
        metadata: None,
    }
}

/// A tool that promises nothing about its result.
fn streamed(tool_id: &str) -> ToolDescriptor {
    ToolDescriptor {
        output_schema: None,
        ..described(tool_id)
    }
}

/// Serves a tool that streams these events.
fn serve(host: &Mesh, tool_id: &str, events: Vec<ToolEvent>) -> ToolServeHandle {
    host.serve_tool_streaming::<Text, _, _, _>(streamed(tool_id), move |_| {
        let events = events.clone();
        async move { stream::iter(events) }
    })
    .unwrap()
}

async fn open(agent: &Mesh, tool_id: &str) -> RpcStreamTyped<ToolEvent> {
    agent.call_tool_streaming(tool_id, &text("x")).await.unwrap()
}

async fn events(agent: &Mesh, tool_id: &str) -> Vec<ToolEvent> {
    let stream = open(agent, tool_id).await;
    stream.map(Result::unwrap).collect().await
}

async fn the_events_of_the_seed_arrive_as_the_handler_made_them(net: Net) {
    let (host, agent) = net.pair().await;
    let made = vec![
        ToolEvent::Start {
            tool_id: "web_search".into(),
            call_id: Some(7),
            metadata: Some(Value::object().put("model", "m").build()),
        },
        ToolEvent::Progress {
            pct: Some(50.0),
            message: Some("indexing".into()),
        },
        ToolEvent::Delta {
            data: Value::object().put("token", "result ").build(),
        },
        result(),
    ];
    let _served = serve(&host, "web_search", made.clone());
    sees(&agent, &host).await;
    assert_eq!(events(&agent, "web_search").await, made);
    assert!(agent.list_tools(None)[0].streaming);
}

async fn a_stream_begins_with_a_start_and_stops_at_the_first_terminal_event(net: Net) {
    let (host, agent) = net.pair().await;
    let pulled = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&pulled);
    let _served = host
        .serve_tool_streaming::<Text, _, _, _>(streamed("two_ends"), move |_| {
            let counted = Arc::clone(&counted);
            let all = stream::iter(vec![delta(1), result(), delta(2), result()]);
            async move {
                all.inspect(move |_| {
                    counted.fetch_add(1, Ordering::Relaxed);
                })
            }
        })
        .unwrap();
    sees(&agent, &host).await;
    let mut seen = events(&agent, "two_ends").await;
    assert!(matches!(
        seen.remove(0),
        ToolEvent::Start { call_id: Some(_), .. }
    ));
    assert_eq!(seen, [delta(1), result()]);
    assert_eq!(pulled.load(Ordering::Relaxed), 2);
}

async fn a_stream_that_ends_without_a_terminal_event_gets_the_shared_one(net: Net) {
    let (host, agent) = net.pair().await;
    let _served = serve(&host, "endless", vec![start("endless", None), delta(1)]);
    sees(&agent, &host).await;
    let seen = events(&agent, "endless").await;
    assert_eq!(
        seen.last(),
        Some(&error(MISSING_TERMINAL, MISSING_TERMINAL_MESSAGE))
    );
    assert_eq!(seen.len(), 3);
}

async fn a_handler_that_panics_gives_one_error_event_and_tells_nothing(net: Net) {
    let (host, agent) = net.pair().await;
    let _served = host
        .serve_tool_streaming::<Text, _, _, _>(streamed("panics"), |_| async {
            stream::iter(1..).map(|number: u32| {
                assert!(number < 2, "secret");
                delta(number)
            })
        })
        .unwrap();
    sees(&agent, &host).await;
    let seen = events(&agent, "panics").await;
    assert_eq!(seen[1..], [delta(1), error("internal", "The tool failed.")]);
}

#[tokio::test(start_paused = true)]
async fn a_stream_without_a_deadline_has_the_default_one() {
    let (host, agent) = pair().await;
    let _served = host
        .serve_tool_streaming::<Text, _, _, _>(streamed("silent"), |_| async {
            stream::pending::<ToolEvent>()
        })
        .unwrap();
    let began = tokio::time::Instant::now();
    let seen = events(&agent, "silent").await;
    assert_eq!(
        seen.last(),
        Some(&error("deadline_exceeded", "The deadline passed."))
    );
    assert!(
        began.elapsed() >= DEFAULT_STREAM_DEADLINE,
        "{:?}",
        began.elapsed()
    );
}

async fn a_host_that_leaves_in_the_middle_gives_one_error_event(net: Net) {
    let (host, agent) = net.pair().await;
    let _served = host
        .serve_tool_streaming::<Text, _, _, _>(streamed("half"), |_| async {
            stream::iter(vec![start("half", None), delta(1)]).chain(stream::pending())
        })
        .unwrap();
    sees(&agent, &host).await;
    let mut stream = open(&agent, "half").await;
    assert!(matches!(stream.next().await, Some(Ok(ToolEvent::Start { .. }))));
    assert_eq!(stream.next().await, Some(Ok(delta(1))));
    host.shutdown();
    let lost = RpcError::HostLost {
        target: host.node_id().number(),
        answering: true,
    };
    let expected = error("host_lost", &lost.to_string());
    assert_eq!(stream.next().await, Some(Ok(expected)));
    assert_eq!(stream.next().await, None);
}

async fn the_handlers_own_error_keeps_its_code_and_details(net: Net) {
    let (host, agent) = net.pair().await;
    let failed = ToolEvent::Error {
        code: "upstream_timeout".into(),
        message: "the upstream API timed out".into(),
        details: Some(Value::object().put("after_ms", 30).build()),
    };
    let _served = serve(&host, "fails", vec![failed.clone()]);
    sees(&agent, &host).await;
    let seen = events(&agent, "fails").await;
    assert_eq!(seen[1..], [failed]);
    let unary = agent
        .call_tool::<_, Value>("fails", &text("x"))
        .await
        .unwrap_err();
    let RpcError::ServerError {
        status,
        message,
        headers,
    } = unary
    else {
        panic!("{unary}");
    };
    assert_eq!((status, message.as_str()), (0x8001, "the upstream API timed out"));
    assert_eq!(
        headers,
        [("toolmesh-error-code".into(), "upstream_timeout".into())]
    );
}

async fn a_result_that_breaks_the_published_schema_is_an_error(net: Net) {
    let (host, agent) = net.pair().await;
    let _served = host
        .serve_tool_streaming::<Text, _, _, _>(described("breaks"), |_| async { stream::iter([result()]) })
        .unwrap();
    sees(&agent, &host).await;
    let seen = events(&agent, "breaks").await;
    assert_eq!(seen[1..], [error("invalid_output", "The tool failed.")]);
}

async fn a_tool_that_answers_once_is_a_stream_of_a_start_and_a_result(net: Net) {
    let (host, agent) = net.pair().await;
    let _served = echo(&host, "echo", "1.0.0");
    sees(&agent, &host).await;
    let seen = events(&agent, "echo").await;
    assert!(matches!(&seen[0], ToolEvent::Start { tool_id, .. } if tool_id == "echo"));
    let data = Value::object().put("text", "node-1: x").build();
    assert_eq!(seen[1..], [ToolEvent::Result { data }]);
}

async fn a_handler_reports_progress_through_its_context(net: Net) {
    let (host, agent) = net.pair().await;
    let _served = host
        .serve_tool_with::<Text, Text, _, _>(described("slow"), |context, said| async move {
            context.progress(50.0, Some("half".into())).await;
            Ok(said)
        })
        .unwrap();
    sees(&agent, &host).await;
    let seen = events(&agent, "slow").await;
    let half = ToolEvent::Progress {
        pct: Some(50.0),
        message: Some("half".into()),
    };
    assert_eq!(seen[1], half);
    assert_eq!(
        agent.call_tool::<_, Text>("slow", &text("y")).await,
        Ok(text("y"))
    );
}

#[tokio::test]
async fn what_is_refused_before_it_begins_is_the_first_and_only_item() {
    let (host, agent) = pair().await;
    let handle = echo(&host, "echo", "1.0.0");
    let options = CallOptions::new();
    let stream = agent
        .call_tool_streaming_with("other", &text("x"), &options)
        .await;
    assert_eq!(stream.unwrap_err().kind(), "no_route");
    // The tool goes between the choice of the host and the host's look at the call.
    let stream = open(&agent, "echo").await;
    drop(handle);
    let seen: Vec<_> = stream.collect().await;
    let [Err(RpcError::ServerError { status: 1, .. })] = seen.as_slice() else {
        panic!("{seen:?}");
    };
}

/// Serves a tool that streams numbers for ever and tells how many it made, and one that is cancelled.
fn serve_counting(host: &Mesh) -> (ToolServeHandle, Arc<AtomicU32>, mpsc::UnboundedReceiver<()>) {
    let made = Arc::new(AtomicU32::new(0));
    let (sender, cancelled) = mpsc::unbounded_channel();
    let counter = Arc::clone(&made);
    let handle = host
        .serve_tool_streaming_with::<Text, _, _, _>(streamed("count"), move |context, _| {
            let (counter, sender) = (Arc::clone(&counter), sender.clone());
            let token = context.cancellation().clone();
            tokio::spawn(async move {
                token.cancelled().await;
                let _ = sender.send(());
            });
            async move { stream::repeat_with(move || delta(counter.fetch_add(1, Ordering::Relaxed))) }
        })
        .unwrap();
    (handle, made, cancelled)
}

async fn a_reader_that_takes_nothing_holds_its_handler_and_nobody_else(net: Net) {
    let (host, agent) = net.pair().await;
    let (_counting, made, mut cancelled) = serve_counting(&host);
    let _echo = echo(&host, "echo", "1.0.0");
    sees(&agent, &host).await;
    let stalled = open(&agent, "count").await;
    for call in 0..500 {
        let said = text(&call.to_string());
        let answer: Text = agent.call_tool("echo", &said).await.unwrap();
        assert_eq!(answer.text, format!("node-1: {call}"));
    }
    // What the dispatcher queues (256), the window, and the few in between.
    let bound = 256 + DEFAULT_STREAM_WINDOW + 8;
    let so_far = made.load(Ordering::Relaxed);
    assert!(so_far <= bound, "{so_far} were made");
    drop(stalled);
    assert_eq!(cancelled.recv().await, Some(()));
}

async fn large_events_use_up_more_of_a_window_than_small_ones(net: Net) {
    const EVENT_BYTES: usize = 64 * 1024;
    let (host, agent) = net.pair().await;
    let made = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&made);
    let _served = host
        .serve_tool_streaming::<Text, _, _, _>(streamed("large"), move |_| {
            let counter = Arc::clone(&counter);
            let large = "x".repeat(EVENT_BYTES);
            async move {
                stream::repeat_with(move || {
                    counter.fetch_add(1, Ordering::Relaxed);
                    ToolEvent::Delta {
                        data: Value::from(large.as_str()),
                    }
                })
            }
        })
        .unwrap();
    let _echo = echo(&host, "echo", "1.0.0");
    sees(&agent, &host).await;
    let stalled = open(&agent, "large").await;
    // What the dispatcher queues (256), and what the window pays for: each event and its frame begin one 16 KiB more than the
    // text alone has.
    let paid = DEFAULT_STREAM_WINDOW / u32::try_from(EVENT_BYTES / CREDIT_BYTES + 1).unwrap();
    until(&agent, "the handler has filled the queue", || {
        made.load(Ordering::Relaxed) >= 256
    })
    .await;
    for _ in 0..200 {
        let _: Text = agent.call_tool("echo", &text("x")).await.unwrap();
    }
    let so_far = made.load(Ordering::Relaxed);
    assert!(so_far <= 256 + paid + 8, "{so_far} were made");
    drop(stalled);
}

async fn a_reader_gets_every_event_in_order_however_small_its_window(net: Net) {
    let (host, agent) = net.pair().await;
    let (_counting, _made, mut cancelled) = serve_counting(&host);
    sees(&agent, &host).await;
    for window in [1, 2, 7] {
        let options = CallOptions::new().with_stream_window(window);
        let mut stream = agent
            .call_tool_streaming_with("count", &text("x"), &options)
            .await
            .unwrap();
        assert!(matches!(stream.next().await, Some(Ok(ToolEvent::Start { .. }))));
        let mut last = None;
        for _ in 0..300 {
            let Some(Ok(ToolEvent::Delta { data })) = stream.next().await else {
                panic!("no delta");
            };
            let number = data.as_u64().unwrap();
            assert!(
                last.is_none_or(|last| number == last + 1),
                "{number} after {last:?}"
            );
            last = Some(number);
        }
        drop(stream);
        assert_eq!(cancelled.recv().await, Some(()));
    }
}

async fn a_stream_is_cancelled_by_a_token_and_ends_at_its_deadline(net: Net) {
    let (host, agent) = net.pair().await;
    let _served = host
        .serve_tool_streaming::<Text, _, _, _>(streamed("silent"), |_| async {
            stream::pending::<ToolEvent>()
        })
        .unwrap();
    let token = CancellationToken::new();
    let options = CallOptions::new().with_cancellation(token.clone());
    sees(&agent, &host).await;
    let stream = agent
        .call_tool_streaming_with("silent", &text("x"), &options)
        .await
        .unwrap();
    token.cancel();
    let seen: Vec<_> = stream.collect().await;
    assert_eq!(seen, [Ok(error("cancelled", "The call was cancelled."))]);

    let options = CallOptions::new().with_deadline(Duration::from_millis(30));
    let stream = agent
        .call_tool_streaming_with("silent", &text("x"), &options)
        .await
        .unwrap();
    let seen: Vec<_> = stream.map(Result::unwrap).collect().await;
    assert_eq!(
        seen.last(),
        Some(&error("deadline_exceeded", "The deadline passed."))
    );
    assert_eq!(seen.iter().filter(|event| event.is_terminal()).count(), 1);
}

async fn twenty_thousand_events_arrive_complete_and_in_order(net: Net) {
    let (host, agent) = net.pair().await;
    let _served = host
        .serve_tool_streaming::<Text, _, _, _>(streamed("many"), |_| async {
            stream::iter((0..20_000).map(delta)).chain(stream::iter([result()]))
        })
        .unwrap();
    sees(&agent, &host).await;
    let seen = events(&agent, "many").await;
    assert_eq!(seen.len(), 20_002);
    assert!(
        seen[1..20_001]
            .iter()
            .zip(0..)
            .all(|(event, number)| *event == delta(number))
    );
}

over_engines!(
    the_events_of_the_seed_arrive_as_the_handler_made_them,
    a_stream_begins_with_a_start_and_stops_at_the_first_terminal_event,
    a_stream_that_ends_without_a_terminal_event_gets_the_shared_one,
    a_handler_that_panics_gives_one_error_event_and_tells_nothing,
    a_host_that_leaves_in_the_middle_gives_one_error_event,
    the_handlers_own_error_keeps_its_code_and_details,
    a_result_that_breaks_the_published_schema_is_an_error,
    a_tool_that_answers_once_is_a_stream_of_a_start_and_a_result,
    a_handler_reports_progress_through_its_context,
    a_reader_that_takes_nothing_holds_its_handler_and_nobody_else,
    large_events_use_up_more_of_a_window_than_small_ones,
    a_reader_gets_every_event_in_order_however_small_its_window,
    a_stream_is_cancelled_by_a_token_and_ends_at_its_deadline,
    twenty_thousand_events_arrive_complete_and_in_order
);
