//! Upstream servers that mean harm, or know no better: what they do is bounded, their calls fail by a type, and nobody else
//! is harmed.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::StreamExt as _;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};
use toolmesh_mcp::{Upstream, UpstreamOptions, UpstreamSource};
use toolmesh_testkit::paths::{client_script, python};
use toolmesh_tool::{
    CallError, CallItem, CancellationToken, Dispatcher, Outcome, Prefix, Source as _, SourceError, Toolbox,
};

use super::{
    script::{ONE_TOOL, Script, events, result, usual},
    support::Gateway,
};
use crate::stdio_client::PATIENCE;

/// Longer than the largest of these servers takes to be read.
const LONG: Duration = Duration::from_secs(300);

async fn started(way: &str, timeout: Duration) -> Result<Gateway, SourceError> {
    let script = client_script("python", "hostile_server.py");
    let upstream = Upstream::Command {
        program: python(),
        arguments: vec![script.to_string_lossy().into_owned(), way.to_owned()],
    };
    let toolbox = Toolbox::new();
    let mount = toolbox.mount("up", Prefix::None)?;
    let options = UpstreamOptions::default().revision("2025-11-25").timeout(timeout);
    let source = UpstreamSource::new("up", upstream, options);
    source.start(mount).await?;
    Ok(Gateway {
        source,
        dispatcher: Dispatcher::builder(toolbox).build(),
    })
}

async fn gateway(way: &str) -> Gateway {
    started(way, LONG).await.expect("it starts like any other")
}

/// The text of a call that is answered in time.
async fn text(gateway: &Gateway, tool: &str) -> String {
    let ended = tokio::time::timeout(LONG, gateway.call(tool, "{}")).await;
    match ended.expect("an end in time") {
        Outcome::Completed(result) => result.joined_text(),
        Outcome::Failed(CallError::Handler(error)) => format!("failed: {error}"),
        other => format!("{other:?}"),
    }
}

