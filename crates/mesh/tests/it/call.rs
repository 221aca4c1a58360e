//! Calls for one answer: arguments, errors, deadlines, cancellation, context, retries.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use tokio::sync::mpsc;
use toolmesh_mesh::{
    CallOptions, CallOptionsTyped, Codec, MemoryNetwork, Mesh, NRPC_TYPED_HANDLER_ERROR, NodeId, RpcError,
    TOOL_METADATA_FETCH_SERVICE, ToolDescriptor, ToolMetadataRequest, ToolMetadataResponse, metadata_for,
    wire::{NRPC_TYPED_BAD_REQUEST, Status},
};
use toolmesh_tool::{
    CallContext, CancellationToken,
    json::{Value, View, parse},
};

use crate::support::{Net, Text, described, echo, misses, node, over_engines, pair, sees, text, until};

fn status(error: &RpcError) -> u16 {
    match error {
        RpcError::ServerError { status, .. } => *status,
        other => panic!("another error: {other}"),
    }
}

#[derive(Debug, schemars::JsonSchema, serde::Deserialize)]
struct Numbers {
    text: String,
    numbers: Vec<i64>,
}

#[derive(Debug, schemars::JsonSchema, serde::Serialize)]
struct Sum {
    echo: String,
    sum: i64,
}

async fn the_shared_service_answers_as_it_does_in_every_language(net: Net) {
    let vectors = parse(include_bytes!("../../../../testdata/net/rpc_golden_vectors.json")).unwrap();
    let (host, agent) = net.pair().await;
    let service = vectors.get("service").unwrap().as_str().unwrap();
    let descriptor = metadata_for::<Numbers, Sum>(service).build();
    let _served = host
        .serve_tool::<Numbers, Sum, _, _>(descriptor, |asked| async move {
            Ok(Sum {
                sum: asked.numbers.iter().sum(),
                echo: asked.text,
            })
        })
        .unwrap();
    let cases = |name| vectors.get(name).unwrap().as_array().unwrap().iter();
    sees(&agent, &host).await;
    let ask = |case: View<'_>| {
        let request = case.get("request_json").unwrap().to_value();
        let agent = agent.clone();
        async move {
            agent
                .call_tool_value(service, &request, &CallOptions::new())
                .await
        }
    };
    let mut seen = 0;
    for case in cases("ok_cases") {
        let expected = case.get("expected_response_json").unwrap().to_value();
        assert_eq!(ask(case).await, Ok(expected));
        seen += 1;
    }
    for case in cases("error_cases") {
        let error = ask(case).await.unwrap_err();
        assert_eq!(
            Some(u64::from(status(&error))),
            case.get("expected_status").unwrap().as_u64()
        );
        assert_eq!(
            Some(error.kind()),
            case.get("expected_error_kind_prefix").unwrap().as_str()
        );
        seen += 1;
    }
    assert_eq!(seen, 9);
}

async fn the_handlers_error_comes_with_its_text_and_a_panic_does_not(net: Net) {
    let (host, agent) = net.pair().await;
    let serve = |id: &str, panics: bool| {
        host.serve_tool::<Text, Text, _, _>(described(id), move |said| async move {
            assert!(!panics, "secret");
            Err(format!("no {} today", said.text))
        })
        .unwrap()
    };
    let _served = (serve("refuse", false), serve("panic", true));
    sees(&agent, &host).await;
    let error = agent
        .call_tool::<_, Text>("refuse", &text("fish"))
        .await
        .unwrap_err();
    let expected = RpcError::ServerError {
        status: NRPC_TYPED_HANDLER_ERROR,
        message: "no fish today".into(),
        headers: Vec::new(),
    };
    assert_eq!(error, expected);
    let once = CallOptions::new().with_retry(toolmesh_mesh::RetryPolicy::never());
    let error = agent
        .call_tool_with::<_, Text>("panic", &text("x"), &once)
        .await
        .unwrap_err();
    assert_eq!(status(&error), 6);
    assert!(!error.to_string().contains("secret"), "{error}");
}

async fn arguments_that_do_not_fit_are_refused_before_the_handler_runs(net: Net) {
    let (host, agent) = net.pair().await;
    let _served = echo(&host, "echo", "1.0.0");
    sees(&agent, &host).await;
    let error = agent
        .call_tool::<_, Text>("echo", &["no object"])
        .await
        .unwrap_err();
    assert_eq!(status(&error), NRPC_TYPED_BAD_REQUEST);
    assert!(!error.to_string().contains("no object"), "{error}");
}

