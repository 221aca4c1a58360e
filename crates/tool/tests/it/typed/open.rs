use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolmesh_tool::{CallContext, HandlerError, Tool, ToolResult, dispatcher::ARGUMENTS_MISMATCH};

use crate::support::{argument_error, builder, request, text};

#[derive(Debug, Deserialize, JsonSchema)]
struct Search {
    /// What to look for.
    query: String,
    #[serde(default)]
    limit: Option<u32>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Found {
    items: Vec<String>,
}

async fn find(_: CallContext, search: Search) -> Result<Found, HandlerError> {
    let limit = search.limit.unwrap_or(2) as usize;
    Ok(Found {
        items: vec![search.query; limit],
    })
}

fn search() -> Tool {
    Tool::with_name("search")
        .schemars_arguments_and_output::<Search, Found>()
        .handler(find)
        .build()
        .unwrap()
}

#[tokio::test]
async fn a_typed_tool_publishes_the_schemas_of_its_types_and_binds_both_ways() {
    let tool = search();
    let input = tool.input_schema().document().view();
    assert_eq!(
        input
            .pointer("/properties/query/description")
            .and_then(|text| text.as_str()),
        Some("What to look for.")
    );
    assert!(tool.output_schema().is_some());
    let dispatcher = builder(vec![tool]).build();
    assert_eq!(
        text(dispatcher.call(request("search", r#"{"query":"a"}"#)).await),
        r#"{"items":["a","a"]}"#
    );
    assert_eq!(
        text(
            dispatcher
                .call(request("search", r#"{"query":"a","limit":1}"#))
                .await
        ),
        r#"{"items":["a"]}"#
    );
}

#[tokio::test]
async fn arguments_outside_the_type_are_refused_like_those_outside_the_schema() {
    let dispatcher = builder(vec![search()]).build();
    for arguments in [
        r#"{"limit":1}"#,
        r#"{"query":"a","limit":-1}"#,
        r#"{"query":"a","limit":4294967296}"#,
    ] {
        assert_eq!(
            argument_error(dispatcher.call(request("search", arguments)).await),
            ARGUMENTS_MISMATCH
        );
    }
}

#[tokio::test]
async fn a_typed_input_alone_leaves_the_end_to_the_closure() {
    let tool = Tool::with_name("search")
        .schemars_arguments::<Search>()
        .handler_with_raw(|_, arguments| async move {
            ToolResult::text(format!(
                "{} {}",
                arguments.converted.query,
                arguments.raw.to_text()
            ))
        })
        .build()
        .unwrap();
    let outcome = builder(vec![tool])
        .build()
        .call(request("search", r#"{"query":"a"}"#))
        .await;
    assert_eq!(text(outcome), r#"a {"query":"a"}"#);
}
