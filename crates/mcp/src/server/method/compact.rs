//! A large catalogue behind three tools: search, describe, call.
//!
//! `call_tool` is the call of the other tool itself: the request goes on as if that one had been called, through the same
//! steps, with its own progress, questions and errors. What a caller may not see he neither finds, nor reads of, nor
//! calls.

use std::sync::Arc;

use toolmesh_json::Value;
use toolmesh_tool::{
    CallContext, CallError, CatalogueTool, HandlerError, MountError, Outcome, Prefix, SearchHit, Tool,
    ToolAnnotations, ToolBuildError, ToolResult, Toolbox, dispatcher::Operation, schema::Profile,
};

use crate::{
    revision::{Failure, Method},
    server::{exchange::Exchange, fault::Fault},
    wire::write_tool,
};

const SEARCH: &str = "search_tools";
const DESCRIBE: &str = "describe_tool";
/// The tool that calls another.
pub(in crate::server) const CALL: &str = "call_tool";

/// How many tools a search finds unless it says otherwise: 8, what a model reads with a glance.
const USUAL_HITS: usize = 8;

/// Most tools of one search: 50.
const MAX_HITS: u64 = 50;

const SEARCH_INPUT: &str = r#"{"type":"object","properties":{"query":{"type":"string","minLength":1,"maxLength":1024,"description":"Words that say what the tool should do"},"limit":{"type":"integer","minimum":1,"maximum":50,"description":"The most tools to find; 8 without it"}},"required":["query"],"additionalProperties":false}"#;

const SEARCH_OUTPUT: &str = r#"{"type":"object","properties":{"tools":{"type":"array","items":{"type":"object","properties":{"name":{"type":"string"},"title":{"type":"string"},"description":{"type":"string"}},"required":["name"]}}},"required":["tools"]}"#;

const DESCRIBE_INPUT: &str = r#"{"type":"object","properties":{"name":{"type":"string","minLength":1,"description":"The tool's name, as search_tools gives it"}},"required":["name"],"additionalProperties":false}"#;

const DESCRIBE_OUTPUT: &str =
    r#"{"type":"object","properties":{"tool":{"type":"object"}},"required":["tool"]}"#;

const CALL_INPUT: &str = r#"{"type":"object","properties":{"name":{"type":"string","minLength":1,"description":"The tool's name, as search_tools gives it"},"arguments":{"type":"object","description":"Its arguments, by the inputSchema that describe_tool gives"}},"required":["name"],"additionalProperties":false}"#;

/// The three tools.
#[derive(Debug)]
pub(in crate::server) struct Compact {
    tools: Toolbox,
}

