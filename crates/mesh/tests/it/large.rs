//! Answers and events that go in parts.

use std::time::Duration;

use futures_util::{StreamExt, stream};
use toolmesh_mesh::{
    CallOptions, Mesh, RpcError, ToolDescriptor, ToolEvent, ToolServeHandle,
    wire::{MAX_ANSWER_BYTES, PART_BYTES},
};
use toolmesh_tool::json::Value;

use crate::support::{Net, Text, described, over_engines, pair, sees, text};

/// Serves a tool that gives a text of as many bytes as it is asked for.
fn serve_letters(host: &Mesh) -> ToolServeHandle {
    host.serve_tool::<Text, Text, _, _>(described("letters"), |asked| async move {
        let bytes: usize = asked.text.parse().map_err(|_| "no number".to_owned())?;
        Ok(text(&"x".repeat(bytes)))
    })
    .unwrap()
}

/// What stands around the text in the answer.
const AROUND: usize = r#"{"text":""}"#.len();

async fn letters(agent: &Mesh, bytes: usize) -> Result<Text, RpcError> {
    // A build for tests on a busy machine takes long over so much.
    let patient = CallOptions::new().with_deadline(Duration::from_secs(600));
    agent
        .call_tool_with("letters", &text(&bytes.to_string()), &patient)
        .await
}

#[tokio::test]
async fn an_answer_of_any_size_up_to_the_bound_comes_whole() {
    let (host, agent) = pair().await;
    let _served = serve_letters(&host);
    for bytes in [PART_BYTES - AROUND, PART_BYTES - AROUND + 1, 20 * PART_BYTES] {
        let answer = letters(&agent, bytes).await.unwrap();
        assert_eq!(answer.text.len(), bytes);
    }
}

async fn sixty_four_megabytes_are_an_answer_and_one_byte_more_is_none(net: Net) {
    let (host, agent) = net.pair().await;
    let _served = serve_letters(&host);
    sees(&agent, &host).await;
    let most = MAX_ANSWER_BYTES - AROUND;
    let answer = letters(&agent, most).await.unwrap();
    assert!(answer.text.len() == most && answer.text.bytes().all(|letter| letter == b'x'));
    let once = CallOptions::new()
        .with_retry(toolmesh_mesh::RetryPolicy::never())
        .with_deadline(Duration::from_secs(600));
    let refused = agent
        .call_tool_with::<_, Text>("letters", &text(&(most + 1).to_string()), &once)
        .await;
    assert!(
        matches!(refused, Err(RpcError::ServerError { status: 6, .. })),
        "{refused:?}"
    );
}

#[tokio::test]
async fn large_events_come_whole_and_in_order_however_small_the_window() {
    let (host, agent) = pair().await;
    let descriptor = ToolDescriptor {
        output_schema: None,
        ..described("pages")
    };
    let page = |number: usize| ToolEvent::Delta {
        data: Value::from("p".repeat(PART_BYTES * number / 2)),
    };
    let _served = host
        .serve_tool_streaming::<Text, _, _, _>(descriptor, move |_| async move {
            let end = ToolEvent::Result {
                data: Value::from("e".repeat(3 * PART_BYTES)),
            };
            stream::iter((1..=6).map(page)).chain(stream::iter([end]))
        })
        .unwrap();
    for window in [1, 64] {
        let options = CallOptions::new().with_stream_window(window);
        let events = agent
            .call_tool_streaming_with("pages", &text("x"), &options)
            .await
            .unwrap();
        let lengths: Vec<usize> = events
            .filter_map(|event| async move {
                match event.unwrap() {
                    ToolEvent::Delta { data } | ToolEvent::Result { data } => data.as_str().map(str::len),
                    _ => None,
                }
            })
            .collect()
            .await;
        let mut expected: Vec<usize> = (1..=6).map(|number| PART_BYTES * number / 2).collect();
        expected.push(3 * PART_BYTES);
        assert_eq!(lengths, expected, "{window}");
    }
}

#[tokio::test]
async fn a_large_schema_comes_in_parts_too() {
    let (host, agent) = pair().await;
    let schema = Value::object()
        .put("type", "object")
        .put("description", "d".repeat(1_000_000))
        .put("title", "t".repeat(1_000_000))
        .build();
    let descriptor = ToolDescriptor {
        input_schema: Some(schema.to_text()),
        ..described("schema")
    };
    let _served = host
        .serve_tool::<Value, Text, _, _>(descriptor.clone(), |_| async { Ok(text("")) })
        .unwrap();
    let seen = agent.describe_tool("schema", &CallOptions::new()).await.unwrap();
    assert!(seen.input_schema == descriptor.input_schema);
}

over_engines!(sixty_four_megabytes_are_an_answer_and_one_byte_more_is_none);
