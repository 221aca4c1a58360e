//! `#[tool]` on a function.

use toolmesh_tool::{
    ArgumentErrors, CallContext, HandlerError, Outcome, Prefix, Tool, ToolResult, ToolType, Toolbox,
    dispatcher::ARGUMENTS_MISMATCH, tool, typed::RegisterError,
};

use super::family::Order;
use crate::support::{argument_error, builder, request, text};

#[derive(ToolType)]
struct Found {
    items: Vec<String>,
}

/// Finds items in the catalogue.
///
/// Only what the caller may see.
#[tool(
    name = "catalog.search",
    title = "Catalog search",
    version = "1.2.3-rc.1+7",
    tag = "search",
    tags("shop", "read"),
    requires = "catalogue",
    estimated_time_ms = 200,
    read_only,
    destructive = false,
    idempotent,
    open_world = false,
    stateless = false
)]
async fn search(
    context: CallContext,
    /// What to look for.
    query: String,
    /// At most so many.
    #[property(name = "max", title = "Limit", header = "Limit")]
    limit: Option<u32>,
    #[property(description = "In which order.")] order: Option<Order>,
) -> Result<Found, HandlerError> {
    assert!(!context.is_streamed());
    if query.is_empty() {
        return Err(HandlerError::new("nothing to look for"));
    }
    let mut items = vec![query.clone(), format!("{query}2")];
    if order == Some(Order::Descending) {
        items.reverse();
    }
    items.truncate(limit.unwrap_or(u32::MAX) as usize);
    Ok(Found { items })
}

#[tool]
async fn nothing() -> ToolResult {
    ToolResult::text("nothing")
}

#[tool(description = "Adds.")]
async fn r#add(mut a: i64, b: i64) -> i64 {
    a += b;
    a
}

#[tool(crate = ::toolmesh_tool)]
async fn context_alone(_: CallContext) -> Outcome {
    ToolResult::default().into()
}

#[test]
fn the_attribute_says_everything_that_the_builder_could() {
    let tool = search_tool().unwrap();
    assert_eq!(tool.version().to_string(), "1.2.3-rc.1+7");
    let descriptor = search_descriptor().unwrap();
    assert_eq!(descriptor, tool.descriptor());
    insta::assert_snapshot!(
        serde_json::to_string_pretty(&descriptor.to_value(toolmesh_tool::SchemaForm::Object)).unwrap()
    );
}

#[test]
fn without_settings_the_function_speaks_for_itself() {
    let tool = nothing_tool().unwrap();
    assert_eq!(tool.name().as_str(), "nothing");
    assert_eq!(tool.description(), None);
    assert_eq!(tool.argument_errors(), ArgumentErrors::Fixed);
    assert!(tool.annotations().is_empty());
    assert!(tool.output_schema().is_none());
    assert_eq!(
        tool.input_schema().document().to_text(),
        r#"{"type":"object","properties":{},"required":[],"additionalProperties":false}"#
    );
    let add = add_tool().unwrap();
    assert_eq!((add.name().as_str(), add.description()), ("add", Some("Adds.")));
    assert!(context_alone_tool().is_ok());
    assert!(context_alone_descriptor().is_ok());
}

async fn call(tool: Tool, arguments: &str) -> Outcome {
    let name = tool.name().to_string();
    builder(vec![tool]).build().call(request(&name, arguments)).await
}

#[tokio::test]
async fn arguments_go_to_the_function_by_their_published_names() {
    let search = || search_tool().unwrap();
    assert_eq!(
        text(call(search(), r#"{"query":"a"}"#).await),
        r#"{"items":["a","a2"]}"#
    );
    assert_eq!(
        text(call(search(), r#"{"max":1,"order":"Descending","query":"a"}"#).await),
        r#"{"items":["a2"]}"#
    );
    assert_eq!(text(call(add_tool().unwrap(), r#"{"a":1e2,"b":-1}"#).await), "99");
    assert_eq!(text(call(nothing_tool().unwrap(), "{}").await), "nothing");
    for arguments in [
        r#"{"query":"a","limit":1}"#,
        r#"{"query":null}"#,
        "{}",
        r#"{"query":"a","order":"x"}"#,
    ] {
        assert_eq!(
            argument_error(call(search(), arguments).await),
            ARGUMENTS_MISMATCH
        );
    }
}

#[tokio::test]
async fn a_registered_function_can_be_called() {
    let toolbox = Toolbox::new();
    let mount = toolbox
        .mount("native", Prefix::Name("native".to_owned()))
        .unwrap();
    add_register(&mount).unwrap();
    nothing_register(&mount).unwrap();
    context_alone_register(&mount).unwrap();
    search_register(&mount).unwrap();
    let names: Vec<_> = toolbox
        .snapshot()
        .all_tools()
        .map(|tool| tool.name().to_string())
        .collect();
    assert_eq!(names.len(), 4);
    assert!(names.iter().all(|name| name.starts_with("native_")), "{names:?}");
    assert!(matches!(add_register(&mount), Err(RegisterError::Mount(_))));
}

#[test]
fn a_name_that_is_not_allowed_is_told_when_the_tool_is_built() {
    #[tool(name = "no spaces")]
    async fn misnamed(value: bool) -> bool {
        value
    }
    let refused = misnamed_tool().unwrap_err();
    assert!(refused.to_string().starts_with("tool `no spaces`: "), "{refused}");
}

/// The function stays what it was: it can be called as one.
#[tokio::test]
async fn the_function_itself_is_untouched() {
    assert_eq!(add(1, 2).await, 3);
}