/// Waits until the server, started again, answers.
async fn comes_back(gateway: &Gateway) {
    let back = async {
        while text(gateway, "other").await != "done" {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(PATIENCE, back)
        .await
        .expect("it is started again");
}

#[tokio::test]
async fn a_line_without_an_end_ends_the_connection_and_the_server_is_started_again() {
    let gateway = gateway("endless_line").await;
    let said = text(&gateway, "one").await;
    assert_eq!(
        said,
        "failed: the connection to the server ended: the server broke the protocol: a message has more than 16 MiB"
    );
    comes_back(&gateway).await;
}

#[tokio::test]
async fn a_server_that_dies_in_a_call_fails_that_call_and_is_started_again() {
    let gateway = gateway("dies").await;
    assert_eq!(
        text(&gateway, "one").await,
        "failed: the connection to the server ended"
    );
    comes_back(&gateway).await;
}

#[tokio::test]
async fn what_was_not_asked_what_is_said_twice_and_noise_answer_nothing() {
    for (way, said) in [("unasked", "done"), ("twice", "first"), ("noise", "done")] {
        let gateway = gateway(way).await;
        assert_eq!(text(&gateway, "one").await, said, "{way}");
        assert_eq!(text(&gateway, "other").await, "done", "{way}");
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_fails_its_call_at_once_and_no_other() {
    for way in ["bad_utf8", "too_deep"] {
        let gateway = gateway(way).await;
        let (one, other) = tokio::join!(text(&gateway, "one"), text(&gateway, "other"));
        assert_eq!(
            one, "failed: the server broke the protocol: an answer is no message within the limits of JSON",
            "{way}"
        );
        assert_eq!(other, "done", "{way}");
    }
}

#[tokio::test]
async fn floods_of_progress_and_questions_do_not_hold_a_call() {
    let gateway = gateway("progress_flood").await;
    let mut stream = gateway.dispatcher.stream(gateway.request("one", "{}"));
    let read = async {
        let mut events = 0;
        while let Some(item) = stream.next().await {
            match item {
                CallItem::Event(_) => events += 1,
                CallItem::Ended(outcome) => return (events, outcome.completed().is_some()),
            }
        }
        (events, false)
    };
    let (events, is_done) = tokio::time::timeout(LONG, read).await.expect("an end in time");
    assert!(is_done && events > 0, "{events}");
    let gateway = self::gateway("question_flood").await;
    assert_eq!(text(&gateway, "one").await, "done");
    assert_eq!(text(&gateway, "other").await, "done");
}

#[tokio::test]
async fn an_answer_after_the_cancellation_is_nobodys() {
    let gateway = gateway("after_cancel").await;
    let stop = CancellationToken::new();
    let request = gateway.request("one", "{}").cancellation(stop.clone());
    let (outcome, ()) = tokio::join!(gateway.dispatcher.call(request), async {
        assert_eq!(text(&gateway, "other").await, "done");
        stop.cancel();
    });
    assert!(
        matches!(outcome, Outcome::Failed(CallError::Cancelled)),
        "{outcome:?}"
    );
    assert_eq!(text(&gateway, "other").await, "done");
}

#[tokio::test]
async fn schemas_beyond_the_bounds_are_left_out_and_the_others_offered() {
    let gateway = gateway("huge_schema").await;
    let survey = gateway.source.survey();
    let left_out: Vec<&str> = survey
        .entries
        .iter()
        .filter(|entry| entry.reason.is_some())
        .map(|entry| entry.name.as_str())
        .collect();
    assert_eq!(left_out, ["deep", "wide"]);
    assert_eq!(text(&gateway, "one").await, "done");
}

#[tokio::test]
async fn a_hundred_thousand_tools_are_taken_and_one_more_is_not() {
    let gateway = gateway("hundred_thousand").await;
    assert_eq!(
        gateway.dispatcher.toolbox().snapshot().listed_tools().len(),
        100_000
    );
    assert_eq!(text(&gateway, "tool_99999").await, "done");
    let Err(SourceError::Invalid(said)) = started("too_many", LONG).await.map(drop) else {
        panic!("they are too many");
    };
    assert!(said.ends_with("a list has more than 100,000 entries"), "{said}");
}

#[tokio::test]
async fn a_server_whose_tools_are_renamed_all_the_time_is_looked_at_now_and_then() {
    let gateway = gateway("renames").await;
    let mut watch = gateway.dispatcher.toolbox().watch();
    assert_eq!(text(&gateway, "name_0").await, "done");
    let last = async {
        while gateway
            .dispatcher
            .toolbox()
            .snapshot()
            .tool("name_5000", None)
            .is_none()
        {
            watch.changed().await.expect("the toolbox is there");
        }
    };
    tokio::time::timeout(LONG, last)
        .await
        .expect("the last name is seen");
    let unknown = gateway.call("name_0", "{}").await;
    assert!(
        matches!(unknown, Outcome::Failed(CallError::UnknownTool)),
        "{unknown:?}"
    );
    // 5,000 changes were at most some dozens of looks.
    let generation = gateway.dispatcher.toolbox().snapshot().generation();
    assert!(generation < 100, "{generation}");
}

#[tokio::test]
async fn a_slow_start_is_waited_for_and_one_that_never_comes_is_not() {
    let gateway = started("slow_start", LONG).await.expect("it comes");
    assert_eq!(text(&gateway, "one").await, "done");
    let never = started("never_starts", Duration::from_millis(300))
        .await
        .map(drop);
    let Err(SourceError::Unreachable(said)) = never else {
        panic!("it never comes");
    };
    assert!(said.ends_with("the server did not answer in time"), "{said}");
}

#[tokio::test]
async fn a_name_without_end_is_told_up_to_its_bound() {
    let gateway = gateway("long_name").await;
    let server = gateway.source.survey().server.expect("a name");
    assert!(server.len() < 5_000, "{}", server.len());
}

#[tokio::test]
async fn one_server_that_means_harm_harms_no_other() {
    let toolbox = Toolbox::new();
    let good = Script::start(|seen| match seen.method.as_str() {
        "tools/call" => result(seen, r#"{"content":[{"type":"text","text":"good"}]}"#),
        _ => usual(seen, ONE_TOOL),
    })
    .await;
    let mut sources = Vec::new();
    for (name, upstream) in [
        ("good", Upstream::Url(good.url.clone())),
        (
            "bad",
            Upstream::Command {
                program: python(),
                arguments: vec![
                    client_script("python", "hostile_server.py")
                        .to_string_lossy()
                        .into_owned(),
                    "endless_line".to_owned(),
                ],
            },
        ),
    ] {
        let mount = toolbox
            .mount(name, Prefix::Name(name.to_owned()))
            .expect("a name of its own");
        let source = UpstreamSource::new(name, upstream, UpstreamOptions::default());
        source.start(mount).await.expect("it starts");
        sources.push(source);
    }
    let gateway = Gateway {
        source: sources.remove(0),
        dispatcher: Dispatcher::builder(toolbox).build(),
    };
    let (bad, good) = tokio::join!(text(&gateway, "bad_one"), async {
        for _ in 0..20 {
            assert_eq!(text(&gateway, "good_one").await, "good");
        }
    });
    assert!(bad.starts_with("failed: "), "{bad}");
    let () = good;
}

/// An HTTP server that answers each connection's first request with these bytes, and then says no more.
async fn raw(answer: impl Fn(usize) -> Vec<u8> + Send + Sync + 'static) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("bound"));
    let connections = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&connections);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let bytes = answer(count.fetch_add(1, Ordering::Relaxed));
            tokio::spawn(async move {
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(&bytes).await;
                // Held open until the client has had enough.
                while matches!(stream.read(&mut request).await, Ok(1..)) {}
            });
        }
    });
    (url, connections)
}

#[tokio::test]
async fn an_http_server_that_says_half_or_too_much_is_left_in_time() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: ";
    let endless_head = format!("HTTP/1.1 200 OK\r\n{}", "x-a: b\r\n".repeat(200_000));
    let huge = format!("{head}application/json\r\n\r\n{}", " ".repeat(17 * 1024 * 1024));
    let huge_event = format!(
        "{head}text/event-stream\r\n\r\ndata: {}",
        "x".repeat(17 * 1024 * 1024)
    );
    for (case, bytes) in [
        ("nothing", String::new()),
        ("half a head", "HTTP/1.1 200 OK\r\ncontent-ty".to_owned()),
        (
            "half a body",
            format!("{head}application/json\r\ncontent-length: 99\r\n\r\n{{"),
        ),
        (
            "comments",
            format!("{head}text/event-stream\r\n\r\n{}", ": \n\n".repeat(10_000)),
        ),
        ("a head without end", endless_head),
        ("a body without end", huge),
        ("an event without end", huge_event),
        ("noise", "\u{1}\u{2}\u{3}\r\n\r\n".to_owned()),
    ] {
        let bytes = bytes.into_bytes();
        let (url, _) = raw(move |_| bytes.clone()).await;
        let options = UpstreamOptions::default()
            .revision("2026-07-28")
            .timeout(Duration::from_millis(1_500));
        let started = Gateway::to(&url, options, Prefix::None);
        let ended = tokio::time::timeout(PATIENCE, started)
            .await
            .expect("an end in time");
        assert!(ended.is_err(), "{case}");
    }
}