async fn a_node_calls_its_own_tools_too(net: Net) {
    let alone = net.node(1).await;
    let _served = echo(&alone, "echo", "1.0.0");
    let answer: Text = alone.call_tool("echo", &text("me")).await.unwrap();
    assert_eq!(answer, text("node-1: me"));
}

async fn the_handler_learns_who_calls_with_which_headers_until_when(net: Net) {
    let (host, agent) = net.pair().await;
    let _served = host
        .serve_tool_with::<Text, Vec<String>, _, _>(
            metadata_for::<Text, Vec<String>>("context").build(),
            |context, _| async move {
                let deadline = context.deadline().unwrap() - std::time::Instant::now();
                let trace = context
                    .headers()
                    .iter()
                    .map(|(name, value)| format!("{name}={value}"));
                let mut told = vec![
                    context.caller().identity.clone().unwrap(),
                    format!("{}", deadline <= Duration::from_secs(7)),
                    context.idempotency_key().to_owned(),
                ];
                told.extend(trace);
                Ok(told)
            },
        )
        .unwrap();
    let options = CallOptions::new()
        .with_deadline(Duration::from_secs(7))
        .with_idempotency_key("key")
        .with_header("traceparent", "00-x");
    sees(&agent, &host).await;
    let told: Vec<String> = agent
        .call_tool_with("context", &text(""), &options)
        .await
        .unwrap();
    assert_eq!(told, ["node-2", "true", "key", "traceparent=00-x"]);
    let wrong = CallOptions::new().with_header("Not Lower", "");
    let error = agent
        .call_tool_with::<_, Value>("context", &text(""), &wrong)
        .await;
    assert_eq!(error.unwrap_err().kind(), "codec_encode");
}

/// Serves a tool that never answers, and tells on the channel when a call begins and when it is cancelled.
pub(crate) fn serve_hanging(
    host: &Mesh,
) -> (
    toolmesh_mesh::ToolServeHandle,
    mpsc::UnboundedReceiver<&'static str>,
) {
    let (sender, told) = mpsc::unbounded_channel();
    let descriptor = ToolDescriptor {
        stateless: false,
        ..described("hang")
    };
    let handle = host
        .serve_tool_with::<Text, Text, _, _>(descriptor, move |context, _| {
            let sender = sender.clone();
            async move {
                sender.send("began").unwrap();
                let token = context.cancellation().clone();
                tokio::spawn(async move {
                    token.cancelled().await;
                    sender.send("cancelled").unwrap();
                });
                std::future::pending().await
            }
        })
        .unwrap();
    (handle, told)
}

async fn a_call_that_is_dropped_or_cancelled_is_cancelled_at_the_handler(net: Net) {
    let (host, agent) = net.pair().await;
    let (_served, mut told) = serve_hanging(&host);
    sees(&agent, &host).await;
    let call = tokio::spawn({
        let agent = agent.clone();
        async move { agent.call_tool::<_, Text>("hang", &text("")).await }
    });
    assert_eq!(told.recv().await, Some("began"));
    call.abort();
    assert_eq!(told.recv().await, Some("cancelled"));

    let token = CancellationToken::new();
    let options = CallOptions::new().with_cancellation(token.clone());
    let request = text("");
    let call = agent.call_tool_with::<_, Text>("hang", &request, &options);
    let cancel = async {
        assert_eq!(told.recv().await, Some("began"));
        token.cancel();
    };
    let (ended, ()) = tokio::join!(call, cancel);
    assert_eq!(ended, Err(RpcError::Cancelled));
    assert_eq!(told.recv().await, Some("cancelled"));
}

