use std::sync::Arc;

use toolmesh_tool::{
    CallContext, CallError, CatalogueTool, ContentBlock, MediaContent, Outcome, TextContent, Tool,
    ToolBuilder, ToolResult,
    dispatcher::{OutputLimits, Sanitizer},
    schema::Profile,
};

use crate::support::{argument_error, builder, echo, json, request, text};

fn gives(result: ToolResult) -> ToolBuilder {
    Tool::with_name("t").json_object_arguments().handler(move |_, _| {
        let result = result.clone();
        async move { result }
    })
}

fn promises_a_number(result: ToolResult) -> Tool {
    Tool::with_name("t")
        .json_object_arguments()
        .output_schema(
            json(r#"{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}"#),
            Profile::Profile1,
        )
        .handler(move |_, _| {
            let result = result.clone();
            async move { result }
        })
        .build()
        .unwrap()
}

async fn call(tool: Tool) -> Outcome {
    builder(vec![tool]).build().call(request("t", "{}")).await
}

fn refused(outcome: Outcome) -> String {
    match outcome {
        Outcome::Failed(CallError::InvalidOutput(reason)) => reason,
        other => panic!("not refused: {other:?}"),
    }
}

#[tokio::test]
async fn structured_content_is_repeated_as_text_unless_the_tool_opts_out() {
    let result = ToolResult::structured(json(r#"{"b":1.10,"a":"\u00e9"}"#));
    assert_eq!(
        text(call(gives(result.clone()).build().unwrap()).await),
        r#"{"b":1.10,"a":"é"}"#
    );
    let silent = gives(result).mirror_structured_content(false).build().unwrap();
    assert_eq!(text(call(silent).await), "");
}

#[tokio::test]
async fn a_result_that_breaks_its_promise_is_refused_and_a_tool_error_may() {
    assert!(matches!(
        call(promises_a_number(ToolResult::structured(json(r#"{"n":1e400}"#)))).await,
        Outcome::Completed(_)
    ));
    assert_eq!(
        refused(
            call(promises_a_number(ToolResult::structured(json(
                r#"{"n":"secret"}"#
            ))))
            .await
        ),
        "structured content does not match the output schema: /n: expected a number (TYPE_MISMATCH at #/properties/n/type)"
    );
    assert!(refused(call(promises_a_number(ToolResult::text("n"))).await).contains("missing"));
    assert_eq!(
        text(call(promises_a_number(ToolResult::error_text("no number today"))).await),
        "no number today"
    );
}

#[tokio::test]
async fn output_bounds_hold_at_n_and_not_at_one_more() {
    let limits = OutputLimits {
        bytes: 10,
        media_bytes: 5,
        mirror_units: 4,
    };
    let of = async |result: ToolResult| {
        let dispatcher = builder(vec![gives(result).build().unwrap()])
            .output_limits(limits)
            .build();
        dispatcher.call(request("t", "{}")).await
    };
    let media = |bytes: usize| {
        ToolResult::default().with_content(ContentBlock::Image(MediaContent {
            data: vec![0; bytes],
            mime_type: "image/png".into(),
            annotations: None,
            meta: None,
        }))
    };
    assert!(matches!(
        of(ToolResult::text("x".repeat(10))).await,
        Outcome::Completed(_)
    ));
    assert!(refused(of(ToolResult::text("x".repeat(11))).await).contains("too large"));
    assert!(matches!(of(media(5)).await, Outcome::Completed(_)));
    assert!(refused(of(media(6)).await).contains("binary"));
    assert_eq!(text(of(ToolResult::structured(json("1234"))).await), "1234");
    assert_eq!(
        text(of(ToolResult::structured(json("12345"))).await),
        "",
        "too long to be mirrored"
    );
    let empty = r#""""#;
    assert_eq!(text(of(ToolResult::structured(json(empty))).await), empty);
    let one = r#""a""#;
    assert_eq!(
        text(of(ToolResult::structured(json(one))).await),
        "",
        "a mirror of three characters has five when it is written"
    );
}

struct Upper;

impl Sanitizer for Upper {
    fn sanitize(&self, _: &CallContext, _: &CatalogueTool, result: ToolResult) -> ToolResult {
        let content = vec![ContentBlock::Text(TextContent::new(
            result.joined_text().to_uppercase(),
        ))];
        ToolResult { content, ..result }
    }
}

#[tokio::test]
async fn the_sanitizer_sees_results_and_generated_errors() {
    let dispatcher = builder(vec![echo()]).sanitizer(Arc::new(Upper)).build();
    assert_eq!(
        text(dispatcher.call(request("echo", r#"{"message":"a"}"#)).await),
        "A"
    );
    let refused = argument_error(dispatcher.call(request("echo", "{}")).await);
    assert_eq!(refused, "ARGUMENTS DO NOT MATCH THE TOOL'S INPUTSCHEMA.");
}

#[tokio::test]
async fn content_that_is_not_well_formed_does_not_leave() {
    let media = MediaContent {
        data: Vec::new(),
        mime_type: "png".into(),
        annotations: None,
        meta: None,
    };
    let result = ToolResult::default().with_content(ContentBlock::Image(media));
    assert!(refused(call(gives(result).build().unwrap()).await).contains("media type"));
    let result = ToolResult {
        meta: Some(json("1")),
        ..ToolResult::text("t")
    };
    assert!(refused(call(gives(result).build().unwrap()).await).contains("_meta"));
}

#[tokio::test]
async fn metadata_counts_as_well() {
    let of = async |bytes: usize| {
        let result = ToolResult {
            meta: Some(json(r#"{"a":1}"#)),
            ..ToolResult::text("x")
        };
        let limits = OutputLimits {
            bytes,
            ..OutputLimits::default()
        };
        let dispatcher = builder(vec![gives(result).build().unwrap()])
            .output_limits(limits)
            .build();
        dispatcher.call(request("t", "{}")).await
    };
    assert!(matches!(of(8).await, Outcome::Completed(_)));
    assert!(refused(of(7).await).contains("too large"));
}