#[tokio::test]
async fn a_redirect_is_followed_nowhere() {
    let (elsewhere, connections) = raw(|_| Vec::new()).await;
    let script = Script::start(move |seen| match seen.method.as_str() {
        "tools/call" => (307, vec![("location", elsewhere.clone())], String::new()),
        _ => usual(seen, ONE_TOOL),
    })
    .await;
    let gateway = script.gateway("2026-07-28").await.expect("sound");
    assert!(
        text(&gateway, "one")
            .await
            .starts_with("failed: the server answered HTTP 307")
    );
    assert_eq!(connections.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn a_stream_that_ends_at_once_and_asks_to_come_back_at_once_is_asked_for_with_patience() {
    let script = Script::start(|seen| match (seen.http_method.as_str(), seen.method.as_str()) {
        ("GET", _) => events("retry: 0\n\n".to_owned()),
        (_, "tools/call") => result(seen, r#"{"content":[]}"#),
        _ => usual(seen, ONE_TOOL),
    })
    .await;
    let gateway = script.gateway("2025-11-25").await.expect("sound");
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    let streams = script
        .seen("none")
        .iter()
        .filter(|seen| seen.http_method == "GET")
        .count();
    assert!((1..=3).contains(&streams), "{streams}");
    assert_eq!(text(&gateway, "one").await, "");
}

#[tokio::test]
async fn a_flood_of_pings_is_answered_as_far_as_there_is_room() {
    let pings: String = (0..20_000)
        .map(|id| format!("data: {{\"jsonrpc\":\"2.0\",\"id\":\"p{id}\",\"method\":\"ping\"}}\n\n"))
        .collect();
    let script = Script::start(move |seen| match seen.method.as_str() {
        "tools/call" => {
            let id = seen.body.get("id").expect("an id").to_text();
            events(format!(
                "{pings}data: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\"content\":[]}}}}\n\n"
            ))
        }
        _ => usual(seen, ONE_TOOL),
    })
    .await;
    let gateway = script.gateway("2025-11-25").await.expect("sound");
    assert_eq!(text(&gateway, "one").await, "");
    let answers = script.seen("none").len();
    assert!(answers < 20_000, "{answers}");
}
