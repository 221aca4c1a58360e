//! Tools over the closed family, through the dispatcher.

use std::collections::BTreeMap;

use toolmesh_tool::{
    BigInt, CallContext, CallError, HandlerError, Outcome, Tool, ToolBuildError, ToolResult, ToolType,
    dispatcher::ARGUMENTS_MISMATCH,
};

use super::family::{Grid, Item};
use crate::support::{argument_error, builder, code, request, text};

#[derive(ToolType)]
struct Search {
    /// What to look for.
    query: String,
    limit: Option<u32>,
}

#[derive(ToolType)]
struct Found {
    items: Vec<String>,
}

fn find(search: &Search) -> Found {
    let limit = search.limit.unwrap_or(2) as usize;
    Found {
        items: vec![search.query.clone(); limit],
    }
}

fn search() -> Tool {
    Tool::with_name("search")
        .arguments_and_output::<Search, Found>()
        .handler(|_, search| async move { Ok::<_, HandlerError>(find(&search)) })
        .build()
        .unwrap()
}

#[tokio::test]
async fn arguments_are_bound_and_the_output_is_published() {
    let dispatcher = builder(vec![search()]).build();
    for (arguments, expected) in [
        (r#"{"query":"a"}"#, r#"{"items":["a","a"]}"#),
        (r#"{"limit":1.0,"query":"a"}"#, r#"{"items":["a"]}"#),
        (r#"{"query":"a","limit":0e7}"#, r#"{"items":[]}"#),
    ] {
        assert_eq!(
            text(dispatcher.call(request("search", arguments)).await),
            expected
        );
    }
}

#[tokio::test]
async fn what_does_not_fit_is_refused_by_the_one_fixed_sentence() {
    let dispatcher = builder(vec![search()]).build();
    for arguments in [
        r#"{"limit":1}"#,
        r#"{"query":"a","limit":null}"#,
        r#"{"query":"a","limit":-1}"#,
        r#"{"query":"a","limit":4294967296}"#,
        r#"{"query":"a","limit":1.5}"#,
        r#"{"query":"a","limits":1}"#,
        r#"{"query":"a","limit":1e9999}"#,
    ] {
        assert_eq!(
            argument_error(dispatcher.call(request("search", arguments)).await),
            ARGUMENTS_MISMATCH,
            "{arguments}"
        );
    }
}

#[tokio::test]
async fn what_only_the_binder_can_refuse_is_refused_alike_and_the_handler_does_not_run() {
    #[derive(ToolType)]
    struct Exact {
        big: Option<BigInt>,
        pair: Option<[i32; 2]>,
    }
    let tool = Tool::with_name("exact")
        .arguments::<Exact>()
        .handler(|_, exact| async move {
            let given = usize::from(exact.big.is_some()) + exact.pair.map_or(0, |pair| pair.len());
            ToolResult::text(given.to_string())
        })
        .build()
        .unwrap();
    let dispatcher = builder(vec![tool]).build();
    assert_eq!(
        text(
            dispatcher
                .call(request("exact", r#"{"big":1e1023,"pair":[1,2]}"#))
                .await
        ),
        "3"
    );
    for arguments in [r#"{"big":1e9999}"#, r#"{"pair":[1]}"#] {
        assert_eq!(
            argument_error(dispatcher.call(request("exact", arguments)).await),
            ARGUMENTS_MISMATCH
        );
    }
}

#[tokio::test]
async fn a_handler_may_see_the_raw_object_and_return_an_output_of_its_own() {
    let tool = Tool::with_name("echo")
        .arguments::<BTreeMap<String, i64>>()
        .handler_with_raw(|_, arguments| async move {
            assert_eq!(arguments.raw.to_text(), r#"{"b":1,"a":2.0}"#);
            arguments.converted
        })
        .build()
        .unwrap();
    assert!(tool.output_schema().is_some());
    let outcome = builder(vec![tool])
        .build()
        .call(request("echo", r#"{"b":1,"a":2.0}"#))
        .await;
    assert_eq!(text(outcome), r#"{"a":2,"b":1}"#);
}

#[test]
fn words_of_the_protocol_promise_no_output() {
    let tool = Tool::with_name("echo")
        .arguments::<Search>()
        .handler(|_, search| async move { Ok::<_, CallError>(ToolResult::text(search.query)) })
        .build()
        .unwrap();
    assert!(tool.output_schema().is_none());
}

#[tokio::test]
async fn a_handler_that_ends_the_call_itself_is_held_to_the_promised_output() {
    let tool = |structured: &'static str| {
        Tool::with_name("search")
            .arguments_and_output::<Search, Found>()
            .outcome_handler(move |_: CallContext, _| async move {
                Outcome::Completed(ToolResult::structured(crate::support::json(structured)))
            })
            .build()
            .unwrap()
    };
    let call = async |tool| {
        builder(vec![tool])
            .build()
            .call(request("search", r#"{"query":"a"}"#))
            .await
    };
    assert_eq!(text(call(tool(r#"{"items":["x"]}"#)).await), r#"{"items":["x"]}"#);
    assert_eq!(code(&call(tool(r#"{"items":[1]}"#)).await), "invalid_output");
}

#[tokio::test]
async fn an_output_without_a_json_form_ends_the_call_as_invalid_output() {
    let tool = Tool::with_name("divide")
        .arguments::<Grid<2>>()
        .handler(|_, grid| async move {
            let [a, b] = grid.cells;
            a / b
        })
        .build()
        .unwrap();
    let dispatcher = builder(vec![tool]).build();
    assert_eq!(
        text(dispatcher.call(request("divide", r#"{"cells":[1,4]}"#)).await),
        "0.25"
    );
    let outcome = dispatcher.call(request("divide", r#"{"cells":[1,0]}"#)).await;
    assert_eq!(code(&outcome), "invalid_output");
}

#[test]
fn headers_are_mirrored_from_arguments_of_the_right_type_and_place() {
    #[derive(ToolType)]
    struct Deep {
        #[property(header = "Depth")]
        depth: i64,
    }
    #[derive(ToolType)]
    struct Mirrored {
        #[property(header = "Tenant")]
        tenant: Option<String>,
        inner: Deep,
    }
    let tool = Tool::with_name("mirror")
        .arguments::<Mirrored>()
        .handler(|_, _| async { ToolResult::default() })
        .build()
        .unwrap();
    let mut headers: Vec<_> = tool
        .input_schema()
        .mirrored_headers()
        .iter()
        .map(|header| header.path().join("/"))
        .collect();
    headers.sort_unstable();
    assert_eq!(headers, ["inner/depth", "tenant"]);
}

#[test]
fn headers_that_cannot_be_mirrored_are_refused_when_the_tool_is_built() {
    #[derive(ToolType)]
    struct OfFloat {
        #[property(header = "Rate")]
        rate: f64,
    }
    #[derive(ToolType)]
    struct NoToken {
        #[property(header = "no token")]
        a: bool,
    }
    #[derive(ToolType)]
    struct Twice {
        #[property(header = "Same")]
        a: bool,
        #[property(header = "same")]
        b: bool,
    }
    #[derive(ToolType)]
    struct InList {
        list: Vec<NoTokenlessItem>,
    }
    #[derive(ToolType)]
    struct NoTokenlessItem {
        #[property(header = "Item")]
        a: bool,
    }
    fn refused<A: toolmesh_tool::ToolArguments>() -> String {
        let built = Tool::with_name("t")
            .arguments::<A>()
            .handler(|_, _| async { ToolResult::default() })
            .build();
        match built.unwrap_err() {
            ToolBuildError::InputSchema { source, .. } => source.kind().as_str().to_owned(),
            other => panic!("{other}"),
        }
    }
    assert_eq!(refused::<OfFloat>(), "INVALID_MIRRORED_HEADER_TYPE");
    assert_eq!(refused::<NoToken>(), "INVALID_MIRRORED_HEADER_NAME");
    assert_eq!(refused::<Twice>(), "DUPLICATE_MIRRORED_HEADER");
    assert_eq!(refused::<InList>(), "MISPLACED_MIRRORED_HEADER");
}

#[test]
fn an_output_mirrors_no_header() {
    #[derive(ToolType)]
    struct Out {
        #[property(header = "Out")]
        a: bool,
    }
    let refused = Tool::with_name("t")
        .arguments::<Item>()
        .handler(|_, _| async { Out { a: true } })
        .build();
    assert!(matches!(refused, Err(ToolBuildError::OutputSchema { .. })));
}