/// Why the three tools could not be made.
#[derive(Debug, thiserror::Error)]
enum NotMade {
    #[error(transparent)]
    Tool(#[from] ToolBuildError),
    #[error(transparent)]
    Mount(#[from] MountError),
    #[error(transparent)]
    Schema(#[from] toolmesh_json::ParseError),
}

impl Compact {
    /// `None` cannot happen: the tools are the same in every process, and a test makes them.
    pub(in crate::server) fn new() -> Option<Self> {
        Self::made()
            .inspect_err(|error| tracing::error!(%error, "the compact form could not be made"))
            .ok()
    }

    fn made() -> Result<Self, NotMade> {
        let tools = Toolbox::new();
        let reads = ToolAnnotations::read_only;
        let made = vec![
            tool(
                SEARCH,
                "Finds tools by words. This server has many tools; search for what you need first.",
                SEARCH_INPUT,
                Some(SEARCH_OUTPUT),
                reads(),
            )?,
            tool(
                DESCRIBE,
                "Gives everything about one tool: its description and the schemas of its arguments and result.",
                DESCRIBE_INPUT,
                Some(DESCRIBE_OUTPUT),
                reads(),
            )?,
            tool(
                CALL,
                "Calls a tool that search_tools found, with arguments by the schema that describe_tool gives.",
                CALL_INPUT,
                None,
                ToolAnnotations::default(),
            )?,
        ];
        tools.mount("compact", Prefix::None)?.replace(made)?;
        Ok(Self { tools })
    }

    /// What is listed in place of the catalogue.
    pub(in crate::server) fn catalogue(&self) -> Arc<toolmesh_tool::Catalogue> {
        self.tools.snapshot()
    }
}

fn tool(
    name: &str,
    description: &str,
    input: &str,
    output: Option<&str>,
    annotations: ToolAnnotations,
) -> Result<Tool, NotMade> {
    let json = |text: &str| toolmesh_json::parse(text.as_bytes());
    let mut shaped = Tool::with_name(name).input_schema(json(input)?, Profile::Draft2020_12);
    if let Some(output) = output {
        shaped = shaped.output_schema(json(output)?, Profile::Draft2020_12);
    }
    // The front answers for them; nothing calls this.
    let unused = |_: CallContext, _: Value| async {
        Outcome::Failed(CallError::Handler(HandlerError::new("answered by the front")))
    };
    let built = shaped
        .handler(unused)
        .description(description)
        .annotations(annotations);
    Ok(built.build()?)
}

/// What becomes of a call in the compact form.
pub(in crate::server) enum Turned {
    /// It is answered with this.
    Answered(ToolResult),
    /// It is the call of a tool of the catalogue, by these names.
    Call(Value),
    /// Its arguments do not fit.
    Mismatch,
}

/// Turns a call of one of the three tools into what it means; `None` for every other tool.
pub(in crate::server) async fn turn(
    exchange: &Exchange,
    compact: &Compact,
    name: &str,
    arguments: &Value,
) -> Result<Option<Turned>, Fault> {
    let catalogue = compact.catalogue();
    let Some(tool) = catalogue.tool(name, None).map(CatalogueTool::tool) else {
        return Ok(None);
    };
    if !tool.input_schema().evaluate(arguments).is_valid() {
        return Ok(Some(Turned::Mismatch));
    }
    let text = |name: &str| {
        arguments
            .get(name)
            .and_then(|value| value.as_str())
            .unwrap_or_default()
    };
    Ok(Some(match name {
        SEARCH => Turned::Answered(search(exchange, text("query"), arguments).await?),
        DESCRIBE => Turned::Answered(describe(exchange, text("name")).await?),
        _ => Turned::Call(retargeted(exchange, text("name"), arguments)?),
    }))
}

async fn search(exchange: &Exchange, query: &str, arguments: &Value) -> Result<ToolResult, Fault> {
    let catalogue = exchange.listed(Method::ListTools, Operation::ListTools).await?;
    let limit = arguments
        .get("limit")
        .and_then(|limit| limit.as_u64())
        .map(|limit| limit.min(MAX_HITS));
    let limit = limit
        .and_then(|limit| usize::try_from(limit).ok())
        .unwrap_or(USUAL_HITS);
    let found: Value = catalogue.search(query, limit).iter().map(hit).collect();
    Ok(mirrored(Value::object().put("tools", found).build()))
}

fn hit(hit: &SearchHit<'_>) -> Value {
    let tool = hit.tool.tool();
    Value::object()
        .put("name", hit.tool.name().as_str())
        .put_opt("title", tool.title())
        .put_opt("description", tool.description())
        .build()
}

async fn describe(exchange: &Exchange, name: &str) -> Result<ToolResult, Fault> {
    let catalogue = exchange.listed(Method::ListTools, Operation::ListTools).await?;
    let Some(tool) = catalogue.tool(name) else {
        return Err(Failure::UnknownTool.into());
    };
    let mut described = Vec::new();
    write_tool(&mut described, tool, &exchange.revision.projection);
    // What was just written is JSON within its own limits.
    let described = toolmesh_json::parse(&described).map_err(|_| Failure::UnusableOutput)?;
    Ok(mirrored(Value::object().put("tool", described).build()))
}

/// The params of the call that is meant.
fn retargeted(exchange: &Exchange, name: &str, arguments: &Value) -> Result<Value, Fault> {
    let inner = arguments.get("arguments").map(|inner| inner.to_value());
    let params = exchange.request.params.as_ref().and_then(Value::as_object);
    let kept = params.into_iter().flat_map(|params| params.iter());
    let kept = kept.filter(|(member, _)| !matches!(*member, "name" | "arguments"));
    let mut params = Value::object()
        .put("name", name)
        .put("arguments", inner.unwrap_or_else(|| Value::object().build()));
    kept.for_each(|(member, value)| params.insert(member, value.to_value()));
    Ok(params.build())
}

fn mirrored(structured: Value) -> ToolResult {
    let text = structured.to_text();
    ToolResult::text(text).with_structured(structured)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_tools_can_be_made() {
        let catalogue = Compact::made().expect("they are sound").catalogue();
        let names: Vec<&str> = catalogue
            .listed_tools()
            .map(|tool| tool.name().as_str())
            .collect();
        assert_eq!(names, [SEARCH, DESCRIBE, CALL]);
    }
}