async fn a_deadline_ends_the_call_on_both_sides(net: Net) {
    let (host, agent) = net.pair().await;
    let (_served, mut told) = serve_hanging(&host);
    let options = CallOptions::new().with_deadline(Duration::from_millis(30));
    sees(&agent, &host).await;
    let error = agent
        .call_tool_with::<_, Text>("hang", &text(""), &options)
        .await
        .unwrap_err();
    assert!(matches!(error, RpcError::Timeout { elapsed_ms: 30.. }), "{error}");
    assert_eq!(
        (told.recv().await, told.recv().await),
        (Some("began"), Some("cancelled"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_without_a_deadline_has_the_default_one() {
    let (host, agent) = pair().await;
    let (_served, _told) = serve_hanging(&host);
    let error = agent.call_tool::<_, Text>("hang", &text("")).await.unwrap_err();
    assert_eq!(error.kind(), "timeout");
}

async fn a_host_that_leaves_ends_its_calls_with_a_typed_error(net: Net) {
    let (host, agent) = net.pair().await;
    let (_served, mut told) = serve_hanging(&host);
    let request = text("");
    sees(&agent, &host).await;
    let call = agent.call_tool::<_, Text>("hang", &request);
    let leave = async {
        assert_eq!(told.recv().await, Some("began"));
        host.shutdown();
    };
    let (ended, ()) = tokio::join!(call, leave);
    assert_eq!(ended.unwrap_err().kind(), "host_lost");
    misses(&agent, &host).await;
    assert_eq!(agent.list_tools(None), []);
}

/// Serves a tool that fails by a panic the first `failures` times, and tells the idempotency keys that it saw.
/// Calls a tool of two hosts, the first of which to be called leaves the mesh in the middle of the call: how that ended, and the
/// keys that the handlers saw.
async fn call_of_a_host_that_leaves(stateless: bool, hosts: u64) -> (Result<Text, RpcError>, Vec<String>) {
    let network = MemoryNetwork::new();
    let mut there = Vec::new();
    for number in 0..hosts {
        there.push(node(&network, 10 + number).await);
    }
    let agent = node(&network, 3).await;
    let (sender, mut keys) = mpsc::unbounded_channel();
    let calls = Arc::new(AtomicU32::new(0));
    let serve = |host: &Mesh| {
        let (leaving, sender, calls) = (host.clone(), sender.clone(), Arc::clone(&calls));
        let descriptor = ToolDescriptor {
            stateless,
            ..described("t")
        };
        let run = move |context: CallContext, said: Text| {
            sender.send(context.idempotency_key().to_owned()).unwrap();
            let (leaving, is_first) = (leaving.clone(), calls.fetch_add(1, Ordering::Relaxed) == 0);
            async move {
                if is_first {
                    leaving.shutdown();
                    std::future::pending::<()>().await;
                }
                Ok(said)
            }
        };
        host.serve_tool_with::<Text, Text, _, _>(descriptor, run).unwrap()
    };
    let _served: Vec<_> = there.iter().map(serve).collect();
    let ended = agent.call_tool::<_, Text>("t", &text("x")).await;
    (ended, std::iter::from_fn(|| keys.try_recv().ok()).collect())
}

#[tokio::test]
async fn only_a_stateless_tool_is_tried_again_and_with_the_same_key() {
    let (ended, keys) = call_of_a_host_that_leaves(true, 2).await;
    assert_eq!(ended, Ok(text("x")));
    assert!(
        keys.len() == 2 && keys[0].len() == 32 && keys[0] == keys[1],
        "{keys:?}"
    );
    let (ended, keys) = call_of_a_host_that_leaves(false, 2).await;
    assert!(matches!(ended, Err(RpcError::HostLost { .. })), "{ended:?}");
    assert_eq!(keys.len(), 1);
}

#[tokio::test]
async fn the_loss_of_the_only_host_is_told_and_not_that_nobody_is_there_now() {
    for stateless in [true, false] {
        let (ended, keys) = call_of_a_host_that_leaves(stateless, 1).await;
        assert!(matches!(ended, Err(RpcError::HostLost { .. })), "{ended:?}");
        assert_eq!(keys.len(), 1);
    }
}

async fn a_handler_that_has_answered_is_not_run_again(net: Net) {
    let (host, agent) = net.pair().await;
    let calls = Arc::new(AtomicU32::new(0));
    let serve = |id: &str, ends: fn() -> Result<Value, String>| {
        let calls = Arc::clone(&calls);
        let ending = move |_: Text| {
            calls.fetch_add(1, Ordering::Relaxed);
            async move { ends() }
        };
        host.serve_tool::<Text, Value, _, _>(described(id), ending)
            .unwrap()
    };
    let _served = [
        serve("misfit", || Ok(Value::object().put("text", 5).build())),
        serve("panic", || panic!("as told")),
        serve("no", || Err("not today".to_owned())),
    ];
    sees(&agent, &host).await;
    for (id, expected) in [
        ("misfit", Status::Internal.code()),
        ("panic", Status::Internal.code()),
        ("no", NRPC_TYPED_HANDLER_ERROR),
    ] {
        calls.store(0, Ordering::Relaxed);
        let error = agent.call_tool::<_, Text>(id, &text("x")).await.unwrap_err();
        assert_eq!(status(&error), expected, "{id}");
        assert_eq!(calls.load(Ordering::Relaxed), 1, "{id}");
    }
}

async fn the_whole_descriptor_is_fetched_from_a_host_by_its_number(net: Net) {
    let (host, agent) = net.pair().await;
    let _served = echo(&host, "echo", "2.1.0");
    sees(&agent, &host).await;
    let host_id = host.node_id();
    let fetch = |name: &str| {
        let (agent, request) = (agent.clone(), ToolMetadataRequest { name: name.into() });
        async move {
            let options = CallOptionsTyped {
                codec: Codec::Json,
                raw: Default::default(),
            };
            let answer: Result<ToolMetadataResponse, RpcError> = agent
                .call_typed(host_id, TOOL_METADATA_FETCH_SERVICE, &request, options)
                .await;
            answer.unwrap()
        }
    };
    match fetch("echo").await {
        ToolMetadataResponse::Found { descriptor } => {
            let expected = ToolDescriptor {
                version: "2.1.0".into(),
                ..described("echo")
            };
            assert_eq!(*descriptor, expected);
        }
        other => panic!("{other:?}"),
    }
    let name = "other".to_owned();
    assert_eq!(fetch("other").await, ToolMetadataResponse::NotFound { name });
    let nobody: Result<Value, RpcError> = agent
        .call_typed(NodeId::new(9), "echo", &text("x"), CallOptionsTyped::default())
        .await;
    assert!(
        matches!(nobody, Err(RpcError::NoRoute { target: 9, .. })),
        "{nobody:?}"
    );
}

async fn a_node_without_tools_finds_no_descriptor(net: Net) {
    let (host, agent) = net.pair().await;
    let fetch = || async {
        let request = ToolMetadataRequest { name: "echo".into() };
        let answer: Result<ToolMetadataResponse, RpcError> = agent
            .call_typed(
                host.node_id(),
                TOOL_METADATA_FETCH_SERVICE,
                &request,
                CallOptionsTyped::default(),
            )
            .await;
        answer.unwrap()
    };
    let missing = ToolMetadataResponse::NotFound { name: "echo".into() };
    assert_eq!(fetch().await, missing);
    let served = echo(&host, "echo", "1.0.0");
    assert!(matches!(fetch().await, ToolMetadataResponse::Found { .. }));
    drop(served);
    assert_eq!(fetch().await, missing);
}

async fn a_megabyte_goes_both_ways(net: Net) {
    let (host, agent) = net.pair().await;
    let _served = echo(&host, "echo", "1.0.0");
    let long = "x".repeat(1_000_000);
    sees(&agent, &host).await;
    let answer: Text = agent.call_tool("echo", &text(&long)).await.unwrap();
    assert_eq!(answer.text.len(), "node-1: ".len() + long.len());
}

async fn of_many_calls_by_many_callers_none_is_lost_or_mixed_up(net: Net) {
    let (host, agent) = net.pair().await;
    let _served = echo(&host, "echo", "1.0.0");
    let mut callers = tokio::task::JoinSet::new();
    sees(&agent, &host).await;
    for caller in 0..32 {
        let agent = agent.clone();
        callers.spawn(async move {
            for call in 0..100 {
                let said = format!("{caller}/{call}");
                let answer: Text = agent.call_tool("echo", &text(&said)).await.unwrap();
                assert_eq!(answer.text, format!("node-1: {said}"));
            }
        });
    }
    let ended: Vec<()> = callers.join_all().await;
    assert_eq!(ended.len(), 32);
}

async fn the_handle_of_a_tool_does_not_keep_its_node_in_the_mesh(net: Net) {
    let (host, agent) = net.pair().await;
    let served = echo(&host, "echo", "1.0.0");
    sees(&agent, &host).await;
    drop(host);
    until(&agent, "the tool is gone", || agent.list_tools(None).is_empty()).await;
    drop(served);
}

over_engines!(
    a_handler_that_has_answered_is_not_run_again,
    the_shared_service_answers_as_it_does_in_every_language,
    the_handlers_error_comes_with_its_text_and_a_panic_does_not,
    arguments_that_do_not_fit_are_refused_before_the_handler_runs,
    a_node_calls_its_own_tools_too,
    the_handler_learns_who_calls_with_which_headers_until_when,
    a_call_that_is_dropped_or_cancelled_is_cancelled_at_the_handler,
    a_deadline_ends_the_call_on_both_sides,
    a_host_that_leaves_ends_its_calls_with_a_typed_error,
    the_whole_descriptor_is_fetched_from_a_host_by_its_number,
    a_node_without_tools_finds_no_descriptor,
    a_megabyte_goes_both_ways,
    of_many_calls_by_many_callers_none_is_lost_or_mixed_up,
    the_handle_of_a_tool_does_not_keep_its_node_in_the_mesh
);
