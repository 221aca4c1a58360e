//! Calls through handlers that run elsewhere.

use std::sync::mpsc;

use toolmesh_embed::{CallOptions, CancellationToken, FaultKind, HandlerFailure};

use crate::support::{call, call_with, events, node, serve, start, wait};

const ECHO: &str = r#"{"name":"echo","input_schema":{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}},
    "output_schema":{"type":"object","required":["n"]}}"#;

#[test]
fn a_result_comes_from_another_thread_and_no_digit_is_lost() {
    let node = node();
    let _served = serve(&node, ECHO, |call| wait(call.finish(call.arguments())).unwrap()).unwrap();
    let exact = r#"{"n":123456789012345678901234567890}"#;
    assert_eq!(call(&node, "echo", exact).unwrap(), exact);
}

#[test]
fn arguments_and_results_that_do_not_fit_are_typed_faults() {
    let node = node();
    let _served = serve(&node, ECHO, |call| wait(call.finish("[]")).unwrap()).unwrap();
    let refused = call(&node, "echo", r#"{"n":"x"}"#).unwrap_err();
    assert_eq!(refused.kind, FaultKind::InvalidArguments);
    assert_eq!(
        refused.message,
        "Arguments do not match the tool's inputSchema.\n/n: expected an integer"
    );
    let streaming = ECHO.replace(r#""name":"echo""#, r#""name":"streams","streaming":true"#);
    let _streaming = serve(&node, &streaming, |_| {}).unwrap();
    let told = events(&node, "streams", r#"{"n":"x"}"#).unwrap();
    assert!(
        told.last()
            .unwrap()
            .contains(r"inputSchema.\n/n: expected an integer"),
        "{told:?}"
    );
    let broken = call(&node, "echo", r#"{"n":1}"#).unwrap_err();
    assert_eq!(broken.kind, FaultKind::Server, "{broken}");
    let no_json = call(&node, "echo", "{").unwrap_err();
    assert_eq!(no_json.kind, FaultKind::Json);
    assert_eq!(call(&node, "nobody", "{}").unwrap_err().kind, FaultKind::NoRoute);
}

#[test]
fn one_text_may_be_most_of_a_result() {
    let node = node();
    let long = format!(r#"{{"n":"{}"}}"#, "x".repeat(3 << 20));
    let told = long.clone();
    let _served = serve(&node, r#"{"name":"long"}"#, move |call| {
        wait(call.finish(&told)).unwrap();
    })
    .unwrap();
    assert!(call(&node, "long", "{}").unwrap() == long);
}

#[test]
fn an_option_that_does_not_fit_is_named() {
    for (options, name) in [
        (r#"{"version":"^1","deadline_ms":"5"}"#, "`deadline_ms`"),
        (r#"{"headers":{"a":1}}"#, "`headers`"),
        (r#"{"nobody":1}"#, "nobody"),
    ] {
        let refused = CallOptions::from_json(options).unwrap_err();
        assert_eq!(refused.kind, FaultKind::Invalid);
        assert!(refused.message.contains(name), "{refused}");
    }
}

#[test]
fn a_failure_is_the_handlers_own_text() {
    let node = node();
    let _served = serve(&node, r#"{"name":"no"}"#, |call| {
        wait(call.fail(HandlerFailure::text("no such city"))).unwrap();
    })
    .unwrap();
    let failed = call(&node, "no", "{}").unwrap_err();
    assert_eq!(
        (failed.kind, failed.message.as_str()),
        (FaultKind::ToolFailed, "no such city")
    );
}

#[test]
fn a_handler_that_lets_its_call_go_fails_it_once() {
    let node = node();
    let _unary = serve(&node, r#"{"name":"gone"}"#, |_| {}).unwrap();
    assert_eq!(call(&node, "gone", "{}").unwrap_err().kind, FaultKind::ToolFailed);
    let _streaming = serve(&node, r#"{"name":"gone_stream","streaming":true}"#, |_| {}).unwrap();
    let told = events(&node, "gone_stream", "{}").unwrap();
    assert_eq!(told.len(), 2, "the start, and the failure: {told:?}");
    assert!(told[1].contains("missing_terminal"), "{told:?}");
}

#[test]
fn a_stream_carries_every_event_in_order_and_ends_once() {
    let node = node();
    let _served = serve(&node, r#"{"name":"count","streaming":true}"#, |call| {
        wait(async {
            for n in 0..100 {
                call.event(&format!(r#"{{"type":"delta","data":{n}}}"#))
                    .await
                    .unwrap();
            }
            call.finish(r#"{"done":true}"#).await.unwrap();
            let late = call.event(r#"{"type":"delta","data":0}"#).await.unwrap_err();
            assert_eq!(late.kind, FaultKind::Closed);
            assert_eq!(call.finish("1").await.unwrap_err().kind, FaultKind::Closed);
        });
    })
    .unwrap();
    let told = events(&node, "count", "{}").unwrap();
    assert!(
        told[0].starts_with(r#"{"type":"start","tool_id":"count""#),
        "{}",
        told[0]
    );
    let expected: Vec<String> = (0..100)
        .map(|n| format!(r#"{{"type":"delta","data":{n}}}"#))
        .chain([r#"{"type":"result","data":{"done":true}}"#.to_owned()])
        .collect();
    assert_eq!(told[1..], expected);
}

#[test]
fn a_cancelled_call_is_seen_by_its_handler_and_told_to_its_caller() {
    let node = node();
    let (seen, told) = mpsc::channel();
    let (began, begun) = mpsc::channel();
    let _served = serve(&node, r#"{"name":"wait"}"#, move |call| {
        let (sender, cancelled) = mpsc::channel();
        let _watch = call.on_cancel(move || sender.send(()).unwrap()).unwrap();
        began.send(()).unwrap();
        cancelled.recv().unwrap();
        assert!(call.is_cancelled());
        seen.send(()).unwrap();
    })
    .unwrap();
    let token = CancellationToken::new();
    let options = CallOptions::default();
    let ended = wait(async {
        let calling = node.call("wait", "{}", &options, token.clone());
        let cancelling = async {
            tokio::task::spawn_blocking(move || begun.recv())
                .await
                .unwrap()
                .unwrap();
            token.cancel();
        };
        tokio::join!(calling, cancelling).0
    });
    assert_eq!(ended.unwrap_err().kind, FaultKind::Cancelled);
    told.recv().unwrap();
}

#[test]
fn options_reach_the_handler_and_deadlines_end_calls() {
    let node = node();
    let _served = serve(&node, r#"{"name":"told"}"#, |call| {
        let headers = call
            .headers()
            .iter()
            .any(|(name, value)| name == "x-shard" && value == "7");
        let deadline = call.deadline_ms().unwrap();
        assert!(deadline <= 5_000, "{deadline}");
        let text = format!(
            r#"{{"header":{headers},"key":"{}","caller":{}}}"#,
            call.idempotency_key(),
            call.caller()
        );
        wait(call.finish(&text)).unwrap();
    })
    .unwrap();
    let options = r#"{"deadline_ms":5000,"headers":{"x-shard":"7"},"idempotency_key":"k1","version":"^1","routing":"sticky","sticky_key":3}"#;
    let told = call_with(&node, "told", "{}", options).unwrap();
    assert!(
        told.starts_with(r#"{"header":true,"key":"k1","caller":{"identity":"#),
        "{told}"
    );
    assert!(told.contains(r#""transport":"mesh""#), "{told}");

    let _never = serve(&node, r#"{"name":"never"}"#, |call| wait(call.cancelled())).unwrap();
    let late = call_with(&node, "never", "{}", r#"{"deadline_ms":20}"#).unwrap_err();
    assert_eq!(late.kind, FaultKind::Timeout);
    for wrong in [
        r#"{"deadline":1}"#,
        r#"{"version":"new"}"#,
        r#"{"where":{}}"#,
        r#"{"routing":"best"}"#,
    ] {
        assert_eq!(
            call_with(&node, "told", "{}", wrong).unwrap_err().kind,
            FaultKind::Invalid,
            "{wrong}"
        );
    }
}

#[test]
fn a_stream_that_is_cancelled_and_never_read_again_is_over_for_its_handler() {
    let node = node();
    let (seen, told) = mpsc::channel();
    let _served = serve(&node, r#"{"name":"endless","streaming":true}"#, move |call| {
        wait(call.event(r#"{"type":"delta","data":0}"#)).unwrap();
        wait(call.cancelled());
        seen.send(()).unwrap();
    })
    .unwrap();
    let options = CallOptions::default();
    let stream = wait(node.call_streaming("endless", "{}", &options, CancellationToken::new())).unwrap();
    for kind in ["start", "delta"] {
        assert!(wait(stream.next()).unwrap().unwrap().contains(kind));
    }
    stream.cancel();
    told.recv().unwrap();
    assert!(
        wait(stream.next())
            .unwrap()
            .unwrap()
            .contains(r#""code":"cancelled""#)
    );
    assert_eq!(wait(stream.next()), Ok(None));
}

#[test]
fn a_refusal_is_explained_on_a_thread_outside_the_runtime_by_a_schema_that_has_to_be_fetched() {
    const KEY: &str =
        r#"{"key":"5555555555555555555555555555555555555555555555555555555555555555","engine":"memory"}"#;
    let (host, agent) = (start(KEY).unwrap(), start(KEY).unwrap());
    let comment = "x".repeat(4 * 1024);
    let descriptor = format!(
        r#"{{"name":"big","streaming":true,"input_schema":{{"type":"object","$comment":"{comment}","properties":{{"n":{{"type":"integer"}}}}}}}}"#
    );
    let _served = serve(&host, &descriptor, |_| {}).unwrap();
    let options = CallOptions::default();
    let opening = agent.call_streaming("big", r#"{"n":"x"}"#, &options, CancellationToken::new());
    let stream = wait(opening).unwrap();
    let mut told = Vec::new();
    loop {
        match stream.take() {
            Some(Ok(Some(event))) => told.push(event),
            Some(Ok(None)) => break,
            Some(Err(fault)) => told.push(fault.message),
            None => std::thread::yield_now(),
        }
    }
    let last = told.last().unwrap();
    assert!(last.contains("/n: expected an integer"), "{told:?}");
}
